// A headless Chromium for tests of pages; tests that need one are skipped where there is none.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The headless build first: it computes a third less. */
const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const executablePath = names.map((name) => `/usr/bin/${name}`).find(existsSync);

export const hasBrowser = executablePath !== undefined;

/** Without the background traffic that a browser makes on its own. */
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];

export function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error("there is no Chromium on this machine");
  return chromium.launch({ executablePath, args: [...quiet, "--disable-component-update", "--disable-sync"] });
}
