// The URL of the gateway on its own machine, and of its console.
import type { Settings } from "../config/environment.ts";
import { readConfigFile } from "../config/file.ts";

const everyAddress = new Set(["0.0.0.0", "::"]);

/** The listener's address; the loopback address if it listens on all addresses. */
export function localAddress({ host, port }: Pick<Settings, "host" | "port">): string {
  const name = everyAddress.has(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** The address in links to the console. */
export function consoleBase(settings: Settings, given: string | undefined): string {
  const own = localAddress(settings.adminListener ?? settings);
  return given ?? settings.publicUrl ?? readConfigFile(settings).config.public_url ?? own;
}
