// Makes a picture of each page and state of the console, in screenshots/, for someone to look at.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import "./console.ts";
import { go, signedIn, startConsole, views } from "../test/console/setting.ts";
import { openBrowser } from "../test/support/browser.ts";

const folder = join(import.meta.dir, "..", "screenshots");
mkdirSync(folder, { recursive: true });

const setting = await startConsole();
const browser = await openBrowser();

type Step = (page: Page) => Promise<unknown>;

const openRequest =
  (id: string): Step =>
  async (page) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /request ID/ }).fill(id);
    await page.getByRole("option", { name: /Open request/ }).click();
    await page.getByRole("heading", { name: "Waterfall" }).waitFor();
  };

const close: Step = async (page) => {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
};

const afterClosing =
  (step: Step): Step =>
  async (page) => {
    await close(page);
    await step(page);
  };

const steps: readonly (readonly [string, Step])[] = [
  ["overview", async () => undefined],
  ["requests", (page) => go(page, "Requests")],
  ["request", openRequest(setting.succeeded)],
  ["request-failed", afterClosing(openRequest(setting.failed))],
  [
    "requests-empty",
    async (page) => {
      await close(page);
      await page.getByLabel("Model", { exact: true }).fill("nothing");
      await page.getByText("No request matches").waitFor();
    },
  ],
  ["tasks", (page) => page.getByRole("tab", { name: "Tasks" }).click()],
  ["keys", (page) => go(page, "Keys and budgets")],
  ["keys-create", (page) => page.getByRole("button", { name: "Create key" }).click()],
  ["keys-connect", afterClosing((page) => page.getByRole("button", { name: "Connect" }).click())],
  ["key", afterClosing((page) => page.getByRole("button", { name: "reports" }).click())],
  ["providers", afterClosing((page) => go(page, "Providers"))],
  ["provider-add", (page) => page.getByRole("button", { name: "Add provider" }).first().click()],
  ["models", afterClosing((page) => go(page, "Models"))],
  ["prices", (page) => page.getByRole("tab", { name: "Prices" }).click()],
  ["settings", (page) => go(page, "Settings")],
  ["tokens", (page) => page.getByRole("tab", { name: "Service tokens" }).click()],
  ["audit", (page) => page.getByRole("tab", { name: "Audit log" }).click()],
  ["playground", (page) => go(page, "Playground")],
  ["palette", (page) => page.keyboard.press("Control+k")],
];

try {
  for (const view of views) {
    const { page, problems, close: leave } = await signedIn(browser, setting.running.url, view);
    for (const [name, step] of steps) {
      await step(page);
      await page.waitForLoadState("networkidle");
      await page.screenshot({ path: join(folder, `${name}-${view.width}-${view.scheme}.png`) });
    }
    await leave();
    for (const problem of problems) console.log(`${view.width} ${view.scheme}: ${problem}`);
  }
} finally {
  await browser.close();
  await setting.running.stop();
}
console.log(`The pictures are in ${folder}.`);
