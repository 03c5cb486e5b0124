// `/admin/api/oidc`: to the page of an OpenID provider, and back with a session.
import { Type } from "typebox";
import type { AdminAccess } from "../admin/access.ts";
import { type Oidc, OidcRefusal } from "../admin/oidc.ts";
import type { Departure, OidcClient, OidcSettings } from "../admin/oidc-client.ts";
import { GatewayError } from "../canonical/error.ts";
import { openBytes, seal } from "../lib/secret.ts";
import { type CallerParts, sessionSecret } from "./admin-caller.ts";
import type { HandlerContext, HandlerEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";
import { sessionCookie, visitorOf } from "./session-endpoints.ts";
import { queryOf } from "./target.ts";

interface OidcParts extends CallerParts {
  readonly access: AdminAccess;
  readonly client: OidcClient;
  readonly oidc: Oidc;
  /** Encrypts what a browser brings back. */
  readonly sealKey: Uint8Array;
  readonly settings: () => OidcSettings | null;
  readonly nowMs: () => number;
  /** Writes the reason of a failure that only the operator should see to the log. */
  failed(cause: unknown): void;
}

const cookieName = "turnpike_oidc";
const sealContext = "console.oidc";
const departedSeconds = 600;
const maxReturnChars = 2_000;

/** What the browser has while the provider's page is open. */
interface Journey extends Omit<Departure, "url"> {
  readonly redirectUrl: string;
  readonly returnTo: string;
  readonly untilMs: number;
}

/** A place in the console, `/requests?tab=tasks`: never another host or path. */
export function safeReturn(given: string | null): string {
  const isPlace =
    given !== null && given.length <= maxReturnChars && /^\/[\w/~%.-]*(?:\?[\w/~%.&=+:,-]*)?$/.test(given);
  return isPlace && !given.includes("..") && !given.startsWith("//") ? given : "";
}

function configured(parts: OidcParts): OidcSettings {
  const settings = parts.settings();
  if (settings !== null) return settings;
  throw new GatewayError("not_found", "No OpenID provider is configured ('console.oidc').");
}

function redirectUrlOf(parts: OidcParts, { redirectUrl }: OidcSettings, context: HandlerContext): string {
  return redirectUrl ?? `${(parts.linkBase ?? context.origin()).replace(/\/+$/, "")}/admin/api/oidc-callback`;
}

/** Without a path, as the cookie of the session; Lax, because the browser comes back from another site. */
function cookie(redirectUrl: string, value: string, seconds: number): string {
  const secure = redirectUrl.startsWith("https:") ? "; Secure" : "";
  return `${cookieName}=${value}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

function redirect(to: string, { requestId }: HandlerContext, cookies: readonly string[]): Response {
  const headers = new Headers({ location: to, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  headers.set("x-request-id", requestId);
  for (const each of cookies) headers.append("set-cookie", each);
  return new Response(null, { status: 303, headers });
}

/** Relative to the callback, so that it works behind the prefix of a proxy. */
const consolePath = "../../console";

async function depart(parts: OidcParts, context: HandlerContext): Promise<Response> {
  const settings = configured(parts);
  const redirectUrl = redirectUrlOf(parts, settings, context);
  try {
    const { url, state, nonce, verifier } = await parts.client.depart(settings, redirectUrl);
    const untilMs = parts.nowMs() + departedSeconds * 1000;
    const returnTo = safeReturn(queryOf(context.request).get("return_to"));
    const journey: Journey = { state, nonce, verifier, redirectUrl, returnTo, untilMs };
    const value = seal(parts.sealKey, JSON.stringify(journey), sealContext);
    return redirect(url, context, [cookie(redirectUrl, value, departedSeconds)]);
  } catch (cause) {
    parts.failed(cause);
    return redirect(`${consolePath}#sign_in_error=unavailable`, context, []);
  }
}

function journeyOf({ sealKey, nowMs }: OidcParts, { headers }: Request): Journey | null {
  const pair = (headers.get("cookie") ?? "").split(";").find((each) => each.trim().startsWith(`${cookieName}=`));
  try {
    const bytes = openBytes(sealKey, pair?.trim().slice(cookieName.length + 1) ?? "", sealContext);
    const journey = JSON.parse(bytes.toString()) as Journey;
    return journey.untilMs > nowMs() ? journey : null;
  } catch {
    // It was changed, or is of another installation.
    return null;
  }
}

async function comeBack(parts: OidcParts, context: HandlerContext): Promise<Response> {
  const settings = configured(parts);
  const journey = journeyOf(parts, context.request);
  const visitor = visitorOf(context);
  const gone = cookie(journey?.redirectUrl ?? "", "", 0);
  const look = async () => {
    if (journey === null) throw new OidcRefusal("expired");
    return await parts.oidc.user(settings, { ...journey, query: queryOf(context.request) }, visitor.requestId);
  };
  try {
    const opened = await parts.access.signInElsewhere(look, visitor, sessionSecret(context.request));
    const { returnTo = "" } = journey ?? {};
    return redirect(`${consolePath}${returnTo}`, context, [sessionCookie(journey?.redirectUrl ?? "", opened), gone]);
  } catch (thrown) {
    if (!(thrown instanceof OidcRefusal)) throw thrown;
    if (thrown.cause !== undefined) parts.failed(thrown.cause);
    return redirect(`${consolePath}#sign_in_error=${thrown.problem}`, context, [gone]);
  }
}

/** The rows of signing in at a provider. Each path has one level, so that cookies are sent to all of `/admin/api`. */
export function oidcEndpoints(parts: () => OidcParts): readonly HandlerEndpoint[] {
  const row = { kind: "plain", method: "GET", tag: "Admin", access: { key: "none" }, ...protocols.openai } as const;
  const text = (name: string, description: string) => ({ name, description, schema: { type: "string" } }) as const;
  return [
    {
      ...{ ...row, path: "/admin/api/oidc", operationId: "signInWithOidc", reply: Type.Null() },
      summary: "Leads a browser to the page of the OpenID provider.",
      query: [text("return_to", "The place in the console to come back to, such as `/requests`.")],
      handle: (context) => depart(parts(), context),
    },
    {
      ...{ ...row, path: "/admin/api/oidc-callback", operationId: "oidcCallback", reply: Type.Null() },
      summary: "Begins a session for a browser that comes back from the OpenID provider.",
      query: [
        text("code", "From the provider."),
        text("state", "As it was sent to the provider."),
        text("iss", "The issuer."),
        text("error", "In place of `code`."),
      ],
      handle: (context) => comeBack(parts(), context),
    },
  ];
}
