// From a host to the addresses that a connection may go to: every answer of DNS is checked, and only checked addresses are used.
import { plainAddress } from "./address.ts";
import type { Allowed } from "./allowlist.ts";
import type { ParsedUrl } from "./url-policy.ts";

/** All addresses of a host. Rejects where there are none. */
export type Dns = (hostname: string) => Promise<readonly string[]>;

/** IPv4 first: where one family does not work, it is the other. */
const byFamily = (left: string, right: string): number => Number(left.includes(":")) - Number(right.includes(":"));

/**
 * The addresses to try in turn; whoever connects to one of them has to use it as it is, for a second look into DNS may
 * find another. Rejects where the host has no address, or one to which no connection may go: one bad answer spoils all.
 */
export async function resolvePinned(place: ParsedUrl, allowed: Allowed, dns: Dns): Promise<readonly string[]> {
  const answers = place.address === null ? await dns(place.hostname) : [place.address];
  const addresses = answers.map((answer) => {
    const address = plainAddress(answer);
    if (address === null || !allowed.admits(place, address))
      throw new Error(`${place.hostname} has address ${answer}.`);
    return address;
  });
  if (addresses.length === 0) throw new Error(`${place.hostname} has no address.`);
  return [...new Set(addresses)].sort(byFamily);
}
