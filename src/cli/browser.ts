// Opens a page in the browser of the person at this machine's terminal.
import type { Environment } from "../config/environment.ts";

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
  linux: ["xdg-open"],
};

/** Whether a person sees this machine's screen: not over SSH, not in a job, and with a display. */
export function canOpenBrowser(environment: Environment, platform: NodeJS.Platform = process.platform): boolean {
  const has = (name: string): boolean => Boolean(environment[name]);
  if (has("SSH_CONNECTION") || has("SSH_TTY") || has("CI") || environment["BROWSER"] === "none") return false;
  return openers[platform] !== undefined && (platform !== "linux" || has("DISPLAY") || has("WAYLAND_DISPLAY"));
}

/** Without a browser nothing happens: the link is printed as well. */
export function openBrowser(url: string): void {
  const [command, ...words] = openers[process.platform] ?? [];
  const found = command === undefined ? null : Bun.which(command);
  if (found !== null) Bun.spawn([found, ...words, url], { stdio: ["ignore", "ignore", "ignore"] }).unref();
}
