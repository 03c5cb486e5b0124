// The address under which the gateway is reached from the machine that it runs on.
import type { Settings } from "../config/environment.ts";

const everyAddress = new Set(["0.0.0.0", "::"]);

/** Of the listener; one on all addresses is reached by the loopback. */
export function localAddress({ host, port }: Pick<Settings, "host" | "port">): string {
  const name = everyAddress.has(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
