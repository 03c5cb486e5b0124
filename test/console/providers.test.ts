// The pages of providers and models in Chromium: states and tests of credentials, forms with their faults, the route as it will be tried, prices.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { axePath } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { adminKey, gateway, type RunningGateway } from "../support/gateway.ts";
import { type Upstream, upstream } from "../support/upstream.ts";
import { faultsOf, picture } from "./looks.ts";
import { chat, confirmByName, fewViews, go, signedIn, type View } from "./setting.ts";

const canRun =
  hasBrowser && existsSync(axePath) && existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

const completion = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
};

const yamlOf = (url: string) => `
providers:
  steady: { kind: compatible, base_url: "${url}/steady/v1", models: [m], credential: sk-canary-steady }
  broken:
    kind: compatible
    base_url: "${url}/broken/v1"
    models: [m]
    limits: { requests_per_minute: 100 }
    credentials: [{ name: main, credential: sk-canary-main, weight: 1000 }, { name: spare, credential: sk-canary-spare }]
models:
  smart:
    aliases: [clever]
    candidates: [{ provider: broken, model: m }, { provider: steady, model: m, supports: { images: false } }]
prices:
  cost: [{ model: m, usd: { input: 3, output: 15 } }]
limits: { candidate_cooldown_ms: 600000 }
keys:
  narrow: { secret: tp-narrow-key-of-the-file, refused_providers: [broken] }
`;

describe.skipIf(!canRun)("providers and models (skipped: no Chromium, or the console is not built)", () => {
  let running: RunningGateway;
  let up: Upstream;
  let browser: Browser;
  beforeAll(async () => {
    up = await upstream();
    up.on("GET /steady/v1/models", { json: { data: [{ id: "m" }] } });
    up.on("GET /broken/v1/models", { status: 401, json: { error: { message: "the key was revoked" } } });
    up.on("POST /broken/v1/chat/completions", {
      ...{ status: 404, json: { error: { message: "out of order", code: "model_not_found" } } },
    });
    up.on("*", { json: completion });
    [running, browser] = await Promise.all([gateway({ yaml: yamlOf(up.url) }), openBrowser()]);
    for (let n = 0; n < 3; n++) await chat(running.url, "smart");
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
    await up.stop();
  });

  const openRow = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  test.each(fewViews.map((view) => [`${view.width} ${view.scheme}`, view] as const))(
    "states, tests and the route at %s",
    async (name, view: View) => {
      const { page, problems, close } = await signedIn(browser, running.url, view);
      const faults: string[] = [];
      const look = async (what: string) => {
        faults.push(...(await faultsOf(page)));
        await picture(page, `${what} ${name}`);
      };
      await go(page, "Providers");
      await page
        .getByText(/set aside/)
        .first()
        .waitFor();
      await look("providers");
      await openRow(page, "broken");
      const drawer = page.getByRole("dialog", { name: "broken" });
      await drawer
        .getByText(/out of order/)
        .first()
        .waitFor();
      await drawer.getByText("turnpike.yaml:4").waitFor();
      await drawer.getByRole("progressbar", { name: /of 100 requests per minute/ }).waitFor();
      expect(await drawer.getByRole("button", { name: "Delete" }).count()).toBe(0);
      await look("provider");
      await page.keyboard.press("Escape");
      await openRow(page, "steady");
      const chart = page.getByRole("img", { name: /^Requests and errors over time. [1-9]\d* requests and 0 errors/ });
      await chart.waitFor();
      await look("provider with charts");
      await page.keyboard.press("Escape");
      await go(page, "Models");
      await openRow(page, "smart");
      const model = page.getByRole("dialog", { name: "smart" });
      const places = model.getByRole("list", { name: "Candidates in order" }).getByRole("listitem");
      await places.first().getByText("steady/m").waitFor();
      await places
        .first()
        .getByText(/\$3.00 \/ \$15.00/)
        .waitFor();
      await look("model");
      await page.keyboard.press("Escape");
      await page.getByRole("tab", { name: "Prices" }).click();
      await page.getByText("turnpike.yaml:15").waitFor();
      await look("prices");
      expect([...problems, ...faults]).toEqual([]);
      await close();
    },
  );

  const desk: View = { width: 1440, scheme: "light" };

  test("the order for a key, and for what a request needs", async () => {
    const { page, close } = await signedIn(browser, running.url, desk);
    await go(page, "Models");
    await openRow(page, "smart");
    const model = page.getByRole("dialog", { name: "smart" });
    await model.getByLabel("For the key").selectOption({ label: "narrow" });
    await model
      .getByText(/A rule of the key or its project does not allow it/)
      .first()
      .waitFor();
    await model.getByLabel("Images").check();
    await model.getByText(/It does not support images/).waitFor();
    await model.getByText(/Such a request gets/).waitFor();
    await close();
  });

  test("a provider is added, tested, edited, disabled and deleted; its key is never shown", async () => {
    const { page, close } = await signedIn(browser, running.url, desk);
    await go(page, "Providers");
    await page.getByRole("button", { name: "Add provider" }).click();
    const form = page.getByRole("dialog", { name: "Add provider" });
    await form.getByLabel("Name", { exact: true }).fill("added");
    await form.getByLabel("Kind").fill("unheard-of");
    await form.getByLabel("API key 1").fill("sk-canary-added");
    await form.getByRole("button", { name: "Add provider" }).click();
    await form.getByText(/unknown provider kind/).waitFor();
    await picture(page, "provider form with a fault");
    await form.getByLabel("Kind").fill("compatible");
    await form.getByLabel("Base URL").fill(`${up.url}/steady/v1`);
    await form.getByRole("button", { name: "Add provider" }).click();
    await openRow(page, "added");
    const drawer = page.getByRole("dialog", { name: "added" });
    await drawer.getByRole("button", { name: "Test" }).click();
    await drawer.getByText(/It answered in .* lists 1 models/).waitFor();
    await drawer.getByRole("button", { name: "Edit" }).click();
    await drawer.getByLabel("requests per minute").fill("7");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.getByRole("progressbar", { name: /of 7 requests per minute/ }).waitFor();
    expect((await chat(running.url, "added/m")).length).toBeGreaterThan(0);
    const sent = up.requests.filter(({ headers }) => headers.get("authorization") === "Bearer sk-canary-added");
    expect(sent.length).toBeGreaterThan(1);
    await drawer.getByRole("button", { name: "Disable" }).click();
    await drawer.getByRole("button", { name: "Enable" }).waitFor();
    expect(await page.content()).not.toContain("canary");
    await confirmByName(page, { title: "Delete added", label: "Delete", field: "Name of the provider", name: "added" });
    await drawer.waitFor({ state: "detached" });
    await close();
  });

  test("one credential of several is tested", async () => {
    const { page, close } = await signedIn(browser, running.url, desk);
    await go(page, "Providers");
    await openRow(page, "broken");
    await page.getByRole("button", { name: "Test spare" }).click();
    await page.getByText(/key was revoked/).waitFor();
    const tried = up.requests
      .filter(({ method }) => method === "GET")
      .map(({ headers }) => headers.get("authorization"));
    expect(tried).toContain("Bearer sk-canary-spare");
    expect(tried).not.toContain("Bearer sk-canary-main");
    await close();
  });

  test("a route is made with faults by their fields, is tried as written, and a price is added and previewed", async () => {
    const { page, close } = await signedIn(browser, running.url, desk);
    await go(page, "Models");
    await page.getByRole("button", { name: "Add route" }).click();
    const form = page.getByRole("dialog", { name: "Add route" });
    await form.getByLabel("Model name that clients use").fill("made");
    await form.getByLabel("Provider 1").fill("nowhere");
    await form.getByLabel("Model 1").fill("m");
    await form.getByRole("button", { name: "Add route" }).click();
    await form
      .getByText(/nowhere/)
      .first()
      .waitFor();
    await picture(page, "route form with a fault");
    await form.getByLabel("Provider 1").fill("steady");
    await form.getByLabel("Strategy").selectOption("weighted");
    await form.getByLabel("Aliases").fill("also-made");
    await form.getByRole("button", { name: "Add route" }).click();
    await form.waitFor({ state: "detached" });
    await openRow(page, "made");
    const drawer = page.getByRole("dialog", { name: "made" });
    await drawer.getByText("weighted: at random by weight, also named also-made").waitFor();
    const route = { title: "Delete route made", label: "Delete route", field: "Name of the route", name: "made" };
    await confirmByName(page, route);
    await drawer.waitFor({ state: "detached" });

    await page.getByRole("tab", { name: "Prices" }).click();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText(/requests stay as they are/).waitFor();
    await page.getByRole("button", { name: "Add price" }).click();
    const price = page.getByRole("dialog", { name: "Add price" });
    await price.getByLabel("Model", { exact: true }).fill("m");
    await price.getByLabel("Valid from").fill("2020-01-01");
    await price.getByLabel("Input, $ per million").fill("6");
    await price.getByLabel("Output, $ per million").fill("30");
    await price.getByRole("button", { name: "Add price" }).click();
    await price.waitFor({ state: "detached" });
    await page.getByRole("table", { name: "Price entries" }).getByText("2020-01-01").waitFor();
    await page.getByRole("button", { name: "Preview" }).click();
    await picture(page, "repricing");
    await page.getByRole("button", { name: "Book the differences" }).click();
    const booking = page.getByRole("dialog", { name: "Book the differences" });
    const [, changed = ""] = /adjustments for (\d+) requests/.exec((await booking.textContent()) ?? "") ?? [];
    await booking.getByLabel("Number of requests").fill(changed);
    await booking.getByRole("button", { name: "Book the differences" }).click();
    await page.getByText(/Repricing \d+ is booked/).waitFor();
    const entry = { title: "Delete price of m", label: "Delete", field: "Model of the price", name: "m" };
    await confirmByName(page, entry);
    await page.getByRole("table", { name: "Price entries" }).getByText("2020-01-01").waitFor({ state: "detached" });
    const list = await fetch(`${running.url}/admin/api/prices`, { headers: { authorization: `Bearer ${adminKey}` } });
    expect(((await list.json()) as { data: object[] }).data).toHaveLength(1);
    await close();
  });
});
