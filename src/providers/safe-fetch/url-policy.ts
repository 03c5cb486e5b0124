// Which URLs may be fetched, by their text and by the addresses of their hosts: open, closed unless the operator allows
// it, or never.
import { BlockList, isIP } from "node:net";

/** The operator may allow `closed`, but not `never`. */
type AddressClass = "open" | "closed" | "never";

type Row = readonly [range: string, standing: Exclude<AddressClass, "open">];

/** IANA's special-purpose registry, and the metadata addresses of clouds. Other addresses are open. */
const ranges4: readonly Row[] = [
  ["0.0.0.0/8", "never"], // "this network": many systems connect to themselves
  ["10.0.0.0/8", "closed"],
  ["100.64.0.0/10", "closed"], // carrier-grade NAT
  ["100.100.100.200/32", "never"], // metadata of Alibaba Cloud
  ["127.0.0.0/8", "closed"],
  ["168.63.129.16/32", "never"], // Azure's own host, though the address looks public
  ["169.254.0.0/16", "never"], // link-local; metadata of nearly every cloud
  ["172.16.0.0/12", "closed"],
  ["192.0.0.0/24", "never"], // protocol assignments; metadata of Oracle Cloud
  ["192.0.2.0/24", "closed"],
  ["192.88.99.0/24", "never"], // 6to4 relays
  ["192.168.0.0/16", "closed"],
  ["198.18.0.0/15", "closed"],
  ["198.51.100.0/24", "closed"],
  ["203.0.113.0/24", "closed"],
  ["224.0.0.0/4", "never"], // multicast
  ["240.0.0.0/4", "never"], // reserved, and broadcast
];

/**
 * Only 2000::/3 is allocated, so everything else is `never` without a row: NAT64, IPv4-compatible, link-local,
 * multicast.
 */
const given6 = "2000::/3";
const ranges6: readonly Row[] = [
  ["::1/128", "closed"],
  ["2001::/23", "never"], // Teredo and other tunnels, which contain another address
  ["2001:db8::/32", "closed"],
  ["2002::/16", "never"], // 6to4, which contains another address
  ["3fff::/20", "closed"],
  ["fc00::/7", "closed"],
  ["fd00:42::42/128", "never"], // metadata of Scaleway
  ["fd00:ec2::/32", "never"], // metadata of Amazon
  ["fd20:ce::254/128", "never"], // metadata of Google Cloud
  ["fec0::/10", "closed"],
];

type Family = "ipv4" | "ipv6";

export const familyOf = (address: string): Family => (address.includes(":") ? "ipv6" : "ipv4");

function listed(rows: readonly string[]): BlockList {
  const list = new BlockList();
  for (const row of rows) {
    const [base = "", prefix] = row.split("/");
    list.addSubnet(base, Number(prefix), familyOf(base));
  }
  return list;
}

const rangesOf = (rows: readonly Row[], wanted: AddressClass): BlockList =>
  listed(rows.filter(([, standing]) => standing === wanted).map(([range]) => range));

// A list for each family, because in a single list IPv4 addresses would match ::ffff:0:0/96.
const never = { ipv4: rangesOf(ranges4, "never"), ipv6: rangesOf(ranges6, "never") };
const closed = { ipv4: rangesOf(ranges4, "closed"), ipv6: rangesOf(ranges6, "closed") };
const given = listed([given6]);

/** Two groups of sixteen bits as four bytes. */
function dotted(high: string, low: string): string {
  const bits = [high, low].map((group) => Number.parseInt(group, 16));
  return bits.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

/**
 * The normalized form of an address; an IPv4 address inside ::ffff:0:0/96 is extracted. Null for anything else, and
 * for an address with a zone: `BlockList` finds neither in any range, which must not mean that it is open.
 */
export function plainAddress(text: string): string | null {
  const version = isIP(text);
  if (version === 4) return text;
  if (version === 0 || text.includes("%")) return null;
  const plain = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(plain) ?? [];
  return high === undefined || low === undefined ? plain : dotted(high, low);
}

/** For an address as `plainAddress` returns it. */
export function addressClassOf(address: string): AddressClass {
  const family = familyOf(address);
  if (never[family].check(address, family)) return "never";
  if (closed[family].check(address, family)) return "closed";
  return family === "ipv4" || given.check(address, family) ? "open" : "never";
}

/** The target of a URL, parsed once, so that the checked target is the one connected to. */
export interface ParsedUrl {
  readonly url: URL;
  /** In lower case, without brackets and without a trailing dot. */
  readonly hostname: string;
  /** The host if it is an address, as `plainAddress` returns it. */
  readonly address: string | null;
  readonly port: number;
}

export type UrlFault = "malformed" | "tooLong" | "scheme" | "credentials";

/** Ports that the operator need not allow. */
export const usualPorts: readonly number[] = [80, 443];

/** Enough for URLs of users; URLs signed by servers may be longer. */
export const longestGiven = 2_048;
export const longestSigned = 8_192;

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Names as in DNS. The URL parser accepts more than that. */
const name = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const longestName = 253;

const isName = (hostname: string): boolean => hostname.length <= longestName && name.test(hostname);

/**
 * The host of a parsed URL without brackets and without the root dot; null for what cannot be resolved. The parser has
 * already normalized percent escapes, full-width letters and every numeric form of IPv4.
 */
export function hostnameOf(url: URL): string | null {
  const hostname = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return plainAddress(hostname) !== null || isName(hostname) ? hostname : null;
}

/** Parses a URL, relative to `base` if it is given. */
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
