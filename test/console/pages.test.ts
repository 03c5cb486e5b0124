// The console in a headless Chromium, by role and name, at two widths, light and dark; axe finds nothing serious.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { axePath, seriousFaults } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { clientKey } from "../support/gateway.ts";
import { type ConsoleSetting, chat, confirmByName, go, signedIn, startConsole, type View, views } from "./setting.ts";

const repository = join(import.meta.dir, "..", "..");
const canRun = hasBrowser && existsSync(axePath) && existsSync(join(repository, "dist", "console.bundle"));

describe.skipIf(!canRun)("the console in Chromium (skipped: no Chromium, or the console is not built)", () => {
  let setting: ConsoleSetting;
  let browser: Browser;
  beforeAll(async () => {
    [setting, browser] = await Promise.all([startConsole(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await setting.running.stop();
  });

  const name = ({ width, scheme }: View) => `${width} ${scheme}`;
  const isSettled = async (page: Page): Promise<void> => {
    await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  };
  /** What is wrong with the page as it is now. */
  const faultsOf = async (page: Page): Promise<readonly string[]> => {
    await isSettled(page);
    const isTooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    const found = [...(isTooWide ? ["wider than the screen"] : []), ...(await seriousFaults(page))];
    return found.map((fault) => `${new URL(page.url()).pathname}: ${fault}`);
  };
  const closeDialog = async (page: Page): Promise<void> => {
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };

  test.each(views.map((view) => [name(view), view] as const))("every page at %s", async (_name, view) => {
    const { page, problems, close } = await signedIn(browser, setting.running.url, view);
    const faults: string[] = [];
    const check = async () => void faults.push(...(await faultsOf(page)));
    await page.getByText("Last failure").waitFor();
    await check();
    await go(page, "Requests");
    await page.getByRole("button", { name: "smart" }).first().click();
    const drawer = page.getByRole("dialog", { name: "Request" });
    await drawer.getByText(/answered, after the one before it failed/).waitFor();
    await drawer.getByText(/× \$3\.00\/M/).waitFor();
    await check();
    await closeDialog(page);
    await page.getByRole("tab", { name: "Tasks" }).click();
    await page.getByText("No tasks.").waitFor();
    await check();
    await go(page, "Keys and budgets");
    await page.getByRole("button", { name: "reports" }).click();
    await page
      .getByRole("dialog", { name: "reports" })
      .getByText(/of \$50/)
      .waitFor();
    await check();
    await closeDialog(page);
    await go(page, "Providers");
    await page.getByRole("button", { name: "sandbox" }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Test" }).click();
    await page.getByText(/have no call that costs nothing/).waitFor();
    await check();
    await closeDialog(page);
    await go(page, "Models");
    await page.getByRole("button", { name: "smart" }).waitFor();
    await check();
    await page.getByRole("tab", { name: "Prices" }).click();
    await page.getByText(/Cost book/).waitFor();
    await check();
    await go(page, "Settings");
    await page.getByLabel("Name of a setting").fill("breaker_failures");
    await page
      .getByText(/^turnpike\.yaml:\d+$/)
      .first()
      .waitFor();
    await check();
    await page.getByRole("tab", { name: "Audit log" }).click();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText(/entries are intact/).waitFor();
    await check();
    await go(page, "Playground");
    await check();
    expect([...problems, ...faults]).toEqual([]);
    await close();
  });

  const desk: View = { width: 1440, scheme: "light" };

  test("a key is created, limited, rotated and revoked by its name", async () => {
    const { page, close } = await signedIn(browser, setting.running.url, desk);
    await go(page, "Keys and budgets");
    await page.getByRole("button", { name: "Create key" }).click();
    const form = page.getByRole("dialog", { name: "Create key" });
    await form.getByLabel("Name", { exact: true }).fill("a name that is not valid");
    await form.getByRole("button", { name: "Create key" }).click();
    await form.getByText(/1 to 64 letters, digits/).waitFor();
    // What only the gateway can know stands beside its field, too.
    await form.getByLabel("Name", { exact: true }).fill("reports");
    await form.getByRole("button", { name: "Create key" }).click();
    await form.getByText(/already/).waitFor();
    await form.getByLabel("Name", { exact: true }).fill("ui-key");
    await form.getByLabel("Budget ($)").fill("12.50");
    await form.getByRole("button", { name: "Create key" }).click();
    const secret = page.getByRole("dialog", { name: "Copy the key now" });
    const key = (await secret.locator("pre").textContent()) ?? "";
    expect(key).toMatch(/^tp-/);
    await closeDialog(page);
    await page.getByRole("button", { name: "ui-key" }).click();
    const drawer = page.getByRole("dialog", { name: "ui-key" });
    await confirmByName(page, { title: "Revoke ui-key", label: "Revoke", field: "Name of the key", name: "ui-key" });
    await drawer.getByText("revoked").first().waitFor();
    const refused = await fetch(`${setting.running.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(refused.status).toBe(401);
    await close();
  });

  test("a client is connected with the real address, and its first request is seen to arrive", async () => {
    const { page, close } = await signedIn(browser, setting.running.url, desk);
    await go(page, "Keys and budgets");
    await page.getByRole("button", { name: "Connect" }).click();
    const drawer = page.getByRole("dialog", { name: "Connect a client" });
    await drawer.getByLabel("Client", { exact: true }).selectOption("openai-node");
    expect(await drawer.locator("pre").textContent()).toContain(`${setting.running.url}/v1`);
    await drawer.getByText("Waiting for the first request").waitFor();
    await chat(setting.running.url, "sandbox/chat");
    await drawer.getByText("The first request has arrived.").waitFor();
    await close();
  });

  test("a request is found by its id, and the URL alone opens it again", async () => {
    const { page, close } = await signedIn(browser, setting.running.url, desk);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /request ID/ }).fill(setting.failed);
    await page.keyboard.press("Enter");
    await page
      .getByRole("dialog", { name: "Request" })
      .getByText(/failed, 502/)
      .waitFor();
    await page.reload();
    await page
      .getByRole("dialog", { name: "Request" })
      .getByText(/failed, 502/)
      .waitFor();
    await close();
  });

  test("filters are in the URL, and an empty list offers to clear them", async () => {
    const { page, close } = await signedIn(browser, setting.running.url, desk);
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "broken" }).waitFor();
    await page.getByLabel("Model", { exact: true }).fill("missing");
    await page.getByText("No request matches in this time range.").waitFor();
    expect(new URL(page.url()).searchParams.get("model")).toBe("missing");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "broken" }).waitFor();
    await close();
  });

  test("an error shows its request id and is tried again", async () => {
    const { page, close } = await signedIn(browser, setting.running.url, desk);
    const failure = { error: { message: "The store is busy.", code: "internal_error", param: null } };
    await page.route("**/admin/api/providers?*", (route) =>
      route.fulfill({ status: 400, json: failure, headers: { "x-request-id": "req_broken" } }),
    );
    await page.reload();
    await go(page, "Providers");
    const alert = page.getByRole("alert");
    await alert.getByText("The store is busy.").waitFor();
    await alert.getByRole("button", { name: "Copy req_broken" }).waitFor();
    await page.unroute("**/admin/api/providers?*");
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "sandbox" }).first().waitFor();
    await close();
  });

  test.each(["chat", "responses", "messages", "gemini"])("the playground streams in the format %s", async (format) => {
    const { page, close } = await signedIn(browser, setting.running.url, desk);
    await go(page, "Playground");
    await page.getByLabel("Client format").selectOption(format);
    await page.getByLabel("Model", { exact: true }).fill("sandbox/chat");
    await page.getByLabel("Client key").fill(clientKey);
    await page.getByLabel("Message").fill("Hello there");
    await page.getByRole("button", { name: "Send" }).click();
    await page
      .getByRole("log")
      .getByText(/Sandbox reply/)
      .waitFor();
    await page.getByRole("heading", { name: "Waterfall" }).waitFor();
    await page.getByRole("link", { name: "Open request" }).waitFor();
    await close();
  });

  test("a wrong key is refused, and signing out asks for it again", async () => {
    const { page, close } = await signedIn(browser, setting.running.url, desk);
    await go(page, "Settings");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Admin key").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The admin key or service token is not valid.").waitFor();
    await close();
  });
});
