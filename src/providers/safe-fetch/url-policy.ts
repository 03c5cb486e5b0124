// Which URLs are fetched at all, by their text alone: the scheme, the host, the port, and nothing that hides in them.
import { plainAddress } from "./address.ts";

/** Where a URL leads, as parsed once: what is checked is what is connected to. */
export interface ParsedUrl {
  readonly url: URL;
  /** In small letters, without brackets and without a dot at the end. */
  readonly hostname: string;
  /** The host where it is an address already, as `plainAddress` spells it. */
  readonly address: string | null;
  readonly port: number;
}

export type UrlFault = "malformed" | "tooLong" | "scheme" | "credentials";

/** Ports that need no leave of the operator's. */
export const usualPorts: readonly number[] = [80, 443];

/** What a person writes; servers sign theirs at greater length. */
export const longestGiven = 2_048;
export const longestSigned = 8_192;

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Names as they stand in DNS. The URL parser lets more through than any server answers to. */
const name = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const longestName = 253;

const isName = (hostname: string): boolean => hostname.length <= longestName && name.test(hostname);

/**
 * The host of a parsed URL without brackets and without the dot of the root; null for what cannot be looked up. The
 * parser has undone percent signs, full-width letters and every numeric spelling of IPv4 by then.
 */
export function hostnameOf(url: URL): string | null {
  const hostname = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return plainAddress(hostname) !== null || isName(hostname) ? hostname : null;
}

/** Reads a URL, relative to `base` where one is given. */
export function parseUrl(text: string, longest: number, base?: URL): ParsedUrl | UrlFault {
  if (text.length > longest) return "tooLong";
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : null;
  if (url === null) return "malformed";
  const port = defaultPorts[url.protocol];
  if (port === undefined) return "scheme";
  if (url.username !== "" || url.password !== "") return "credentials";
  const hostname = hostnameOf(url);
  if (hostname === null) return "malformed";
  if (url.hostname.endsWith(".")) url.hostname = hostname;
  return { url, hostname, address: plainAddress(hostname), port: url.port === "" ? port : Number(url.port) };
}
