// Every dialog and drawer of the console in a headless Chromium, light and dark: axe finds nothing serious, and Escape
// closes it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { axePath, seriousFaults } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { type ConsoleSetting, signedIn, startConsole } from "./setting.ts";
import { enter, statesOf } from "./states.ts";

const isBuilt = existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

describe.skipIf(!hasBrowser || !isBuilt || !existsSync(axePath))(
  "dialogs in Chromium (skipped: it is not there)",
  () => {
    let setting: ConsoleSetting;
    let browser: Browser;
    beforeAll(async () => {
      [setting, browser] = await Promise.all([startConsole(), openBrowser()]);
    });
    afterAll(async () => {
      await browser.close();
      await setting.running.stop();
    });

    test.each(["light", "dark"] as const)("%s", async (scheme) => {
      const { page, problems, close } = await signedIn(browser, setting.running.url, { width: 1440, scheme });
      // Forms ask before what was typed is lost.
      page.on("dialog", (question) => void question.accept());
      const dialogs = statesOf(setting).filter(({ isDialog }) => isDialog);
      expect(dialogs.length).toBeGreaterThan(12);
      const faults: string[] = [];
      for (const state of dialogs) {
        await enter(page, setting.running.url, state);
        const dialog = page.getByRole("dialog");
        await dialog.waitFor();
        expect(await dialog.getAttribute("aria-labelledby")).not.toBeNull();
        faults.push(...(await seriousFaults(page)).map((fault) => `${state.name}: ${fault}`));
        // A question may stand above a drawer: each press closes one.
        const all = page.locator("[role=dialog]");
        for (let open = await all.count(); open > 0; open -= 1) {
          await page.keyboard.press("Escape");
          await all.nth(open - 1).waitFor({ state: "detached" });
        }
      }
      expect([...problems.filter((problem) => !problem.includes("status of 400")), ...faults]).toEqual([]);
      await close();
    });
  },
);
