// Where an answer to a call about a video leads on to: below the account's own address, or anywhere else.
import type { UpstreamRequest } from "../../dialects/dialect.ts";

/** How often one download may be led on. */
export const mostRedirects = 3;

/** The address of a redirect, whole; null where there is none, or none that can be read. */
export function redirectIn({ status, headers, url }: Response): string | null {
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  return location === null ? null : (URL.parse(location, url === "" ? undefined : url)?.href ?? null);
}

/** The call that goes on from `call`, asked at `asked`, to an address of the same account; null for any other address: our credential does not go there. */
export function ownCall(call: UpstreamRequest, asked: string, address: string): UpstreamRequest | null {
  const base = asked.endsWith(call.path) ? asked.slice(0, asked.length - call.path.length) : "";
  return base.endsWith("/") && address.startsWith(base) ? { ...call, path: address.slice(base.length) } : null;
}
