// The head of a request as it is sent, and where it is sent to.
import { version } from "../../../package.json";

/** A request line or a header cannot be sent as it is: a line break in it would be a header of its own. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
}

export interface Address {
  readonly origin: string;
  readonly hostname: string;
  readonly port: number;
  /** As in the `Host` header: without the port where it is the usual one. */
  readonly host: string;
  readonly isSecure: boolean;
}

export interface Target {
  readonly address: Address;
  /** Path and query. */
  readonly path: string;
}

/** Paths that a URL parser would not change. */
const plainUrl = /^(https?:\/\/[^/?#@\\]+)(\/(?!\.|.*(?:\/\.|%2e))[\w\-.~/:?=&%+,@$;!*()]*)$/i;

function addressOf(url: URL): Address {
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new InvalidRequest("expected an http or https URL");
  const isSecure = url.protocol === "https:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  return { origin: url.origin, hostname: url.hostname.replace(/^\[|\]$/g, ""), port, host: url.host, isSecure };
}

const maxAddresses = 1_000;

/** Reads URLs, and keeps the addresses in them: a gateway calls few hosts many times. */
export function createTargetReader(): (url: string) => Target {
  const addresses = new Map<string, Address>();
  return (url) => {
    const [, origin, path] = plainUrl.exec(url) ?? [];
    const known = origin === undefined ? undefined : addresses.get(origin);
    if (known !== undefined && path !== undefined) return { address: known, path };
    const parsed = URL.parse(url);
    if (parsed === null) throw new InvalidRequest("invalid URL");
    const address = addressOf(parsed);
    if (addresses.size >= maxAddresses) addresses.clear();
    if (origin !== undefined) addresses.set(origin, address);
    return { address, path: parsed.pathname + parsed.search };
  };
}

const fieldName = /^[!#$%&'*+.^_`|~\w-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const ascii = /^[\x00-\x7f]*$/;

type Headers = Readonly<Record<string, string>>;

/** The lines of a caller's headers, and which of the usual ones are among them. */
interface HeaderLines {
  readonly text: string;
  readonly hasHost: boolean;
  readonly isAscii: boolean;
}

/** The framing is the transport's own: a header of the caller must not contradict it. */
const ownHeaders = new Set(["content-length", "transfer-encoding"]);

function linesOf(headers: Headers): HeaderLines {
  let text = "";
  const names = new Set<string>();
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!fieldName.test(name) || !fieldValue.test(value)) throw new InvalidRequest(`invalid header '${name}'`);
    const lower = name.toLowerCase();
    if (ownHeaders.has(lower)) continue;
    names.add(lower);
    text += `${name}: ${value}\r\n`;
  }
  if (!names.has("connection")) text += "connection: keep-alive\r\n";
  if (!names.has("accept")) text += "accept: */*\r\n";
  if (!names.has("accept-encoding")) text += "accept-encoding: identity\r\n";
  if (!names.has("user-agent")) text += `user-agent: turnpike/${version}\r\n`;
  return { text, hasHost: names.has("host"), isAscii: ascii.test(text) };
}

/** A provider sends the same headers with most of its requests: those that cannot change are checked and written once. */
const known = new WeakMap<Headers, HeaderLines>();

function knownLinesOf(headers: Headers): HeaderLines {
  const found = known.get(headers);
  if (found !== undefined) return found;
  const lines = linesOf(headers);
  if (Object.isFrozen(headers)) known.set(headers, lines);
  return lines;
}

interface HeadOptions {
  readonly method: string;
  readonly headers: Headers;
  /** Null if the request has no body. */
  readonly bodyBytes: number | null;
}

/** As text if it is ASCII, otherwise as bytes: one character of a header is one byte. */
export function headOf({ address, path }: Target, { method, headers, bodyBytes }: HeadOptions): string | Uint8Array {
  const { text, hasHost, isAscii } = knownLinesOf(headers);
  const host = hasHost ? "" : `host: ${address.host}\r\n`;
  const length = bodyBytes === null ? "" : `content-length: ${bodyBytes}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\n${host}${text}${length}\r\n`;
  return isAscii ? head : Buffer.from(head, "latin1");
}
