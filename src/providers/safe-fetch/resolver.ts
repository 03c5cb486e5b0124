// Resolves a host to allowed addresses without the system's thread pool, so that the connection uses exactly those that
// were checked.
import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { GatewayError } from "../../canonical/error.ts";
import type { Allowed } from "./allowlist.ts";
import type { ParsedUrl } from "./url-policy.ts";
import { plainAddress } from "./url-policy.ts";

interface ResolverOptions {
  /** They change while the gateway runs. */
  readonly limits: {
    /** For one name, including both families and all suffixes of a search list. */
    readonly lookupMs: number;
    /** Concurrent lookups of one key. */
    readonly maxLookupsPerKey: number;
  };
  /** Instead of the system's name servers: `address` or `address:port`. */
  readonly servers?: readonly string[];
}

/** Resolves names for one key. */
export type DnsFor = (owner: string) => Dns;

/** Error code of a lookup that no server answered; another attempt may succeed. */
export const unanswered = "EAI_AGAIN";

const hostsFile = "/etc/hosts";
const resolverFile = "/etc/resolv.conf";
/** For files that may change while the gateway runs. */
const freshMs = 5_000;
const defaultDots = 1;

function linesOf(file: string): string[][] {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    return lines.map((line) =>
      line
        .replace(/[#;].*/, "")
        .trim()
        .split(/\s+/),
    );
  } catch {
    // Without the file there are no entries.
    return [];
  }
}

interface Local {
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  readonly search: readonly string[];
  readonly dots: number;
}

function readLocal(): Local {
  const hosts = new Map<string, readonly string[]>([["localhost", ["127.0.0.1", "::1"]]]);
  const named = linesOf(hostsFile).flatMap(([address = "", ...names]) => names.map((name) => [name, address] as const));
  for (const name of new Set(named.map(([each]) => each)))
    hosts.set(
      name.toLowerCase(),
      named.filter(([each]) => each === name).map(([, address]) => address),
    );
  const settings = linesOf(resolverFile);
  const search = settings.findLast(([word]) => word === "search")?.slice(1) ?? [];
  const dots = settings.flatMap(([word, ...values]) => (word === "options" ? values : []));
  const set = dots.findLast((value) => value.startsWith("ndots:"))?.slice("ndots:".length);
  return { hosts, search, dots: set === undefined ? defaultDots : Number(set) };
}

/** The full names that a name may refer to, in the order of resolv.conf(5). */
function fullNames(name: string, { search, dots }: Local): string[] {
  const suffixed = search.map((suffix) => `${name}.${suffix}`);
  return name.split(".").length - 1 >= dots ? [name, ...suffixed] : [...suffixed, name];
}

const codeOf = (thrown: unknown): string =>
  typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "";

/** The name does not exist, or has no address of this family. */
const isAnswer = (thrown: unknown): boolean => /^(?:ENOTFOUND|ENODATA|EBADNAME)$/.test(codeOf(thrown));

function notAnswered(name: string): Error {
  return Object.assign(new Error(`The DNS lookup of ${name} timed out.`), { code: unanswered });
}

/** The addresses of one full name; none if it does not exist. Rejects if no server answered. */
async function addressesOf(resolver: Resolver, name: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length > 0) return found;
  if (answers.every((answer) => answer.status === "fulfilled" || isAnswer(answer.reason))) return [];
  throw notAnswered(name);
}

async function ask(name: string, local: Local, { limits, servers }: ResolverOptions): Promise<readonly string[]> {
  const { lookupMs: timeoutMs } = limits;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers([...servers]);
  // Cancels only the lookups of this resolver; the timeout above has a resolution of seconds.
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    for (const full of fullNames(name, local)) {
      const found = await addressesOf(resolver, full);
      if (found.length > 0) return found;
    }
    throw Object.assign(new Error(`${name} does not exist.`), { code: "ENOTFOUND" });
  } finally {
    clearTimeout(timer);
  }
}

/** Lookups that are limited in time, and in number per owner. Throws `concurrency_limit_exceeded` beyond it. */
export function createResolver(options: ResolverOptions): DnsFor {
  const inProgress = new Map<string, number>();
  let local: Local | null = null;
  let readMs = 0;
  const localNow = (): Local => {
    const nowMs = performance.now();
    if (local === null || nowMs - readMs > freshMs) {
      local = readLocal();
      readMs = nowMs;
    }
    return local;
  };
  return (owner) => async (hostname) => {
    const known = localNow();
    const own = known.hosts.get(hostname.toLowerCase());
    if (own !== undefined) return own;
    const count = inProgress.get(owner) ?? 0;
    if (count >= options.limits.maxLookupsPerKey)
      throw new GatewayError("concurrency_limit_exceeded", "Too many host names are being resolved for this key.");
    inProgress.set(owner, count + 1);
    try {
      return await ask(hostname, known, options);
    } finally {
      const left = (inProgress.get(owner) ?? 1) - 1;
      if (left === 0) inProgress.delete(owner);
      else inProgress.set(owner, left);
    }
  };
}

/** All addresses of a host. Rejects if there are none. */
export type Dns = (hostname: string) => Promise<readonly string[]>;

/** IPv4 first: if one family does not work, it is usually the other. */
const byFamily = (left: string, right: string): number => Number(left.includes(":")) - Number(right.includes(":"));

/**
 * The addresses to try in turn. A connection must use them directly, because a second lookup may return others.
 * Rejects if the host has no address, or any address that is not allowed.
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
