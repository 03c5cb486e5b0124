// The built executable in a headless Chromium: every place of the console, and the documentation, at two widths.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { axePath } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { clientKey, spawnGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { type ConsoleSetting, signedIn, startConsole, type View } from "./setting.ts";

const repository = join(import.meta.dir, "..", "..");
const canRun = hasBrowser && existsSync(axePath);

/** Something of each place that is only there once its data has arrived. */
const contents: Readonly<Record<string, RegExp>> = {
  Overview: /Last failure/,
  Requests: /broken/,
  Playground: /Client format/,
  Providers: /sandbox/,
  Models: /smart/,
  "Keys and budgets": /nightly/,
  Settings: /breaker_failures|TURNPIKE/,
};

describe.skipIf(!canRun)("the executable in Chromium (skipped: no Chromium, or no development dependencies)", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-executable-"));
  const executable = join(folder, "turnpike");
  let setting: ConsoleSetting;
  let browser: Browser;
  beforeAll(async () => {
    const build = [process.execPath, "scripts/build.ts", executable];
    const child = Bun.spawn(build, { cwd: repository, stdout: "ignore", stderr: "pipe" });
    expect([await child.exited, await child.stderr.text()]).toMatchObject([0, expect.anything()]);
    [setting, browser] = await Promise.all([startConsole(executable), openBrowser()]);
  }, 240_000);
  afterAll(async () => {
    await browser.close();
    await setting.running.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const isTooWide = (page: Page) => page.evaluate("document.documentElement.scrollWidth > innerWidth");
  const views: readonly View[] = [
    { width: 1440, scheme: "light" },
    { width: 360, scheme: "dark" },
  ];

  test.each(views.map((view) => [view.width, view] as const))("every page at %d pixels", async (_width, view) => {
    const { page, problems, close } = await signedIn(browser, setting.running.url, view);
    const faults: string[] = [];
    const check = async (name: string) => void ((await isTooWide(page)) && faults.push(`${name} is too wide`));
    const rail = page.getByRole("navigation", { name: "Places" }).getByRole("link");
    const places = await rail.evaluateAll((links) => links.map((link) => link.getAttribute("aria-label") ?? ""));
    expect(places).toEqual(expect.arrayContaining(Object.keys(contents)));
    for (const place of places) {
      await rail.and(page.getByRole("link", { name: place, exact: true })).click();
      await page.getByRole("heading", { level: 1, name: place }).waitFor();
      await page
        .getByRole("main")
        .getByText(contents[place] ?? /./)
        .filter({ visible: true })
        .first()
        .waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      faults.push(...(await page.getByRole("alert").allTextContents()).map((text) => `${place}: ${text}`));
      await check(place);
    }
    await page.goto(`${setting.running.url}/docs?key=${clientKey}`);
    await page.getByText("/v1/chat/completions", { exact: true }).click();
    await page.getByRole("button", { name: "Send" }).click();
    await page
      .getByRole("status")
      .getByText(/^200 req_/)
      .waitFor();
    await check("an operation");
    await page.getByLabel("Search").fill("breaker_failures");
    await page.getByRole("link", { name: "Configuration Limits" }).click();
    await page.getByRole("heading", { name: "Limits", exact: true }).waitFor();
    await check("a guide");
    expect([...problems, ...faults]).toEqual([]);
    await close();
  });

  test("with TURNPIKE_ADMIN_PORT the console is only on that listener, with the documents of the admin API", async () => {
    const running = await spawnGateway({ executable, environment: { TURNPIKE_ADMIN_PORT: "0" } });
    const address = () => /admin API is listening on (http:\S+:\d+)/.exec(running.lines.join("\n"))?.[1];
    const url = await until("the address of the admin API", address);
    expect((await fetch(`${running.url}/console`)).status).toBe(404);
    const { page, problems, close } = await signedIn(browser, url, { width: 1440, scheme: "light" });
    await page.goto(`${url}/docs`);
    await page.getByText("/admin/api/keys", { exact: true }).first().click();
    await page.getByRole("heading", { level: 1, name: "GET /admin/api/keys" }).waitFor();
    expect(problems).toEqual([]);
    await close();
    await running.stop();
  });
});
