// The overview in Chromium: five questions, each answered within one click; its chart, its table and its checklist.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { admin, type ConsoleSetting, chat, signedIn, startConsole } from "./setting.ts";

const canRun = hasBrowser && existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

describe.skipIf(!canRun)("the overview in Chromium (skipped: no Chromium, or the console is not built)", () => {
  let setting: ConsoleSetting;
  let browser: Browser;
  let page: Page;
  let problems: readonly string[];
  beforeAll(async () => {
    [setting, browser] = await Promise.all([startConsole(), openBrowser()]);
    const { url } = setting.running;
    const budget = (amount: string) => ({ rules: { budgets: [{ amount, period: "month" }] } });
    const { id, secret } = await admin(url, "keys", { name: "spender", ...budget("1") });
    await chat(url, "sandbox/chat", String(secret));
    await admin(url, `keys/${id}`, budget("0.0001"), "PATCH");
    ({ page, problems } = await signedIn(browser, url, { width: 1440, scheme: "light" }));
  });
  afterAll(async () => {
    await browser.close();
    await setting.running.stop();
  });
  const home = async () => {
    await page.goto(`${setting.running.url}/console`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  };
  const attention = () => page.getByRole("region", { name: "Needs attention" });

  test("what did today cost", async () => {
    const figure = page.locator("dl > div", { hasText: "Cost" });
    expect(await figure.locator("dd").textContent()).toMatch(/^\$0\.000\d+$/);
  });

  test("what failed last", async () => {
    await home();
    await attention().getByRole("link", { name: "Last failure" }).click();
    await page
      .getByRole("dialog", { name: "Request" })
      .getByText(/failed, 502/)
      .waitFor();
  });

  test("where is the request with this id", async () => {
    await home();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /request ID/ }).fill(setting.succeeded);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Request" }).waitFor();
  });

  test("how is a client connected", async () => {
    await home();
    await page.getByRole("link", { name: "Connect a client" }).click();
    const drawer = page.getByRole("dialog", { name: "Connect a client" });
    expect(await drawer.locator("pre").textContent()).toContain(setting.running.url);
  });

  test("who is over budget", async () => {
    await home();
    await attention()
      .getByText(/% of \$0\.0001 of the month is used\. It is spent\./)
      .waitFor();
    await attention().getByRole("link", { name: "spender" }).click();
    await page.getByRole("dialog", { name: "spender" }).waitFor();
  });

  test("the chart shows another metric by group, has a table, and is in the URL", async () => {
    await home();
    await page.getByLabel("Show", { exact: true }).selectOption("money");
    await page.getByLabel("Split").selectOption("model");
    await page.getByRole("heading", { name: "Money over time, by model" }).waitFor();
    await page.getByText("sandbox/chat has the most:").waitFor();
    await page.getByRole("button", { name: "Show as table" }).click();
    await page.getByRole("columnheader", { name: "smart" }).waitFor();
    expect(new URL(page.url()).search).toContain("show=money&split=model");
  });

  test("the table has latency, cache hit and margin of each group", async () => {
    await home();
    const table = page.getByRole("table", { name: "By model" });
    for (const name of ["p50", "p99", "Cache hit", "Margin"]) await table.getByRole("columnheader", { name }).waitFor();
    await page.getByLabel("Group by").selectOption("key");
    await page.getByRole("table", { name: "By key" }).getByText("reports").waitFor();
  });

  test("the first steps tick themselves", async () => {
    await home();
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByRole("listitem").filter({ hasText: "Set a budget" }).getByText("done").waitFor();
    await steps.getByRole("listitem").filter({ hasText: "Configure a provider" }).getByText("to do").waitFor();
    const config = { kind: "compatible", base_url: "http://127.0.0.1:9/v1", models: ["m"] };
    await admin(setting.running.url, "providers", { id: "mine", config, credentials: [] });
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("table", { name: "By model" }).waitFor();
    await steps.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });
});
