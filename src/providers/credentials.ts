// Accounts: the settings of an operator, how requests are signed, and differences in their calls.
import type { UpstreamDialect, UpstreamRequest } from "../dialects/dialect.ts";
import type { Clock } from "../lib/clock.ts";
import type { Secret } from "../lib/secret.ts";
import type { ListedModel } from "./model-list.ts";
import type { HttpResponse } from "./transport/response.ts";
import type { OutgoingRequest, Send } from "./upstream.ts";

/** The settings of an account in addition to a URL and a key. */
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

/** What is wrong with an account: the invalid member, or `credential`, and how to fix it. */
export interface AccountFault {
  readonly member: keyof Account | "credential";
  readonly problem: string;
}

/** The settings of one kind of account. */
export interface AccountRules {
  /** The relevant members, and the environment variables from which the provider's own SDK reads them, best first. */
  readonly members: { readonly [member in keyof Account]?: readonly string[] };
  /** The URL for an account without a configured one; undefined when it is unknown. */
  baseUrl?(account: Account): string | undefined;
  /** Null for a usable account. Absent: all are. */
  fault?(account: Account, credential: Secret | null): AccountFault | null;
}

/** An account as an operator configured it. */
export interface AccountEntry {
  readonly baseUrl: string;
  readonly credential: Secret | null;
  readonly account?: Account;
}

/** What signing depends on; `send` uses the entry's own proxy. */
export interface SignerDependencies {
  readonly clock: Clock;
  readonly send: Send;
}

/** A request without its authentication. */
export type UnsignedRequest = Pick<OutgoingRequest, "method" | "url" | "body" | "pieces">;

/** The body as a signature covers it; pieces are joined. */
export const bodyToSign = ({ body, pieces }: UnsignedRequest): OutgoingRequest["body"] =>
  pieces === undefined ? body : Buffer.concat(pieces);

/** Headers that authenticate a request. */
type AuthHeaders = Readonly<Record<string, string>>;

/** How requests to one account are signed: by constant headers, or by headers made for each request. */
export type Signer =
  | { readonly headers: AuthHeaders }
  | {
      /** Made for each request, because they expire or cover its bytes. */
      sign(request: UnsignedRequest): Promise<AuthHeaders>;
      /** The provider returned 401: the credential is not sent again. */
      onUnauthorized?(): void;
    };

/** Makes the signer of an account without a fault. */
export type SignerFactory = (entry: AccountEntry, dependencies: SignerDependencies) => Signer;

/** The body of a list, as parsed JSON; the request is signed. */
export type GetList = (url: string, headers?: Readonly<Record<string, string>>) => Promise<unknown>;

/** Differences in the calls of one account. */
export interface AccountAccess {
  /** Replaces the URL of the entry. */
  readonly baseUrl?: string;
  /** The call with this account's own paths; the same object when nothing changes. Pure. */
  rewritePath?(call: UpstreamRequest, dialect: UpstreamDialect): UpstreamRequest;
  /** As `rewritePath`, for calls about tasks, which have no dialect. */
  rewriteTaskPath?(call: UpstreamRequest): UpstreamRequest;
  /** Converts the response to the frames that dialects read. */
  unwrap?(response: HttpResponse): HttpResponse;
  /** The account's own list of models. */
  list?(get: GetList): Promise<ListedModel[]>;
}

/** The secrets of an account, which are redacted everywhere. */
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

/** Both parts, if both are present. */
function keyPairOf({ accessKeyId, secretAccessKey, sessionToken }: Account): KeyPair | null {
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** What is missing from a key pair, unless a plain key is configured instead. */
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

/** The credential in this header, after a prefix. Nothing is sent without a credential. */
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
