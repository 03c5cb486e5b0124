// Sets of IP addresses and ranges, such as `10.0.0.0/8`.
import { BlockList, isIP } from "node:net";

type Family = "ipv4" | "ipv6";

/** An IPv4 address inside IPv6, as dual-stack sockets report it, is the same address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");

const familyOf = (address: string): Family | null => {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? "ipv4" : "ipv6";
};

interface Range {
  readonly address: string;
  readonly family: Family;
  readonly prefix: number;
}

function rangeOf(text: string): Range | null {
  const [base = "", prefixText, ...more] = text.split("/");
  const address = plain(base);
  const family = familyOf(address);
  if (family === null || more.length > 0) return null;
  const longest = family === "ipv4" ? 32 : 128;
  if (prefixText === undefined) return { address, family, prefix: longest };
  const prefix = Number(prefixText);
  return /^\d{1,3}$/.test(prefixText) && prefix <= longest ? { address, family, prefix } : null;
}

/** Whether a text is an address, or a range as `address/prefix`. */
export const isAddressRange = (text: string): boolean => rangeOf(text) !== null;

/**
 * Tests whether an address is in one of the ranges; an invalid address is in none. Throws an Error for an invalid
 * range.
 */
export function addressSet(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of ranges) {
    const range = rangeOf(text);
    if (range === null) throw new Error(`'${text}' is not an address or a range.`);
    list.addSubnet(range.address, range.prefix, range.family);
  }
  return (text) => {
    const address = plain(text);
    const family = familyOf(address);
    return family !== null && list.check(address, family);
  };
}
