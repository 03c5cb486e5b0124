// Accounts: what an operator configures of one, how its requests are signed, and what differs in its calls.
import type { UpstreamDialect, UpstreamRequest } from "../dialects/dialect.ts";
import type { Clock } from "../lib/clock.ts";
import type { Secret } from "../lib/secret.ts";
import type { ListedModel } from "./model-list.ts";
import type { OutgoingRequest, Send } from "./upstream.ts";

/** What an operator configures of an account in addition to an address and a key. */
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
  /** The address of such an account where none is configured; undefined when that is not known. */
  baseUrl?(account: Account): string | undefined;
  /** Null for an account that can be used. Absent: all can. */
  fault?(account: Account, credential: Secret | null): AccountFault | null;
}

/** An account as an operator configured it. */
export interface AccountEntry {
  readonly baseUrl: string;
  readonly credential: Secret | null;
  readonly account?: Account;
}

/** What signing may use; `send` goes through the entry's own proxy. */
export interface SignerDependencies {
  readonly clock: Clock;
  readonly send: Send;
}

/** A request that is about to be sent, without its authentication. */
export type UnsignedRequest = Pick<OutgoingRequest, "method" | "url" | "body">;

/** Headers that authenticate a request. */
export type AuthHeaders = Readonly<Record<string, string>>;

/** How requests to one account are signed: by headers that are always the same, or by headers made for each request. */
export type Signer =
  | { readonly headers: AuthHeaders }
  | {
      /** Made for each request, because they expire or cover its bytes. */
      sign(request: UnsignedRequest): Promise<AuthHeaders>;
      /** The provider answered with 401: what was sent is not sent again. */
      onUnauthorized?(): void;
    };

/** Makes the signer of an account without a fault. */
export type SignerFactory = (entry: AccountEntry, dependencies: SignerDependencies) => Signer;

/** The body of a list, as parsed JSON; the request is signed. */
export type GetList = (url: string, headers?: Readonly<Record<string, string>>) => Promise<unknown>;

/** What differs in the calls of one account. */
export interface AccountAccess {
  /** In place of the entry's own address. */
  readonly baseUrl?: string;
  /** The call on this account's own paths; the same object where nothing changes. Pure. */
  rewritePath?(call: UpstreamRequest, dialect: UpstreamDialect): UpstreamRequest;
  /** As `rewritePath`, for calls about tasks, which belong to no dialect. */
  rewriteTaskPath?(call: UpstreamRequest): UpstreamRequest;
  /** The response in frames that dialects read. */
  unwrap?(response: Response): Response;
  /** The account's own list of models. */
  list?(get: GetList): Promise<ListedModel[]>;
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
function keyPairOf({ accessKeyId, secretAccessKey, sessionToken }: Account): KeyPair | null {
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

/** `Authorization: Bearer …`. */
export const bearerHeaders = (token: Secret): AuthHeaders => ({ authorization: `Bearer ${token.reveal()}` });

/** The credential in this header, behind a prefix. Nothing is sent where there is none. */
export const inHeader =
  (name: string, prefix = ""): SignerFactory =>
  ({ credential }) => ({ headers: credential === null ? {} : { [name]: prefix + credential.reveal() } });

/** The credential as a bearer token. */
export const bearer = inHeader("authorization", "Bearer ");

/** A provider without a bearer credential signs with its key pair. */
export const bearerOrKeyPair =
  (signer: (key: KeyPair, entry: AccountEntry, dependencies: SignerDependencies) => Signer): SignerFactory =>
  (entry, dependencies) => {
    const key = entry.credential === null ? keyPairOf(entry.account ?? {}) : null;
    return key === null ? bearer(entry, dependencies) : signer(key, entry, dependencies);
  };
