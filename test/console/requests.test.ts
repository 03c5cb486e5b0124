// The page of requests in Chromium: the stream of requests under load and after a break, filters, files, and one request.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { clientKey } from "../support/gateway.ts";
import { faultsOf, picture } from "./looks.ts";
import { type ConsoleSetting, chat, go, signedIn, startConsole } from "./setting.ts";

const isFull = process.env["TURNPIKE_TEST_FULL"] === "1";
const canRun = hasBrowser && existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

const row = (n: number, state: string) => ({
  ...{ object: "request", id: `fed-${n}`, created_at: new Date().toISOString(), key_id: "key", operation: "chat" },
  ...{ model: `fed-model-${n}`, state, status: state === "open" ? null : 200, tokens: { input: 1 }, provider: "p" },
});

/** Two seconds of 1,000 requests a second, in events of ten. */
const events = Array.from({ length: 200 }, (_, event) => {
  const settled = Array.from({ length: 10 }, (_unused, at) => row(event * 10 + at, "completed"));
  return `id: feed.${event}\nevent: requests\ndata: ${JSON.stringify({ in_flight: 0, started: [], first_byte: [], settled, more: false })}\n\n`;
});

/** In the page: answers the stream with the events over two seconds, and counts long tasks and updates of the list. */
function scripted(texts: readonly string[]): void {
  const measured = { longTasks: [] as number[], places: [] as (string | null)[] };
  Object.assign(globalThis, { measured });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) measured.longTasks.push(duration);
  }).observe({ type: "longtask" as never });
  const usual = globalThis.fetch.bind(globalThis);
  globalThis.fetch = ((input: string, init?: RequestInit) => {
    if (!String(input).includes("/requests/live")) return usual(input, init);
    const place = new Headers(init?.headers).get("last-event-id");
    measured.places.push(place);
    // The second stream stays open without events.
    if (place !== null) return Promise.resolve(new Response(new ReadableStream()));
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const timer = setInterval(() => {
          controller.enqueue(new TextEncoder().encode(texts[at++]));
          if (at < texts.length) return;
          clearInterval(timer);
          controller.close();
        }, 10);
      },
    });
    return Promise.resolve(new Response(body));
  }) as typeof fetch;
}

describe.skipIf(!canRun)("requests (skipped: no Chromium, or the console is not built)", () => {
  let setting: ConsoleSetting;
  let browser: Browser;
  beforeAll(async () => {
    [setting, browser] = await Promise.all([startConsole(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await setting?.running.stop();
  });

  const withPage = async (work: (page: Page) => Promise<void>): Promise<void> => {
    const { page, problems, close } = await signedIn(browser, setting.running.url, { width: 1440, scheme: "light" });
    await go(page, "Requests");
    await work(page);
    expect(problems).toEqual([]);
    await close();
  };

  test("a request that settles is in the list without a reload", () =>
    withPage(async (page) => {
      await page.getByRole("switch", { name: "Live" }).click();
      await page.getByText("Following").waitFor();
      const before = await page.getByRole("listitem", { name: "smart" }).count();
      await chat(setting.running.url, "smart");
      await page.getByRole("listitem", { name: "smart" }).nth(before).waitFor();
    }));

  test("1,000 requests a second are at most ten updates a second, and a stream that ends is resumed", () =>
    withPage(async (page) => {
      await page.evaluate(scripted, events);
      await page.getByRole("switch", { name: "Live" }).click();
      await page.waitForFunction(() => Object(globalThis)["measured"].places.length === 2, null, { timeout: 60_000 });
      await page.getByRole("listitem", { name: "fed-model-1999" }).waitFor();
      const { marks, tasks, places } = await page.evaluate(() => ({
        marks: performance.getEntriesByName("live-update").map(({ startTime }) => startTime),
        tasks: Object(globalThis)["measured"].longTasks as number[],
        places: Object(globalThis)["measured"].places as unknown[],
      }));
      expect(places).toEqual([null, "feed.199"]);
      expect(marks.length).toBeGreaterThan(0);
      // Eleven marks that are less than a second apart would be an eleventh update within it.
      const tooFast = marks.filter((at, index) => (marks[index + 10] ?? Number.POSITIVE_INFINITY) - at < 990);
      expect(tooFast).toEqual([]);
      if (isFull) expect(tasks.filter((ms) => ms > 50)).toEqual([]);
      else process.stdout.write(`long tasks under load, ms: ${JSON.stringify(tasks)}\n`);
    }));

  test("every request that matches is saved as a file", () =>
    withPage(async (page) => {
      await page.getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: "All that match, as CSV" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("requests.csv");
      const text = await Bun.file(await download.path()).text();
      expect(text.startsWith("id,")).toBe(true);
      expect(text).toContain("smart");
    }));

  test("one request leads to the playground, and is copied as code", () =>
    withPage(async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "smart" }).first().click();
      for (const [name, line] of [
        ["Copy as curl", "curl "],
        ["Copy as Python", "from openai import OpenAI"],
        ["Copy as JavaScript", 'import OpenAI from "openai";'],
      ] as const) {
        await page.getByRole("button", { name }).click();
        await page.getByText("Copied").first().waitFor();
        const copied = await page.evaluate<string>("navigator.clipboard.readText()");
        expect(copied).toContain(line);
        expect(copied).toContain("smart");
        await page.getByText("Copied").first().waitFor({ state: "detached" });
      }
      const link = page.getByRole("dialog").getByRole("link", { name: "Open in playground" });
      expect(await link.getAttribute("href")).toContain("/playground?");
    }));

  test("the menu of a row copies it as curl, filters by its provider, and cancels it, on a telephone too", async () => {
    const view = { width: 360, scheme: "light" } as const;
    const { page, problems, close } = await signedIn(browser, setting.running.url, view);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await go(page, "Requests");
    const list = page.getByRole("region", { name: "Requests, newest first" });
    const menuOf = (name: RegExp) =>
      list.getByRole("listitem", { name }).first().getByRole("button", { name: "Actions of this row" });
    const size = await menuOf(/smart/).boundingBox();
    expect([size?.width, size?.height]).toEqual([40, 40]);
    await menuOf(/smart/).click();
    await page.getByRole("menuitem", { name: "Copy as curl" }).click();
    await page.getByRole("menuitem", { name: "Copied" }).waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain('"model":"smart"');
    await page.getByRole("menuitem", { name: "Only this provider" }).click();
    await page.waitForURL(/provider=sandbox/);

    const left = new AbortController();
    const body = { model: "sandbox/chat", messages: [{ role: "user", content: "[sandbox delay=60000] Hello" }] };
    const running = fetch(`${setting.running.url}/v1/chat/completions`, {
      ...{ method: "POST", body: JSON.stringify(body), signal: left.signal },
      headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json" },
    });
    await go(page, "Requests");
    await page.getByRole("switch", { name: "Live" }).click();
    await picture(page, "row menu before");
    await menuOf(/chat, open/).click();
    await picture(page, "row menu 360");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Cancel request" }).click();
    await page.getByRole("menuitem", { name: "The request was canceled." }).waitFor();
    expect((await running).status).toBeGreaterThanOrEqual(400);
    left.abort();
    expect(problems).toEqual([]);
    await close();
  });

  test("rows have a menu, and columns are resized and hidden, which is remembered", async () => {
    const { page, problems, close } = await signedIn(browser, setting.running.url, { width: 1440, scheme: "light" });
    await go(page, "Requests");
    const list = page.getByRole("region", { name: "Requests, newest first" });
    const row = list.getByRole("listitem", { name: /broken/ }).first();
    await row.focus();
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Copy ID" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("li:focus").waitFor();
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Only this model" }).click();
    await page.waitForURL(/model=broken/);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await list.getByRole("listitem").first().getByRole("button", { name: "Actions of this row" }).click();
    await page.getByRole("menuitem", { name: "Open" }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    const title = list.getByRole("button", { name: "Provider", exact: true });
    const widthOf = async () => Math.round((await title.locator("..").boundingBox())?.width ?? 0);
    await title.focus();
    const before = await widthOf();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("Shift+ArrowRight");
    expect(await widthOf()).toBe(before + 48);
    const edge = await title.locator("..").boundingBox();
    if (edge === null) throw new Error("The title is not in view.");
    const [x, y] = [edge.x + edge.width - 2, edge.y + edge.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y);
    await page.mouse.up();
    const wide = await widthOf();
    expect(wide).toBe(before + 78);
    await list.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Tokens" }).click();
    await page.keyboard.press("Escape");
    await page.reload();
    await title.waitFor();
    expect(await widthOf()).toBe(wide);
    expect(await list.getByRole("button", { name: "Tokens" }).count()).toBe(0);
    expect(problems).toEqual([]);
    await close();
  });
});
