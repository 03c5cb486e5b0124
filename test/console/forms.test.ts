// Forms of the console: their rules are those of the admin API, and what these forbid is explained before it is sent.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { formRules as written } from "../../console/src/data/form-rules.ts";
import { type FieldRule, ruleFault } from "../../console/src/data/rules.ts";
import { formRules } from "../../scripts/form-rules.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { type ConsoleSetting, signedIn, startConsole } from "./setting.ts";

const isBuilt = existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

test("the rules of forms are what the schemas of the admin API say (npm run docs writes them)", () => {
  expect(JSON.parse(JSON.stringify(written))).toEqual(formRules());
  expect(written.serviceTokens.scopes.enum).toContain("requests:write");
});

const whole: FieldRule = { isWhole: true, minimum: 0, maximum: 10 };
test.each<[FieldRule, string, string | undefined]>([
  [{ isRequired: true }, " ", "Enter a value."],
  [{ minLength: 2 }, "", undefined],
  [{ minLength: 2 }, "a", "Must have at least 2 characters."],
  [{ maxLength: 2 }, "abc", "Must have at most 2 characters."],
  [{ maxLength: 2 }, " ab ", undefined],
  [whole, "-1", "Must be at least 0."],
  [whole, "11", "Must be at most 10."],
  [whole, "1.5", "Must be a whole number."],
  [whole, "many", "Must be a whole number."],
  [whole, "10", undefined],
  [{ pattern: "^\\d+$" }, "x", "This value is not valid."],
  [{ enum: ["a"] }, "b", "This value is not valid."],
])("%j and the value %j: %p", (rule, value, fault) => {
  expect(ruleFault(rule, value)).toBe(fault);
});

describe.skipIf(!hasBrowser || !isBuilt)("in Chromium (skipped: no Chromium, or the console is not built)", () => {
  let setting: ConsoleSetting;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    [setting, browser] = await Promise.all([startConsole(), openBrowser()]);
    ({ page } = await signedIn(browser, setting.running.url, { width: 1440, scheme: "light" }));
  });
  afterAll(async () => {
    await browser.close();
    await setting.running.stop();
  });

  test("a limit out of bounds is explained at its field and nothing is sent until it is corrected", async () => {
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/admin/api/keys")) sent.push(request.url());
    });
    await page.goto(`${setting.running.url}/console/keys`);
    await page.getByRole("button", { name: "Create key" }).first().click();
    const form = page.getByRole("dialog", { name: "Create key" });
    const limit = form.getByLabel("Requests per minute");
    await form.getByLabel("Name", { exact: true }).fill("bounded");
    await limit.fill("-1");
    await form.getByRole("button", { name: "Create key" }).click();
    await form.getByText("Must be at least 0.").waitFor();
    const folder = process.env["TURNPIKE_TEST_SCREENSHOTS"];
    for (const width of folder === undefined ? [] : [360, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${folder}/forms-${width}.png` });
    }
    expect([await limit.inputValue(), await limit.getAttribute("aria-invalid")]).toEqual(["-1", "true"]);
    expect(sent).toEqual([]);
    await limit.fill("5");
    await form.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog", { name: "Copy the key now" }).waitFor();
    expect(sent.length).toBe(1);
  });
});
