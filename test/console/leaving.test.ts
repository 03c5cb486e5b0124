// What the console asks before something is lost, in a headless Chromium: unsaved changes when a page is left, a key
// that is disabled in place of revoked, and the name of a token that is revoked.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { adminKey } from "../support/gateway.ts";
import { type ConsoleSetting, confirmByName, go, signedIn, startConsole } from "./setting.ts";

const isBuilt = existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

/** Answers the questions of the page in this order, and notes them. */
function answers(page: Page, ...replies: readonly ("stay" | "leave")[]): readonly string[] {
  const rest = [...replies];
  const questions: string[] = [];
  page.on("dialog", (question) => {
    questions.push(question.message());
    void (rest.shift() === "leave" ? question.accept() : question.dismiss());
  });
  return questions;
}

describe.skipIf(!hasBrowser || !isBuilt)("leaving in Chromium (skipped: it is not there)", () => {
  let setting: ConsoleSetting;
  let browser: Browser;
  beforeAll(async () => {
    [setting, browser] = await Promise.all([startConsole(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await setting.running.stop();
  });
  const signIn = () => signedIn(browser, setting.running.url, { width: 1440, scheme: "light" });

  test("a form with changes is asked about before the page goes back", async () => {
    const { page, close } = await signIn();
    const questions = answers(page, "stay", "leave");
    await go(page, "Requests");
    await go(page, "Keys and budgets");
    await page.getByRole("button", { name: "Create key" }).click();
    const form = page.getByRole("dialog", { name: "Create key" });
    await form.getByLabel("Name").fill("half-typed");
    await Promise.all([page.waitForEvent("dialog"), page.goBack()]);
    await page.waitForURL(/form=create/);
    expect(await form.getByLabel("Name").inputValue({ timeout: 10_000 })).toBe("half-typed");
    await Promise.all([page.waitForEvent("dialog"), page.goBack()]);
    await form.waitFor({ state: "hidden" });
    expect(questions).toEqual(Array(2).fill("What you typed is not saved. Close anyway?"));
    await close();
  });

  test("a form without changes is left without a question", async () => {
    const { page, close } = await signIn();
    const questions = answers(page, "stay");
    await go(page, "Keys and budgets");
    await page.getByRole("button", { name: "Create key" }).click();
    const form = page.getByRole("dialog", { name: "Create key" });
    await form.waitFor();
    await page.goBack();
    await form.waitFor({ state: "hidden" });
    expect(questions).toEqual([]);
    await close();
  });

  test("a key is disabled in place of revoked, and enabled again", async () => {
    const { page, close } = await signIn();
    await go(page, "Keys and budgets");
    await page.getByRole("button", { name: "reports" }).first().click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog", { name: "Revoke reports" }).getByRole("button", { name: "Disable instead" }).click();
    await drawer.getByRole("button", { name: "Enable", exact: true }).waitFor();
    const stateOf = async (): Promise<unknown> => {
      const answer = await fetch(`${setting.running.url}/admin/api/keys?limit=100`, {
        headers: { authorization: `Bearer ${adminKey}` },
      });
      const { data } = (await answer.json()) as { data: { name: string; state: string }[] };
      return data.find(({ name }) => name === "reports")?.state;
    };
    expect(await stateOf()).toBe("disabled");
    await drawer.getByRole("button", { name: "Enable", exact: true }).click();
    await drawer.getByRole("button", { name: "Disable", exact: true }).waitFor();
    expect(await stateOf()).toBe("active");
    await close();
  });

  test("a service token is revoked only after its name has been typed", async () => {
    const { page, close } = await signIn();
    await page.goto(`${setting.running.url}/console/settings?tab=tokens`);
    const made = await fetch(`${setting.running.url}/admin/api/service-tokens`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "scraper", scopes: ["metrics:read"] }),
    });
    expect(made.status).toBe(201);
    await page.reload();
    await confirmByName(page, {
      title: "Revoke scraper",
      label: "Revoke",
      field: "Name of the token",
      name: "scraper",
    });
    await page.getByText("revoked").first().waitFor();
    await close();
  });
});
