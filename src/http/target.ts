// The target of a request: its path, its query and the origin that the client used.
import { GatewayError } from "../canonical/error.ts";

/** The start of the path. Without a usable Host header the runtime returns only the request target, as in `/livez`. */
function pathStart(url: string): number {
  if (url.startsWith("/")) return 0;
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start < 0 ? url.length : start;
}

/** The path of a request URL, without building a URL object on the hot path. */
export function pathOf(url: string): string {
  const start = pathStart(url);
  const query = url.indexOf("?", start);
  return (query < 0 ? url.slice(start) : url.slice(start, query)) || "/";
}

/** The query string of a request. */
export function queryOf({ url }: Pick<Request, "url">): URLSearchParams {
  const query = url.indexOf("?", pathStart(url));
  return new URLSearchParams(query < 0 ? "" : url.slice(query + 1));
}

/** `http://host:port` as the client addressed it; empty without a Host header, so that links are relative. */
export function originOf({ headers }: Pick<Request, "headers">, scheme: "http" | "https"): string {
  const address = `${scheme}://${headers.get("host") ?? ""}`;
  return URL.canParse(address) ? new URL(address).origin : "";
}

/** The host and port of an address, such as an `Origin` header; null if it has none. */
export const hostOf = (url: string | null): string | null =>
  url !== null && URL.canParse(url) ? new URL(url).host : null;

/** A name or an address, and a port (https://www.rfc-editor.org/rfc/rfc9110#section-7.2). */
const hostForm = /^(?:[\w.~%!$&'()*+;=-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/**
 * Throws status 400 for a Host header that is repeated or invalid
 * (https://www.rfc-editor.org/rfc/rfc9112#section-3.2). An HTTP/1.0 client may omit it.
 */
export function checkHost({ headers }: Pick<Request, "headers">): void {
  const host = headers.get("host");
  if (host === null || hostForm.test(host)) return;
  throw new GatewayError("invalid_value", "The Host header is not valid. Send one host name or address.", {
    param: "host",
  });
}
