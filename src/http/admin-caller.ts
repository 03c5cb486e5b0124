// The caller of an admin request: a key in a header, or the session in a cookie, which a page of another origin may
// not use.
import type { AdminAccess, SessionCaller } from "../admin/access.ts";
import type { Principal } from "../admin/permissions.ts";
import { requireCsrfToken } from "../admin/sessions.ts";
import { GatewayError } from "../canonical/error.ts";
import { presentedKey } from "./credentials.ts";
import type { HandlerContext } from "./endpoint.ts";
import { hostOf } from "./target.ts";

export interface CallerParts {
  readonly access: AdminAccess;
  /** For the tokens against requests of other pages. */
  readonly pepper: Uint8Array;
  /** The URL at which clients reach the gateway; null: taken from each request. */
  readonly publicUrl: string | null;
  /** The URL in links to the console; null: taken from each request. */
  readonly linkBase: string | null;
}

export const cookieName = "turnpike_session";
const safeMethods = ["GET", "HEAD"];

/** The secret of the session; null without one, and with a key in a header, which comes first. */
export function sessionSecret({ headers }: Request): string | null {
  if (headers.has("authorization") || headers.has("x-api-key")) return null;
  const pairs = headers.get("cookie")?.split(";") ?? [];
  const mine = pairs.find((pair) => pair.trim().startsWith(`${cookieName}=`));
  return mine?.trim().slice(cookieName.length + 1) || null;
}

/**
 * Throws status 403 for a request of a page of another origin. Hosts are compared without the scheme, which a proxy may
 * have changed; a browser states itself what it regards as the same origin.
 */
export function requireOwnOrigin({ headers }: Request, publicUrl: string | null): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const page = hostOf(origin);
  const isNamed = page !== null && [headers.get("host"), hostOf(publicUrl)].includes(page);
  if (site === null ? isNamed : site === "same-origin") return;
  throw new GatewayError("permission_denied", "The request comes from a page of another origin.", {
    code: "origin_not_allowed",
    param: "origin",
  });
}

/** The caller of this session. Throws status 401 if it has ended, 403 for a change without its CSRF token. */
export async function callerOfSession(
  { access, pepper, publicUrl }: CallerParts,
  request: Request,
  secret: string,
): Promise<SessionCaller> {
  const caller = await access.identifySession(secret);
  if (safeMethods.includes(request.method)) return caller;
  requireOwnOrigin(request, publicUrl);
  requireCsrfToken(pepper, secret, request.headers.get("x-csrf-token"));
  return caller;
}

/** Throws status 401 without a valid credential. */
export async function adminCaller(
  parts: CallerParts,
  { request, address }: Pick<HandlerContext, "request" | "address">,
): Promise<Principal> {
  const secret = sessionSecret(request);
  if (secret !== null) return (await callerOfSession(parts, request, secret)).principal;
  return await parts.access.identify(presentedKey(request, ["bearer", "x-api-key"]), address());
}
