// One request to one verified address, for the host of the URL.
import type { IncomingMessage } from "node:http";
import { firstHop } from "../../lib/hops.ts";
import type { ParsedUrl } from "./url-policy.ts";

/** The request body. */
export interface PostBody {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Connection {
  readonly place: ParsedUrl;
  /** Tried in turn until one accepts the connection. */
  readonly addresses: readonly string[];
  /** The requested range, as in `bytes=0-99`. */
  readonly range: string | undefined;
  readonly post: PostBody | undefined;
  /** PEM certificates to trust instead of those of the public authorities. */
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

/** Nothing was sent, so the next address may be tried. */
const notConnected = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
]);

const isNotConnected = (thrown: unknown): boolean =>
  typeof thrown === "object" && thrown !== null && "code" in thrown && notConnected.has(String(thrown.code));

/** Sends no cookies and no credentials. */
function headersOf({ place, range, post }: Connection): Record<string, string> {
  const base = {
    host: place.url.host,
    accept: "*/*",
    "accept-encoding": "identity",
    "user-agent": "turnpike",
    ...firstHop,
  };
  if (post !== undefined) return { ...base, ...post.headers, "content-length": String(Buffer.byteLength(post.body)) };
  return range === undefined ? base : { ...base, range };
}

/** Connects to the address, so that the name is not resolved again; the name is used to verify the certificate. */
function optionsOf(hop: Connection, address: string) {
  const { place, ca, post } = hop;
  const method = post === undefined ? "GET" : "POST";
  const path = `${place.url.pathname}${place.url.search}`;
  const base = { host: address, port: place.port, path, method, headers: headersOf(hop), agent: false };
  const named = place.address === null ? { servername: place.hostname } : {};
  return { ...base, ...named, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) } as const;
}

async function askOne(hop: Connection, address: string): Promise<IncomingMessage> {
  const { request: ask } = await (hop.place.url.protocol === "https:" ? import("node:https") : import("node:http"));
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = ask(optionsOf(hop, address));
  const giveUp = (): void => void request.destroy();
  hop.signal.addEventListener("abort", giveUp, { once: true });
  request.on("close", () => {
    hop.signal.removeEventListener("abort", giveUp);
    reject(hop.signal.aborted ? hop.signal.reason : new Error("The connection closed without a response."));
  });
  request.on("error", (thrown) => reject(hop.signal.aborted ? hop.signal.reason : thrown));
  request.on("response", resolve);
  request.end(hop.post?.body);
  return promise;
}

/** The head of the response; the caller must read or destroy it. Rejects with the signal's reason when aborted. */
export async function connect(hop: Connection): Promise<IncomingMessage> {
  let last: unknown;
  for (const address of hop.addresses) {
    hop.signal.throwIfAborted();
    try {
      return await askOne(hop, address);
    } catch (thrown) {
      if (!isNotConnected(thrown)) throw thrown;
      last = thrown;
    }
  }
  throw last;
}

/** Calls once after so many milliseconds; returns a function that cancels it. */
export type SetTimer = (call: () => void, afterMs: number) => () => void;

export const systemTimer: SetTimer = (call, afterMs) => {
  const timer = setTimeout(call, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
};

interface Deadline {
  readonly signal: AbortSignal;
  /** Removes the timer and the parent. */
  release(): void;
}

/** A timer and a listener per fetch: they are cheap compared with a fetch, and exact. */
export function withTimeout(
  parent: AbortSignal,
  timeoutMs: number,
  setTimer: SetTimer,
  expired: () => unknown,
): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  const takeBack = setTimer(() => controller.abort(expired()), timeoutMs);
  const release = (): void => {
    takeBack();
    parent.removeEventListener("abort", follow);
  };
  return { signal: controller.signal, release };
}
