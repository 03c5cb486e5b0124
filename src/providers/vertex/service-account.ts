// Service accounts: the key file, and its access tokens, requested when needed and cached until shortly before they
// expire.

import { GatewayError } from "../../canonical/error.ts";
import { isObject, parseJsonText } from "../../lib/json.ts";
import { Secret } from "../../lib/secret.ts";
import type { SignerDependencies } from "../credentials.ts";
import type { Send } from "../upstream.ts";

export interface ServiceAccount {
  readonly email: string;
  /** PKCS #8, as PEM. */
  readonly privateKey: Secret;
  readonly keyId?: string;
  readonly project?: string;
  readonly tokenUrl: string;
}

const defaultTokenUrl = "https://oauth2.googleapis.com/token";

const nonEmpty = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

function webUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? text : null;
}

/** The account in a key file, or one sentence about what is wrong. The sentence never contains the text itself. */
export function readServiceAccount(file: Secret): ServiceAccount | string {
  const json = parseJsonText(file.reveal());
  if (!isObject(json)) return "the service account must be JSON or the path of a JSON file";
  const type = nonEmpty(json.type) ?? "nothing";
  if (type !== "service_account")
    return `the service account has the type '${type.slice(0, 40)}'; expected 'service_account'`;
  const email = nonEmpty(json.client_email);
  const key = nonEmpty(json.private_key);
  if (email === undefined) return "the service account has no 'client_email'";
  if (key === undefined || !key.includes("PRIVATE KEY")) return "the service account has no valid 'private_key'";
  const tokenUrl = webUrl(nonEmpty(json.token_uri) ?? defaultTokenUrl);
  if (tokenUrl === null) return "the service account's 'token_uri' is not a valid URL";
  const keyId = nonEmpty(json.private_key_id);
  const project = nonEmpty(json.project_id);
  return {
    email,
    privateKey: new Secret(key),
    tokenUrl,
    ...(keyId === undefined ? {} : { keyId }),
    ...(project === undefined ? {} : { project }),
  };
}

interface Tokens {
  /** A valid token. Concurrent callers share one request. */
  get(): Promise<Secret>;
  /** The token was refused: the next caller gets a new one. */
  drop(): void;
}

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const lifeSeconds = 3600;
/** Before this, a token is renewed in the background; after `lastMs` it is no longer used. */
const earlyMs = 5 * 60_000;
const lastMs = 30_000;
const patienceMs = 30_000;

interface HeldToken {
  readonly token: Secret;
  readonly endsAtMs: number;
}

const failed = (what: string, cause?: unknown): GatewayError =>
  new GatewayError("upstream_credentials", `The provider issued no access token: ${what}.`, { cause });

/** https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests */
async function assertion(account: ServiceAccount, nowMs: number): Promise<string> {
  const now = Math.floor(nowMs / 1000);
  const { importPKCS8, SignJWT } = await import("jose");
  const key = await importPKCS8(account.privateKey.reveal(), "RS256").catch(() => {
    throw failed("the private key cannot be read");
  });
  const kid = account.keyId === undefined ? {} : { kid: account.keyId };
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...kid })
    .setIssuer(account.email)
    .setSubject(account.email)
    .setAudience(account.tokenUrl)
    .setIssuedAt(now)
    .setExpirationTime(now + lifeSeconds)
    .sign(key);
}

function readToken(text: string, nowMs: number): HeldToken {
  const body = parseJsonText(text);
  const token = isObject(body) ? body.access_token : undefined;
  const seconds = isObject(body) ? body.expires_in : undefined;
  if (typeof token !== "string" || token === "") throw failed("the response has no token");
  const life = typeof seconds === "number" && seconds > 0 ? seconds : lifeSeconds;
  return { token: new Secret(token), endsAtMs: nowMs + life * 1000 };
}

/** If this fails, no model was called yet. */
function unreachable(cause: unknown): never {
  throw new GatewayError("upstream_unreachable", "The provider's token service could not be reached.", { cause });
}

async function present(account: ServiceAccount, body: string, send: Send) {
  const response = await send({
    method: "POST",
    url: account.tokenUrl,
    headers: { "content-type": "application/x-www-form-urlencoded", "accept-encoding": "identity" },
    body,
    // A timeout of its own, not of the first request: other requests wait for the same token.
    signal: AbortSignal.timeout(patienceMs),
  });
  return { status: response.status, text: await response.text() };
}

async function ask(account: ServiceAccount, { clock, send }: SignerDependencies): Promise<HeldToken> {
  const form = new URLSearchParams({ grant_type: grant, assertion: await assertion(account, clock.nowMs()) });
  const { status, text } = await present(account, form.toString(), send).catch(unreachable);
  if (status >= 500) throw new GatewayError("upstream_overloaded", "The provider's token service failed.");
  if (status >= 300) throw failed(`the token service returned status ${status}`, text.slice(0, 200));
  return readToken(text, clock.nowMs());
}

/** The tokens of one account. */
export function tokensOf(account: ServiceAccount, tools: SignerDependencies): Tokens {
  let held: HeldToken | null = null;
  let pending: Promise<Secret> | null = null;
  const renew = (): Promise<Secret> => {
    pending ??= ask(account, tools)
      .then((fresh) => {
        held = fresh;
        return fresh.token;
      })
      .finally(() => {
        pending = null;
      });
    return pending;
  };
  return {
    async get() {
      const leftMs = held === null ? 0 : held.endsAtMs - tools.clock.nowMs();
      if (held === null || leftMs <= lastMs) return renew();
      // The old token is still valid; a failed renewal is reported when it is needed.
      if (leftMs <= earlyMs) void renew().catch(() => undefined);
      return held.token;
    },
    drop() {
      held = null;
    },
  };
}
