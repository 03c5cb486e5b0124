// Who a request really comes from: the socket's address, and behind trusted proxies what they say in X-Forwarded-For and -Proto.
import { addressSet } from "../lib/address-set.ts";

/** The address at the other end of a request's socket; null where there is none. */
export type SocketAddress = (request: Request) => string | null;

export interface Proxies {
  /** The client's address; empty where it is not known. */
  clientAddress(request: Request): string;
  /** How the client has reached the outermost trusted proxy. */
  scheme(request: Request): "http" | "https";
}

/** Proxies may add a port, and write IPv6 in brackets. */
const withoutPort = (entry: string): string => entry.replace(/^\[([^\]]*)\](?::\d+)?$|^([^:]+):\d+$/, "$1$2");

const entriesOf = (header: string | null): string[] => (header ?? "").split(",").map((entry) => entry.trim());

/** `trusted` are the networks whose headers are believed; other peers may write what they want. */
export function createProxies(socketAddress: SocketAddress, trusted: readonly string[]): Proxies {
  const isTrusted = addressSet(trusted);
  const isProxied = (request: Request): boolean => trusted.length > 0 && isTrusted(socketAddress(request) ?? "");
  return {
    clientAddress(request) {
      const peer = socketAddress(request) ?? "";
      const header = request.headers.get("x-forwarded-for");
      if (header === null || !isProxied(request)) return peer;
      // Each proxy adds the address of its own peer at the end: what is left of the first that is not trusted is hearsay.
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
