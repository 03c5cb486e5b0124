// Keys and projects in Chromium: rights, rotation, batches, unsaved forms, and the menu and widths of a table.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { axePath, seriousFaults } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { type ConsoleSetting, confirmByName, go, signedIn, startConsole } from "./setting.ts";

const canRun =
  hasBrowser && existsSync(axePath) && existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

describe.skipIf(!canRun)("keys in Chromium (skipped: no Chromium, or the console is not built)", () => {
  let setting: ConsoleSetting;
  let browser: Browser;
  let page: Page;
  let problems: readonly string[];
  beforeAll(async () => {
    [setting, browser] = await Promise.all([startConsole(), openBrowser()]);
    ({ page, problems } = await signedIn(browser, setting.running.url, { width: 1440, scheme: "light" }));
  });
  afterAll(async () => {
    await browser.close();
    await setting.running.stop();
  });
  const open = async (place = "") => {
    await page.goto(`${setting.running.url}/console/keys${place}`);
    await page.getByRole("heading", { level: 1, name: "Keys and budgets" }).waitFor();
  };
  const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
  const dialog = (name: string) => page.getByRole("dialog", { name });

  test("a key shows what it gets: rules, candidates of a model, or why it is refused", async () => {
    await go(page, "Keys and budgets");
    await page.getByRole("button", { name: "reports" }).click();
    const drawer = dialog("reports");
    await drawer.getByText("requests per minute: 600").waitFor();
    await drawer.getByText(/4 requests, 0 errors/).waitFor();
    await drawer.getByLabel("Model to try").fill("smart");
    await drawer.getByRole("listitem").filter({ hasText: "sandbox/chat" }).waitFor();
    await drawer.getByLabel("Allowed models").fill("other");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.getByText("Allowed models (key)").waitFor();
    await drawer
      .getByText(/may not use|not allowed/)
      .first()
      .waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  });

  test("a key is rotated, and the old secret is accepted for the time that was chosen", async () => {
    await open();
    await page.getByRole("button", { name: "nightly" }).click();
    await dialog("nightly").getByLabel("The old secret is accepted for").selectOption("86400");
    await dialog("nightly").getByRole("button", { name: "Rotate" }).click();
    await dialog("Copy the key now").locator("pre").getByText(/^tp-/).waitFor();
  });

  test("a secret that is refused at once is rotated only after the name of the key has been typed", async () => {
    await open();
    await page.getByRole("button", { name: "nightly" }).click();
    await dialog("nightly").getByLabel("The old secret is accepted for").selectOption("0");
    await confirmByName(page, { title: "Rotate nightly", label: "Rotate", field: "Name of the key", name: "nightly" });
    await dialog("Copy the key now").locator("pre").getByText(/^tp-/).waitFor();
  });

  test("several keys are created at once, and their secrets downloaded", async () => {
    await open();
    await page.getByRole("button", { name: "Create several" }).click();
    await dialog("Create several").getByLabel("Names, one per line").fill("one\ntwo");
    await dialog("Create several").getByRole("button", { name: "Create key" }).click();
    const loading = page.waitForEvent("download");
    await dialog("Copy the key now").getByRole("button", { name: "Download as CSV" }).click();
    const text = await Bun.file(await (await loading).path()).text();
    expect(text).toMatch(/^name,secret\n"one","tp-[^"]+"\n"two","tp-[^"]+"\n$/);
  });

  test("a form with unsaved changes is not closed without a question", async () => {
    await open();
    await page.getByRole("button", { name: "Create key" }).click();
    await dialog("Create key").getByLabel("Name", { exact: true }).fill("half");
    page.once("dialog", (question) => void question.dismiss());
    await page.keyboard.press("Escape");
    expect(await dialog("Create key").getByLabel("Name", { exact: true }).inputValue()).toBe("half");
    page.once("dialog", (question) => void question.accept());
    await page.keyboard.press("Escape");
    await dialog("Create key").waitFor({ state: "detached" });
  });

  test("a project has a default model and rules of new keys, and a fault is at its field", async () => {
    await open("?tab=projects");
    await page.getByRole("button", { name: "Create project" }).click();
    const form = dialog("Create project");
    await form.getByLabel("Name", { exact: true }).fill("team");
    await form.getByLabel("Default model").fill("smart");
    await form.getByRole("group", { name: "For new keys" }).getByLabel("Budget ($)").fill("many");
    await form.getByRole("button", { name: "Create project" }).click();
    await form.getByText(/This value is not valid\..*dollars/i).waitFor();
    await form.getByRole("group", { name: "For new keys" }).getByLabel("Budget ($)").fill("10");
    await form.getByRole("button", { name: "Create project" }).click();
    await row("team").getByText("smart").waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  });

  test("the keyboard opens the menu of a row and sets the width of a column, which is remembered", async () => {
    await open();
    await row("reports").focus();
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Copy ID" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("tr:focus", { hasText: "reports" }).waitFor();
    await page.keyboard.press("Enter");
    await dialog("reports").waitFor();
    await page.keyboard.press("Escape");
    const title = page.getByRole("columnheader", { name: "Project" });
    await title.getByRole("button").focus();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("Shift+ArrowRight");
    const wide = await title.evaluate((cell) => (cell as unknown as { style: { width: string } }).style.width);
    await open();
    expect(await title.evaluate((cell) => (cell as unknown as { style: { width: string } }).style.width)).toBe(wide);
    // The browser reports the refused project as well.
    expect(problems.filter((problem) => !problem.includes("status of 400"))).toEqual([]);
  });
});
