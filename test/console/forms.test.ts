// Forms of the console: their rules are those of the admin API, and what these forbid is explained before it is sent.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page, Request } from "playwright-core";
import { formRules as written } from "../../console/src/data/form-rules.ts";
import { type FieldRule, ruleFault } from "../../console/src/data/rules.ts";
import { formRules } from "../../scripts/form-rules.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { picture } from "./looks.ts";
import { type ConsoleSetting, signedIn, startConsole } from "./setting.ts";

const isBuilt = existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

test("the rules of forms are what the schemas of the admin API say (npm run docs writes them)", () => {
  expect(JSON.parse(JSON.stringify(written))).toEqual(formRules());
  expect(written.serviceTokens.scopes.enum).toContain("requests:write");
});

test("every pattern is one that the attribute of an input accepts", () => {
  const patterns = Object.values(formRules()).flatMap((rules) =>
    Object.values(rules).flatMap((rule) => ("pattern" in rule ? [String(rule.pattern)] : [])),
  );
  expect(patterns.length).toBeGreaterThan(10);
  for (const pattern of patterns) expect(new RegExp(pattern, "v").flags).toBe("v");
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
  [{ isNumber: true, minimum: 0 }, "1.5", undefined],
  [{ isNumber: true, minimum: 0 }, "x", "Must be a number."],
  [{ isList: true, maxLength: 2 }, "ab, cd,", undefined],
  [{ isList: true, maxLength: 2 }, "ab, cde", "cde: Must have at most 2 characters."],
  [{ isList: true, isRequired: true }, " , ", "Enter a value."],
  [{ isList: true, separator: "\n", enum: ["a, b", "c"] }, "a, b\nc", undefined],
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

  interface Fault {
    readonly form: string;
    /** Where the form is, and what opens it. */
    readonly path: string;
    readonly open: string;
    /** What else is filled in, so that only one field is at fault. */
    readonly given: Readonly<Record<string, string>>;
    readonly field: string;
    readonly value: string;
    readonly says: string;
    readonly attributes: Readonly<Record<string, string>>;
  }

  const name = "1 to 64 letters, digits or . _ @ : -";
  const faults: readonly Fault[] = [
    {
      ...{ form: "Add provider", path: "providers", open: "Add provider" },
      given: { "API key 1": "sk-secret", Name: "own" },
      ...{ field: "requests per minute", value: "0", says: "Must be at least 1." },
      attributes: { type: "number", min: "1", max: "1000000000000", step: "1" },
    },
    {
      ...{ form: "Add provider", path: "providers", open: "Add provider", given: { "API key 1": "sk-secret" } },
      ...{ field: "Name", value: "-own", says: "up to 100 letters, digits" },
      attributes: { required: "", pattern: "^[A-Za-z0-9][\\w.\\-]{0,99}$" },
    },
    {
      ...{ form: "Add route", path: "models", open: "Add route" },
      given: { "Model name that clients use": "own", "Provider 1": "sandbox", "Model 1": "chat" },
      ...{ field: "Tier 1", value: "101", says: "Must be at most 100." },
      attributes: { type: "number", min: "1", max: "100" },
    },
    {
      ...{ form: "Add price", path: "models?tab=prices", open: "Add price", given: { Model: "chat" } },
      ...{ field: "Input, $ per million", value: "2,50", says: "Write US dollars, such as 2.50." },
      attributes: { pattern: "^\\d+(?:\\.\\d+)?$" },
    },
    {
      ...{ form: "Invite user", path: "settings?tab=users", open: "Invite user", given: {} },
      ...{ field: "Email", value: "nobody", says: "Must be an email address" },
      attributes: { type: "email", required: "", maxlength: "254" },
    },
    {
      ...{ form: "Create several", path: "keys", open: "Create several", given: {} },
      ...{
        field: "Names, one per line",
        value: "good\nnot good",
        says: `not good: This value is not valid. ${name}`,
      },
      attributes: { required: "" },
    },
    {
      ...{ form: "Create project", path: "keys?tab=projects", open: "Create project", given: {} },
      ...{ field: "Name", value: "", says: "Enter a value." },
      attributes: { required: "", maxlength: "64" },
    },
    {
      ...{ form: "Create token", path: "settings?tab=tokens", open: "Create token", given: {} },
      ...{ field: "Name", value: " ", says: "Enter a value." },
      attributes: { required: "", maxlength: "200" },
    },
  ];

  test.each(faults.map((fault) => [`${fault.form}: ${fault.field}`, fault] as const))(
    "%s is explained and not sent",
    async (title, { form: label, path, open, given, field, value, says, attributes }) => {
      const sent: string[] = [];
      const note = (request: Request): void => {
        if (request.method() !== "GET" && !request.url().endsWith("/effective")) sent.push(request.url());
      };
      await page.goto(`${setting.running.url}/console/${path}`);
      await page.getByRole("button", { name: open }).first().click();
      page.on("request", note);
      const form = page.getByRole("dialog", { name: label });
      const own = form.getByLabel(field, { exact: true });
      for (const [other, text] of Object.entries(given)) await form.getByLabel(other, { exact: true }).fill(text);
      await own.fill(value);
      await form.locator("button[type=submit]").click();
      await form.getByText(says).first().waitFor();
      expect(await own.getAttribute("aria-invalid")).toBe("true");
      const found = await Promise.all(
        Object.keys(attributes).map(async (each) => [each, await own.getAttribute(each)]),
      );
      expect(Object.fromEntries(found)).toEqual({ ...attributes });
      for (const width of [360, 1440] as const) {
        await page.setViewportSize({ width, height: 900 });
        await picture(page, `form ${title.replaceAll(/\W+/g, " ")} ${width}`);
      }
      expect(sent).toEqual([]);
      page.off("request", note);
      // What was typed is lost on purpose.
      await page.evaluate("document.querySelectorAll('form').forEach((form) => delete form.dataset.unsaved)");
    },
  );
});
