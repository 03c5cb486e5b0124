// Accounts that are more than an address and a key: what an operator says of one, and the way to it.
import type { UpstreamDialect, UpstreamRequest } from "../dialects/dialect.ts";
import type { Clock } from "../lib/clock.ts";
import type { Secret } from "../lib/secret.ts";
import type { ListedModel } from "./model-list.ts";
import type { OutgoingRequest } from "./upstream.ts";

/** What an operator says of an account beside an address and a key. */
export interface Account {
  readonly region?: string;
  readonly project?: string;
  readonly location?: string;
  readonly apiVersion?: string;
  /** The key file of a service account, as JSON text. */
  readonly serviceAccount?: Secret;
  readonly accessKeyId?: Secret;
  readonly secretAccessKey?: Secret;
  readonly sessionToken?: Secret;
}

/** What is wrong with an account: the member at fault, or `credential`, and what to do about it. */
export interface AccountFault {
  readonly member: keyof Account | "credential";
  readonly problem: string;
}

/** What accounts of one kind are made of. */
export interface AccountRules {
  /** The members that mean something here, and the variables that the provider's own SDK reads them from, best first. */
  readonly members: { readonly [member in keyof Account]?: readonly string[] };
  /** Where such an account is asked when nobody said an address; undefined when that is not known. */
  baseUrl?(account: Account): string | undefined;
  /** Null for an account that can be used. */
  fault(account: Account, credential: Secret | null): AccountFault | null;
  /** The way to an account without a fault. */
  open(entry: AccountEntry, tools: SignerDependencies): Signer;
}

/** An account as an operator configured it. */
export interface AccountEntry {
  readonly baseUrl: string;
  readonly credential: Secret | null;
  readonly account?: Account;
}

/** What a way to an account may use; `send` goes through the entry's own proxy. */
export interface SignerDependencies {
  readonly clock: Clock;
  send(request: OutgoingRequest): Promise<Response>;
}

/** A request that is about to leave, without proof of who asks. */
export type UnsignedRequest = Pick<OutgoingRequest, "method" | "url" | "body">;

/** The way to one account. */
export interface Signer {
  /** In place of the entry's own address. */
  readonly baseUrl?: string;
  /** The call on this account's own paths; the same object where nothing changes. Pure. */
  rewritePath?(call: UpstreamRequest, dialect: UpstreamDialect): UpstreamRequest;
  /** As `rewritePath`, for calls about tasks, which belong to no dialect. */
  rewriteTaskPath?(call: UpstreamRequest): UpstreamRequest;
  /** Headers that authenticate a request: made for each one, because they expire or cover its bytes. */
  sign?(request: UnsignedRequest): Promise<Readonly<Record<string, string>>>;
  /** The provider answered with 401: what was sent is not sent again. */
  onUnauthorized?(): void;
  /** The response in frames that dialects read. */
  unwrap?(response: Response): Response;
  /** The account's own list of models. */
  list?(signal: AbortSignal): Promise<ListedModel[]>;
}

/** The secrets of an account, to be hidden wherever they turn up. */
export function secretsOf(account: Account = {}): string[] {
  const { accessKeyId, secretAccessKey, sessionToken } = account;
  return [accessKeyId, secretAccessKey, sessionToken].flatMap((secret) => (secret ? [secret.reveal()] : []));
}

/** A long-lived key, or a temporary one with its session's token. */
export interface KeyPair {
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
}

/** Both parts, where both are there. */
export function keyPairOf({ accessKeyId, secretAccessKey, sessionToken }: Account): KeyPair | null {
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** What is missing of a pair, where no key that is simply shown takes its place. */
export function keyPairFault(
  { accessKeyId, secretAccessKey }: Account,
  credential: Secret | null,
): AccountFault | null {
  if (accessKeyId === undefined && secretAccessKey !== undefined)
    return { member: "accessKeyId", problem: "the ID of the access key is missing" };
  if (secretAccessKey === undefined && accessKeyId !== undefined)
    return { member: "secretAccessKey", problem: "the secret of the access key is missing" };
  if (accessKeyId === undefined && credential === null)
    return { member: "accessKeyId", problem: "an access key, or an API key as the credential, is missing" };
  return null;
}

/** `Authorization: Bearer …`, or another scheme. */
export const bearer = (credential: Secret, scheme = "Bearer"): Record<string, string> => ({
  authorization: `${scheme} ${credential.reveal()}`,
});

/** The credential in a header of its own. */
export const inHeader =
  (name: string) =>
  (credential: Secret): Record<string, string> => ({ [name]: credential.reveal() });
