// The operator's allowlist: hosts, addresses and ranges that may be fetched although they are private or use another
// port.
import { BlockList } from "node:net";
import { addressClassOf, familyOf, hostnameOf, type ParsedUrl, plainAddress, usualPorts } from "./url-policy.ts";

type Target = Pick<ParsedUrl, "hostname" | "port">;

export interface Allowed {
  /** Whether any entry names this port. */
  namesPort(port: number): boolean;
  /** Whether a connection to this address may be made for this host and port. */
  admits(target: Target, address: string): boolean;
}

interface Entry {
  /** Null: the default ports. */
  readonly port: number | null;
  matches(hostname: string, address: string): boolean;
}

/** `name`, `name:1`, `[::1]:1`; a range has its prefix inside the brackets. */
const shape = /^(?:\[([0-9a-f:./]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i;

type Matches = Entry["matches"];

function rangeMatches(base: string, prefixText: string): Matches | null {
  const address = plainAddress(base);
  const prefix = Number(prefixText);
  if (address === null || familyOf(address) !== familyOf(base) || !/^\d{1,3}$/.test(prefixText)) return null;
  const family = familyOf(address);
  if (prefix > (family === "ipv4" ? 32 : 128)) return null;
  const list = new BlockList();
  list.addSubnet(address, prefix, family);
  return (_, candidate) => list.check(candidate, family);
}

function hostMatches(text: string): Matches | null {
  if (!/^[^\s/?#@\\%]+$/.test(text)) return null;
  const address = plainAddress(text);
  if (address !== null) return (_, candidate) => candidate === address;
  const hostname = URL.canParse(`http://${text}`) ? hostnameOf(new URL(`http://${text}`)) : null;
  if (hostname === null) return null;
  const spelled = plainAddress(hostname);
  return spelled === null ? (requested) => requested === hostname : (_, candidate) => candidate === spelled;
}

function entryOf(text: string): Entry | null {
  const [bare = "", barePrefix] = text.split("/");
  const isBare = plainAddress(bare) !== null && familyOf(bare) === "ipv6";
  const [, bracketed, plain, portText] = (isBare ? null : shape.exec(text)) ?? [];
  const host = isBare ? text : (bracketed ?? plain);
  if (host === undefined) return null;
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  const [base = "", prefix = isBare ? barePrefix : undefined, ...more] = host.split("/");
  if (more.length > 0) return null;
  const matches = prefix === undefined ? hostMatches(base) : rangeMatches(base, prefix);
  return matches === null ? null : { port, matches };
}

/** Whether an entry is valid. */
export const isAllowEntry = (text: string): boolean => entryOf(text) !== null;

/** Throws an Error for an invalid entry; the configuration has already been validated at the start. */
export function readAllowed(texts: readonly string[]): Allowed {
  const entries = texts.map((text) => {
    const entry = entryOf(text);
    if (entry === null) throw new Error(`'${text}' is not a host, address or range.`);
    return entry;
  });
  const covers = ({ port: opened, matches }: Entry, { hostname, port }: Target, address: string): boolean =>
    (opened === null ? usualPorts.includes(port) : opened === port) && matches(hostname, address);
  return {
    namesPort: (port) => entries.some((entry) => entry.port === port),
    admits(target, address) {
      const standing = addressClassOf(address);
      if (standing === "never") return false;
      if (standing === "open" && usualPorts.includes(target.port)) return true;
      return entries.some((entry) => covers(entry, target, address));
    },
  };
}
