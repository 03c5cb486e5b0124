// Users in the console: the first owner, an invite, roles, and the end of sessions, as people do it in a browser.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { createSignInToken, signInUrl } from "../../src/admin/sessions.ts";
import { readSettings } from "../../src/config/environment.ts";
import { openRoot, pepperOf, readExistingSecret } from "../../src/config/secrets.ts";
import { openStore } from "../../src/store/store.ts";
import { axePath, seriousFaults } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { forgedProvider } from "../support/forged-provider.ts";
import { adminKey, gateway, type RunningGateway } from "../support/gateway.ts";
import { confirmByName, go } from "./setting.ts";

const canRun =
  hasBrowser && existsSync(axePath) && existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));
const password = "a long enough password";

/** A link of the first start. */
async function firstLink({ dataFolder, url }: RunningGateway): Promise<string> {
  const settings = readSettings({ TURNPIKE_DATA: dataFolder }, dataFolder);
  const store = await openStore({ dataFolder });
  try {
    const pepper = pepperOf(await openRoot(store, readExistingSecret(settings)));
    return signInUrl(url, await createSignInToken(store, pepper, Date.now()));
  } finally {
    await store.close();
  }
}

describe.skipIf(!canRun)("users in Chromium (skipped: no Chromium, or the console is not built)", () => {
  let running: RunningGateway;
  let browser: Browser;
  beforeAll(async () => {
    [running, browser] = await Promise.all([gateway(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
  });
  const newPage = async (width = 1440, colorScheme: "light" | "dark" = "light"): Promise<Page> =>
    (await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" })).newPage();
  const faults: string[] = [];
  const check = async (page: Page, name: string): Promise<void> => {
    const folder = process.env["TURNPIKE_TEST_SCREENSHOTS"];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
    const isTooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    faults.push(...(isTooWide ? [`${name}: wider than the screen`] : []));
    faults.push(...(await seriousFaults(page)).map((fault) => `${name}: ${fault}`));
  };
  const enterPassword = async (page: Page, button: string, text = password): Promise<void> => {
    await page.getByLabel("New password").fill(text);
    await page.getByRole("button", { name: button }).click();
  };
  /** A wrong present password and two different new ones are explained; then it is changed, and changed back. */
  const changePassword = async (page: Page): Promise<void> => {
    const another = "another long password";
    const fill = async (current: string, next: string, again = next): Promise<void> => {
      const dialog = page.getByRole("dialog", { name: "Change password" });
      await dialog.getByLabel("Current password").fill(current);
      await dialog.getByLabel("New password", { exact: true }).fill(next);
      await dialog.getByLabel("New password, again").fill(again);
      await dialog.getByRole("button", { name: "Change password" }).click();
    };
    await page.getByRole("button", { name: "Change password" }).click();
    await fill(password, another, `${another}!`);
    await page.getByText("The two new passwords are not the same.").first().waitFor();
    await fill("not the password", another);
    await page.getByText("it is not the present password").waitFor();
    await check(page, "own-password");
    await fill(password, another);
    await page.getByText("Your other sessions have ended.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Change password" }).click();
    await fill(another, password);
    await page.getByText("Your other sessions have ended.").waitFor();
    await page.keyboard.press("Escape");
  };
  const overview = (page: Page) => page.getByRole("heading", { name: "Overview" }).waitFor();

  test("the first owner invites a developer, who sees less, and is then deleted", async () => {
    const owner = await newPage();
    await owner.goto(await firstLink(running));
    await owner.getByLabel("Email").fill("Owner@example.com");
    await check(owner, "setup");
    await enterPassword(owner, "Create owner", "too short");
    await owner.getByText("12 to 256 characters").waitFor();
    await enterPassword(owner, "Create owner");
    await overview(owner);
    expect(owner.url()).not.toContain("token");
    await go(owner, "Settings");
    await owner.getByRole("tab", { name: "Users" }).click();
    await owner.getByText("this session").waitFor();
    await check(owner, "users");
    await owner.getByRole("button", { name: "Invite user" }).click();
    const form = owner.getByRole("dialog", { name: "Invite user" });
    await form.getByLabel("Email").fill("owner@example.com");
    await form.getByRole("button", { name: "Invite user" }).click();
    await form.getByText("Another user has this email.").waitFor();
    await form.getByLabel("Email").fill("dev@example.com");
    await form.getByLabel("Name").fill("周杰倫 <b>Dev</b>");
    await check(owner, "invite-form");
    await form.getByRole("button", { name: "Invite user" }).click();
    const shown = owner.getByRole("dialog", { name: "Copy the invite link now" });
    const link = (await shown.locator("pre").textContent()) ?? "";
    expect(link).toMatch(new RegExp(`^${running.url}/console#invite=tpi-\\w{43}$`));
    await check(owner, "invite-link");
    await owner.keyboard.press("Escape");
    await owner.getByText("invited").waitFor();

    const dev = await newPage(360, "dark");
    await dev.goto(link);
    await dev.getByText("Choose a password for dev@example.com.").waitFor();
    await check(dev, "invite-360-dark");
    await enterPassword(dev, "Set password and sign in");
    await overview(dev);
    await go(dev, "Settings");
    await dev.getByRole("tab", { name: "Settings" }).waitFor();
    expect(await dev.getByRole("tab").allTextContents()).toEqual(["Settings"]);
    await changePassword(dev);
    await go(dev, "Keys and budgets");
    await dev.getByRole("button", { name: "Create key", exact: true }).waitFor();
    await go(dev, "Providers");
    await dev.getByRole("heading", { name: "Providers" }).waitFor();
    expect(await dev.getByRole("button", { name: "Add provider" }).count()).toBe(0);
    const again = await newPage();
    await again.goto(link);
    await again.getByText("The invite was used or revoked").waitFor();
    await check(again, "invite-used");

    await owner.reload();
    await owner.getByRole("button", { name: "dev@example.com", exact: true }).click();
    const drawer = owner.getByRole("dialog", { name: "dev@example.com" });
    await drawer.getByLabel("Role").selectOption("viewer");
    await drawer.getByRole("button", { name: "Save" }).click();
    // Behind the drawer, where roles are hidden.
    await owner.locator("tr", { hasText: "dev@example.com" }).filter({ hasText: "viewer" }).waitFor();
    await check(owner, "user");
    const user = { title: "Delete dev@example.com", label: "Delete", field: "Email", name: "dev@example.com" };
    await confirmByName(owner, user);
    await drawer.waitFor({ state: "detached" });
    await dev.reload();
    await dev.getByRole("button", { name: "Sign in" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("people sign in at an OpenID provider, and read why they are refused", async () => {
    const provider = await forgedProvider("turnpike");
    const yaml = `console: { oidc: { issuer: "${provider.issuer}", client_id: turnpike, name: Example, roles: { dev: viewer } } }`;
    const own = await gateway({ yaml });
    const page = await newPage();
    await page.goto(`${own.url}/console/keys?range=7d`);
    await page.getByLabel("Admin key").waitFor();
    await page.getByRole("link", { name: "Sign in with Example" }).click();
    await page.getByText("None of your groups has a role here.").waitFor();
    expect(page.url()).toBe(`${own.url}/console`);
    await check(page, "oidc-refused");
    provider.claims = { groups: ["dev"], email: "eve@example.com" };
    await page.goto(`${own.url}/console/keys?range=7d`);
    await page.getByRole("link", { name: "Sign in with Example" }).click();
    await page.getByRole("heading", { name: "Keys and budgets" }).waitFor();
    expect(page.url()).toBe(`${own.url}/console/keys?range=7d`);
    await go(page, "Settings");
    await page.getByText("eve@example.com").waitFor();
    expect(await page.getByRole("button", { name: "Change password" }).count()).toBe(0);
    provider.stop();
    await own.stop();
    expect(faults).toEqual([]);
  });

  test("people sign in with email and password, or with a key", async () => {
    const page = await newPage(360);
    await page.goto(`${running.url}/console/settings?tab=users`);
    await page.getByLabel("Email").fill("owner@example.com");
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The email or the password is not valid.").waitFor();
    await check(page, "sign-in-360");
    await page.getByRole("button", { name: "Use a key" }).click();
    await page.getByLabel("Admin key").fill(adminKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "owner@example.com", exact: true }).waitFor();
    await check(page, "users-360");
    await page.getByRole("button", { name: "End owner@example.com" }).first().click();
    const question = page.getByRole("dialog", { name: "End owner@example.com" });
    await check(page, "session-end-360");
    await question.getByLabel("Name").fill("owner@example.com");
    await question.getByRole("button", { name: "End", exact: true }).click();
    await page.getByText("ended").first().waitFor();
    expect(faults).toEqual([]);
  });
});
