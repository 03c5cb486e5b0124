// The waterfall of a request: its spans follow each other and add up to the whole, as bars and as a table.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { Attempt, RequestRow, Timings } from "../../console/src/data/types.ts";
import { spansOf, sumsOf } from "../../console/src/data/waterfall.ts";
import { axePath } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { clientKey, gateway, type RunningGateway } from "../support/gateway.ts";
import { type Upstream, upstream } from "../support/upstream.ts";
import { faultsOf, picture } from "./looks.ts";
import { fewViews, signedIn } from "./setting.ts";

const timings: Timings = {
  ...{ authentication_us: 400, body_us: 1_000, parsing_us: 100, queue_us: 0, access_us: 5, routing_us: 20 },
  ...{ limits_us: 75, record_us: 300, attempts_us: 52_000, wait_us: 200_000, stream_us: 700_000 },
  settlement_us: 100,
};
const wholeMs = 954;

const attempt = (number: number, given: Partial<Attempt>): Attempt => ({
  ...{ number, provider: `p${number}`, upstream_model: "m", credential: null, error_code: null, first_byte_ms: null },
  ...{ possible_tokens: 0, cost: null, outcome: "possible", status: 502, started_ms: 2, duration_ms: 40, ...given },
});
const answered = { outcome: "answered", status: 200, started_ms: 54, duration_ms: 900, first_byte_ms: 254 };
const retried = [attempt(1, {}), attempt(2, answered)];

const row = (given: Partial<RequestRow>): RequestRow =>
  ({ attempt_list: retried, timings, duration_ms: wholeMs, first_byte_ms: 254, ...given }) as RequestRow;

/** They begin at 0, and each where the one before it ends. */
function shown(given: Partial<RequestRow>): readonly string[] {
  const spans = spansOf(row(given));
  let at = 0;
  for (const { fromMs, toMs } of spans) {
    expect(Math.abs(fromMs - at)).toBeLessThan(1e-6);
    expect(toMs).toBeGreaterThanOrEqual(fromMs);
    at = toMs;
  }
  expect(Math.abs(at - (given.duration_ms ?? wholeMs))).toBeLessThan(1);
  expect(sumsOf(spans).reduce((total, [, ms]) => total + ms, 0)).toBeCloseTo(at, 6);
  return spans.map(({ name, kind, note }) => `${kind} ${name}: ${note}`);
}

test("each part with its own time, and the failed attempt before the one that answered", () => {
  expect(shown({})).toEqual([
    "own Authentication: 400 µs",
    "wait Body: 1 ms",
    "own Parsing: 100 µs",
    "own Access rules: 5 µs",
    "own Routing: 20 µs",
    "own Limits: 75 µs",
    "own Ledger: 300 µs",
    "own Preparation: 100 µs",
    "failed Try 1 p1: 502, 40 ms",
    "own Between tries: 12 ms",
    "wait Try 2 p2: 200 ms",
    "stream Stream: 700 ms",
    "own Settlement: 100 µs",
  ]);
});

test("a request that waited for its turn, and one that no provider answered", () => {
  const queued = { ...timings, queue_us: 3_000_000, attempts_us: 45_000, wait_us: null, stream_us: null };
  expect(shown({ timings: queued, attempt_list: [attempt(1, { started_ms: 3_002 })], duration_ms: 3_047 })).toEqual([
    ...["own Authentication: 400 µs", "wait Body: 1 ms", "own Parsing: 100 µs", "wait Queue: 3.00 s"],
    ...["own Access rules: 5 µs", "own Routing: 20 µs", "own Limits: 75 µs", "own Ledger: 300 µs"],
    ...["own Preparation: 100 µs", "failed Try 1 p1: 502, 40 ms", "own Between tries: 4.9 ms"],
    "own Settlement: 100 µs",
  ]);
});

test("attempts that a role does not show are the wait for a provider", () => {
  const { attempt_list: _, ...rest } = row({});
  expect(spansOf(rest as RequestRow).map(({ name }) => name)).toContain("Provider");
});

test("a row of an older version has one span for what came before the first attempt", () => {
  const older = { timings: null, attempt_list: [attempt(1, {}), attempt(2, answered)] };
  expect(shown(older)).toEqual([
    "own Authorize, limits, route: 2 ms",
    "failed Try 1 p1: 502, 40 ms",
    "own Between tries: 12 ms",
    "wait Try 2 p2: 200 ms",
    "stream Stream: 700 ms",
  ]);
});

const canRun =
  hasBrowser && existsSync(axePath) && existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));
const waitMs = 150;
const answer = {
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
};

describe.skipIf(!canRun)("in the browser (skipped: no Chromium, or the console is not built)", () => {
  let up: Upstream;
  let running: RunningGateway;
  let browser: Browser;
  beforeAll(async () => {
    [up, browser] = await Promise.all([upstream(), openBrowser()]);
    up.next({ status: 503, json: { error: { message: "busy" } }, delayMs: 60 });
    up.on("*", { json: answer, delayMs: waitMs });
    const far = `base_url: "${up.url}/v1", credential: none`;
    running = await gateway({
      yaml: `providers:
  first: { kind: compatible, ${far}, models: [a] }
  far: { kind: compatible, ${far}, models: [m] }
models:
  smart: { candidates: [{ provider: first, model: a }, { provider: far, model: m }] }
`,
    });
  });
  afterAll(async () => {
    await browser?.close();
    await running?.stop();
    await up?.stop();
  });

  test("authentication, limits and routing are apart, with the gateway's own time; a table is behind a switch", async () => {
    const response = await fetch(`${running.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "smart", messages: [{ role: "user", content: "Hello" }] }),
    });
    await response.text();
    const id = response.headers.get("x-request-id");
    for (const view of fewViews) {
      const { page, problems, close } = await signedIn(browser, running.url, view);
      await page.goto(`${running.url}/console/requests?open=${id}`);
      const waterfall = page.getByRole("region", { name: "Waterfall" });
      for (const name of ["Authentication", "Routing", "Limits", "Try 1 first", "Try 2 far", "Settlement"])
        await waterfall.getByText(name, { exact: true }).waitFor();
      await waterfall.getByText(/^Gateway [\d.]+ (?:ms|µs)$/).waitFor();
      await picture(page, `waterfall-${view.width}-${view.scheme}`);
      await waterfall.getByRole("button", { name: "Show as table" }).click();
      const limits = waterfall.getByRole("row").filter({ hasText: "Limits" });
      expect(await limits.getByRole("cell").allInnerTexts()).toEqual([
        "Gateway",
        expect.stringMatching(/ (?:ms|µs)$/),
        expect.stringMatching(/ (?:ms|µs)$/),
      ]);
      const tried = waterfall.getByRole("row").filter({ hasText: "Try 2 far" });
      const [, took, unit] = /^([\d.]+) (ms|s)$/.exec(await tried.getByRole("cell").last().innerText()) ?? [];
      expect(Number(took) * (unit === "s" ? 1_000 : 1)).toBeGreaterThanOrEqual(waitMs - 5);
      expect(await faultsOf(page)).toEqual([]);
      await picture(page, `waterfall-table-${view.width}-${view.scheme}`);
      expect(problems).toEqual([]);
      await close();
    }
  });
});
