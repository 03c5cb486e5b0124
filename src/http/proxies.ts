// The client of a request: the socket's address or, behind trusted proxies, the one in X-Forwarded-For, and the scheme
// in -Proto.
import { addressSet } from "../lib/address-set.ts";

/** The peer address of a request's socket; null if there is none. */
export type SocketAddress = (request: Request) => string | null;

export interface Proxies {
  /** The client's address; empty if unknown. */
  clientAddress(request: Request): string;
  /** The scheme by which the client reached the outermost trusted proxy. */
  scheme(request: Request): "http" | "https";
}

/** Proxies may add a port, and write IPv6 in brackets. */
const withoutPort = (entry: string): string => entry.replace(/^\[([^\]]*)\](?::\d+)?$|^([^:]+):\d+$/, "$1$2");

const entriesOf = (header: string | null): string[] => (header ?? "").split(",").map((entry) => entry.trim());

/** `trusted` are the networks whose headers are used; other peers may write anything into them. */
export function createProxies(socketAddress: SocketAddress, trusted: readonly string[]): Proxies {
  const isTrusted = addressSet(trusted);
  const isProxied = (request: Request): boolean => trusted.length > 0 && isTrusted(socketAddress(request) ?? "");
  return {
    clientAddress(request) {
      const peer = socketAddress(request) ?? "";
      const header = request.headers.get("x-forwarded-for");
      if (header === null || !isProxied(request)) return peer;
      // Each proxy appends the address of its own peer: entries to the left of the first untrusted one are not
      // reliable.
      const path = entriesOf(header).map(withoutPort);
      return path.findLast((address) => !isTrusted(address)) ?? path[0] ?? peer;
    },
    scheme(request) {
      const header = request.headers.get("x-forwarded-proto");
      if (header === null || !isProxied(request)) return "http";
      return entriesOf(header).at(-1)?.toLowerCase() === "https" ? "https" : "http";
    },
  };
}
