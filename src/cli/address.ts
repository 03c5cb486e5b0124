// The URL of the gateway on its own machine.
import type { Settings } from "../config/environment.ts";

const everyAddress = new Set(["0.0.0.0", "::"]);

/** The listener's address; the loopback address if it listens on all addresses. */
export function localAddress({ host, port }: Pick<Settings, "host" | "port">): string {
  const name = everyAddress.has(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
