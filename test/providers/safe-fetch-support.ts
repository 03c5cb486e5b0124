// What the tests of the guarded fetcher share: a DNS that says what it is told, and the fault that a fetch ends with.
import { GatewayError } from "../../src/canonical/error.ts";
import { type Fetched, type SafeFetchOptions, safeFetch } from "../../src/providers/safe-fetch/index.ts";
import type { Dns } from "../../src/providers/safe-fetch/resolver.ts";
import type { Reply } from "../support/upstream.ts";

export const nowhere = "The URL points to a host that this gateway is not allowed to fetch.";

/** Answers from this table, the answers of a name one after the other, the last one again and again; remembers what it was asked. */
export function scriptedDns(table: Record<string, string[][]>): Dns & { requested: string[] } {
  const requested: string[] = [];
  const dns = async (hostname: string): Promise<string[]> => {
    requested.push(hostname);
    const answers = table[hostname] ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) throw new Error(`ENOTFOUND ${hostname}`);
    return answer;
  };
  return Object.assign(dns, { requested });
}

const noDns: Dns = () => Promise.reject(new Error("ENOTFOUND"));

/** What a client's URL is fetched with, unless a test says otherwise. */
export function options(own: Partial<SafeFetchOptions> = {}): SafeFetchOptions {
  const bounds = { maxBytes: 1_000_000, timeoutMs: 2_000, signal: new AbortController().signal };
  return { givenBy: "client", param: "image_url", ...bounds, dns: noDns, ...own };
}

export const fetchWith = (url: string, own: Partial<SafeFetchOptions> = {}): Promise<Fetched> =>
  safeFetch(url, options(own));

export async function textOf(work: Promise<Fetched>): Promise<string> {
  return new TextDecoder().decode((await work).bytes);
}

/** A redirect. */
export const to = (location: string, status = 302): Reply => ({ status, headers: { location }, text: "moved" });

/** The error that this ends with. */
export async function faultOf(work: Promise<unknown>): Promise<GatewayError> {
  const thrown = await work.then(
    (value) => new Error(`it was answered: ${JSON.stringify(value)?.slice(0, 100)}`),
    (reason: unknown) => reason,
  );
  if (thrown instanceof GatewayError) return thrown;
  throw thrown;
}

/** A port of the loopback that nobody may reach; counts who did. */
export function trap(hostname = "127.0.0.1"): { port: number; caught(): number; stop(): void } {
  let caught = 0;
  const socket = {
    open: () => void caught++,
    data: (peer: { end(text: string): unknown }) => void peer.end("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"),
  };
  const server = Bun.listen({ hostname, port: 0, socket });
  return { port: server.port, caught: () => caught, stop: () => server.stop(true) };
}
