// The OpenID provider: its discovery, the address to which a browser is sent, and the claims of who comes back.
import { createHash } from "node:crypto";
import type { createLocalJWKSet, JSONWebKeySet, JWTPayload } from "jose";
import type { Clock } from "../lib/clock.ts";
import { randomId } from "../lib/ids.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { Secret } from "../lib/secret.ts";
import { type OutgoingRequest, readBounded, type Send } from "../providers/upstream.ts";
import type { UserRole } from "./roles.ts";

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: Secret | null;
  /** On the button of the sign-in page. */
  readonly name: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly roles: ReadonlyMap<string, UserRole>;
  /** Domains of emails that may sign in; empty: all. */
  readonly emailDomains: readonly string[];
  /** Null: the callback under the address that the browser uses. */
  readonly redirectUrl: string | null;
}

/** What a browser brings back, and what it was given before. */
export interface Returned {
  readonly redirectUrl: string;
  readonly query: URLSearchParams;
  readonly nonce: string;
  readonly verifier: string;
}

/** The values of one sign-in, with the address of the provider's page. */
export interface Departure {
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface OidcClient {
  depart(settings: OidcSettings, redirectUrl: string): Promise<Departure>;
  /** The claims of the ID token, and of the user info where the token has no email or groups. */
  claims(settings: OidcSettings, returned: Returned): Promise<JsonObject>;
}

interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
  readonly userinfo_endpoint?: string;
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  readonly authorization_response_iss_parameter_supported?: boolean;
}

const timeoutMs = 10_000;
const maxAnswerBytes = 1_000_000;
const discoveredForMs = 600_000;
const toleranceSeconds = 60;
/** Signatures with a key that only the provider has. */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

const jose = () => import("jose");

/** A value that cannot be guessed. */
const fresh = (): string => randomId("", 43);

/** Plain HTTP only on this machine. */
export function isProviderUrl(text: unknown): text is string {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url === null || url.username !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && /^(?:localhost|127\.|\[::1\])/.test(url.hostname));
}

/** The JSON of an answer. Throws an Error with the request that failed, without what was sent. */
async function readJson(send: Send, what: string, request: Omit<OutgoingRequest, "signal">): Promise<JsonObject> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await send({ ...request, headers: { accept: "application/json", ...request.headers }, signal });
  const bytes = await readBounded(response, maxAnswerBytes, signal);
  const text = bytes === null ? "" : Buffer.from(bytes).toString();
  const body: unknown = /^\s*\{/.test(text) ? JSON.parse(text) : null;
  if (response.ok && isObject(body)) return body;
  const code = isObject(body) && typeof body["error"] === "string" ? ` (${body["error"].slice(0, 100)})` : "";
  throw new Error(`The ${what} of the OpenID provider answered with status ${response.status}${code}.`);
}

async function discover(send: Send, { issuer }: OidcSettings): Promise<Metadata> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const found = await readJson(send, "discovery document", { method: "GET", url, headers: {} });
  if (found["issuer"] !== issuer)
    throw new Error("The discovery document has another issuer than 'console.oidc.issuer'.");
  const optional = found["userinfo_endpoint"] === undefined ? [] : ["userinfo_endpoint"];
  const wrong = ["authorization_endpoint", "token_endpoint", "jwks_uri", ...optional].find(
    (name) => !isProviderUrl(found[name]),
  );
  if (wrong !== undefined) throw new Error(`The discovery document has no valid ${wrong}.`);
  return found as unknown as Metadata;
}

/** As the provider prefers, and as the standard does where it states nothing. */
function credentials(
  { clientId, clientSecret }: OidcSettings,
  { token_endpoint_auth_methods_supported: ways }: Metadata,
) {
  if (clientSecret === null) return { headers: {}, form: { client_id: clientId } };
  if (ways !== undefined && !ways.includes("client_secret_basic"))
    return { headers: {}, form: { client_id: clientId, client_secret: clientSecret.reveal() } };
  const pair = [clientId, clientSecret.reveal()].map((each) => new URLSearchParams([["", each]]).toString().slice(1));
  return { headers: { authorization: `Basic ${Buffer.from(pair.join(":")).toString("base64")}` }, form: {} };
}

/** The provider as it was found, with its keys. */
interface Found {
  readonly metadata: Metadata;
  readonly keys: ReturnType<typeof createLocalJWKSet>;
}

async function find(send: Send, settings: OidcSettings): Promise<Found> {
  const { createLocalJWKSet: keysOf } = await jose();
  const metadata = await discover(send, settings);
  const keys = await readJson(send, "key set", { method: "GET", url: metadata.jwks_uri, headers: {} });
  return { metadata, keys: keysOf(keys as unknown as JSONWebKeySet) };
}

/** Throws for a token that is not signed by the provider, for this client and this sign-in. */
async function verified(token: string, { metadata, keys }: Found, { clientId }: OidcSettings, nonce: string) {
  const { jwtVerify } = await jose();
  const { payload } = await jwtVerify(token, keys, {
    ...{ issuer: metadata.issuer, audience: clientId, algorithms, clockTolerance: toleranceSeconds },
    requiredClaims: ["sub", "exp", "iat", "nonce"],
  });
  const isForOthers = Array.isArray(payload.aud) && payload.aud.length > 1 && payload["azp"] === undefined;
  if (payload["nonce"] !== nonce) throw new Error("The ID token is of another sign-in: its nonce differs.");
  if (isForOthers || (payload["azp"] !== undefined && payload["azp"] !== clientId))
    throw new Error("The ID token was issued to another client.");
  return payload;
}

async function userInfo(send: Send, url: string, token: unknown, own: JWTPayload): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${String(token)}` };
  const info = await readJson(send, "user info", { method: "GET", url, headers });
  if (info["sub"] !== own.sub) throw new Error("The user info of the OpenID provider is about another user.");
  return info;
}

async function claimsOf(send: Send, found: Found, settings: OidcSettings, returned: Returned): Promise<JsonObject> {
  const { metadata } = found;
  const { query, redirectUrl, nonce, verifier } = returned;
  const issuer = query.get("iss");
  if (issuer === null ? metadata.authorization_response_iss_parameter_supported === true : issuer !== metadata.issuer)
    throw new Error("The answer is of another OpenID provider.");
  const { headers, form } = credentials(settings, metadata);
  const grant = { grant_type: "authorization_code", code: query.get("code") ?? "", redirect_uri: redirectUrl };
  const tokens = await readJson(send, "token endpoint", {
    ...{ method: "POST", url: metadata.token_endpoint },
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams({ ...grant, code_verifier: verifier, ...form }).toString(),
    freshConnection: true,
  });
  const token = String(tokens["id_token"] ?? "");
  const own = await verified(token, found, settings, nonce).catch(async (thrown: unknown) => {
    // The provider has new keys.
    if (Object(thrown).code !== "ERR_JWKS_NO_MATCHING_KEY") throw thrown;
    return await verified(token, await find(send, settings), settings, nonce);
  });
  const isWhole = claimOf(own as JsonObject, settings.groupsClaim) !== undefined && own["email"] !== undefined;
  if (isWhole || metadata.userinfo_endpoint === undefined) return own as JsonObject;
  return { ...(await userInfo(send, metadata.userinfo_endpoint, tokens["access_token"], own)), ...own } as JsonObject;
}

export function createOidcClient(send: Send, { monotonicMs }: Pick<Clock, "monotonicMs">): OidcClient {
  let latest: { readonly settings: OidcSettings; readonly atMs: number; readonly found: Promise<Found> } | null = null;
  const found = (settings: OidcSettings): Promise<Found> => {
    if (latest?.settings === settings && monotonicMs() - latest.atMs < discoveredForMs) return latest.found;
    const mine = { settings, atMs: monotonicMs(), found: find(send, settings) };
    latest = mine;
    mine.found.catch(() => {
      if (latest === mine) latest = null;
    });
    return mine.found;
  };
  return {
    async depart(settings, redirectUrl) {
      const { metadata } = await found(settings);
      const [state, nonce, verifier] = [fresh(), fresh(), fresh()];
      const url = new URL(metadata.authorization_endpoint);
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      const sent = {
        response_type: "code",
        client_id: settings.clientId,
        redirect_uri: redirectUrl,
        scope: settings.scopes,
      };
      const checks = { state, nonce, code_challenge: challenge, code_challenge_method: "S256" };
      for (const [name, value] of Object.entries({ ...sent, ...checks })) url.searchParams.set(name, value);
      return { url: url.href, state, nonce, verifier };
    },
    claims: async (settings, returned) => await claimsOf(send, await found(settings), settings, returned),
  };
}

/** A claim by its name, or by the path to it, as in `realm_access.roles`. */
export function claimOf(claims: JsonObject, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((value, part) => {
    return isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }, claims);
}
