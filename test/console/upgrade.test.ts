// Pages behind a proxy with a path prefix, in a browser that stays open while the gateway is upgraded.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { clientKey, gateway, type RunningGateway } from "../support/gateway.ts";
import { type Front, startFront } from "./front.ts";
import { go, signedIn } from "./setting.ts";

const canRun = hasBrowser && existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));
const view = { width: 1440, scheme: "light" } as const;

describe.skipIf(!canRun)("behind a proxy in Chromium (skipped: no Chromium, or the pages are not built)", () => {
  let running: RunningGateway;
  let browser: Browser;
  let front: Front;
  beforeAll(async () => {
    [running, browser] = await Promise.all([gateway(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
  });

  /** A front of its own for each test, and how often its page was loaded. */
  async function behind(visit: (page: Page, loads: () => number) => Promise<void>): Promise<void> {
    front = startFront(running.url);
    const { page, problems, close } = await signedIn(browser, front.url, view);
    let count = 0;
    page.on("load", () => void count++);
    await visit(page, () => count);
    expect(problems.filter((problem) => !/dynamically imported|A part of this page/.test(problem))).toEqual([]);
    await close();
    await front.stop();
  }

  test("a page that is opened after an upgrade is loaded again once, and works", () =>
    behind(async (page, loads) => {
      await go(page, "Providers");
      front.upgrade("second");
      await page.getByRole("link", { name: "Models" }).click();
      await page.getByRole("button", { name: "sandbox/chat" }).first().waitFor();
      expect([loads(), new URL(page.url()).pathname]).toEqual([1, "/tools/ai/console/models"]);
      await go(page, "Settings");
      expect(loads()).toBe(1);
      front.upgrade("third");
      await page.getByRole("link", { name: "Playground" }).click();
      await page.getByLabel("Client format").waitFor();
      expect(loads()).toBe(2);
    }));

  test("a file that stays away ends in an error with a button, not in a loop", () =>
    behind(async (page, loads) => {
      front.upgrade("second");
      front.lose("models");
      await page.getByRole("link", { name: "Models" }).click();
      await page.getByRole("alert").getByText("A part of this page could not be loaded.").waitFor();
      // Once from the first build, and once from the second.
      expect(loads()).toBe(2);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("alert").getByText("A part of this page could not be loaded.").waitFor();
      expect(loads()).toBe(3);
    }));

  test("deep links of the console and of the documentation work under the prefix", () =>
    behind(async (page) => {
      await page.goto(`${front.url}/console/keys?tab=budgets`);
      await page.getByRole("heading", { level: 1, name: "Keys and budgets" }).waitFor();
      await page.goto(`${front.url}/docs/guides/routing`);
      await page.getByRole("heading", { level: 1, name: "Routing" }).waitFor();
      front.upgrade("second");
      await page.getByRole("navigation").getByRole("link", { name: "Deployment" }).click();
      await page.getByRole("heading", { level: 1, name: "Deployment" }).waitFor();
      await page.goto(`${front.url}/docs/api/createEmbedding?key=${clientKey}`);
      await page.getByText(`${front.url}/v1/embeddings`).first().waitFor();
      await page.getByRole("button", { name: "Send" }).click();
      await page
        .getByRole("status")
        .getByText(/^200 req_/)
        .waitFor();
    }));
});
