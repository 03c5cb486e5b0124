// Times of every query that the console makes, over a ledger with many rows: opens its pages in Chromium, collects what they ask, and asks that again. Run with `bun bench/console.ts`.
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { signedIn } from "../test/console/setting.ts";
import { openBrowser } from "../test/support/browser.ts";
import { adminKey, type ChildGateway, spawnGateway } from "../test/support/gateway.ts";
import { fillLedger } from "../test/support/many-requests.ts";
import { spread } from "./statistics.ts";

const rows = Number(process.env["ROWS"] ?? 10_000_000);
const times = Number(process.env["TIMES"] ?? 9);
const barMs = 100;
/** Pages of a list that are asked one after the other, as by someone who scrolls. */
const pagesOfList = 4;
const monthMs = 30 * 24 * 3_600_000;

const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
const yaml = `
keys:
${keys.map((name) => `  ${name}: { secret: tp-secret-of-${name}, budgets: [{ amount: "1000000", period: month }] }`).join("\n")}
models:
  model-1: { candidates: [{ provider: sandbox, model: chat }] }
`;

/** What the filters of the list of requests are set to: frequent values, rare ones, and ones that never occur. */
const filters = [
  "model=model-1",
  "provider=provider-2",
  "key_id=key-7",
  "end_user=user-2997",
  "operation=embed",
  "state=failed",
  "state=cancelled",
  "status=502",
  "status=418",
  "error_code=upstream_failed",
  "session=session-9000",
  "min_duration_ms=600000",
  "max_duration_ms=10",
  "min_cost=1",
  "max_cost=0.000000001",
  "key_id=key-0&project=project-1",
  "state=failed&model=model-10&status=418",
  "request_id=client-4000000",
  "project=project-3",
];

const places = (range: string): readonly string[] => [
  `?range=${range}`,
  ...["provider", "key", "project"].map((by) => `?range=${range}&by=${by}`),
  ...["errors", "tokens", "price", "latency"].map((show) => `?range=${range}&show=${show}`),
  ...["model", "provider", "key", "project"].map((split) => `?range=${range}&split=${split}`),
  `?range=${range}&project=project-3`,
  `/requests?range=${range}`,
  ...filters.map((filter) => `/requests?range=${range}&${filter}`),
  `/providers?range=${range}`,
  `/providers?range=${range}&open=sandbox`,
  `/models?range=${range}&open=model-1`,
  `/keys?range=${range}`,
  `/keys?range=${range}&open=key-7`,
];

const paths = [
  ...["1h", "24h", "7d", "30d"].flatMap(places),
  ...["/requests?tab=tasks", "/models", "/models?tab=prices", "/keys?tab=projects", "/settings", "/settings?tab=audit"],
  ...["/settings?tab=users", "/playground"],
];

/** The gateway with its ledger; `FOLDER` keeps the ledger for another run. */
async function prepare(): Promise<{ readonly gateway: ChildGateway; remove(): void }> {
  const folder = process.env["FOLDER"];
  const dataFolder = folder ?? mkdtempSync(join(tmpdir(), "turnpike-console-"));
  mkdirSync(dataFolder, { recursive: true });
  if (!existsSync(join(dataFolder, "ledger.db"))) {
    // A gateway makes the other files of the folder.
    await (await spawnGateway({ yaml, dataFolder })).kill("SIGTERM");
    const everyMs = Math.floor(monthMs / rows);
    await fillLedger({ dataFolder, rows, startMs: Date.now() - rows * everyMs, everyMs });
  }
  const gateway = await spawnGateway({ yaml, dataFolder });
  return { gateway, remove: () => folder ?? rmSync(dataFolder, { recursive: true, force: true }) };
}

const headers = { authorization: `Bearer ${adminKey}` };

interface Answer {
  readonly ms: number;
  readonly nextCursor: string | null;
}

async function ask(url: string): Promise<Answer> {
  const startedMs = performance.now();
  const answer = await fetch(url, { headers });
  const text = await answer.text();
  const ms = performance.now() - startedMs;
  if (!answer.ok && answer.status !== 404) throw new Error(`${url}: ${answer.status} ${text.slice(0, 200)}`);
  return { ms, nextCursor: (JSON.parse(text) as { next_cursor?: string | null }).next_cursor ?? null };
}

/** Queries are refused with status 503 until the index is made. */
async function indexMade(url: string): Promise<void> {
  while ((await fetch(url, { headers })).status === 503) await Bun.sleep(1_000);
}

/** Every query of the pages; those that differ only by the minute of the visit once. */
async function queriesOf(page: Page, url: string): Promise<readonly string[]> {
  const found = new Map<string, string>();
  let range: string | null = null;
  page.on("request", (request) => {
    const address = request.url().slice(url.length);
    if (request.method() !== "GET" || !address.startsWith("/admin/api/") || address.includes("/live")) return;
    const name = `${range} ${address.replace(/since=[^&]+/, "")}`;
    if (!found.has(name)) found.set(name, address);
  });
  for (const path of paths) {
    range = new URL(path, url).searchParams.get("range");
    await page.goto(`${url}/console${path}`);
    await page.waitForLoadState("networkidle");
  }
  return [...found.values()];
}

interface Figure {
  readonly query: string;
  readonly firstMs: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

async function timesOf(url: string, query: string): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  let next: string | null = query;
  for (let number = 1; next !== null && number <= pagesOfList; number++) {
    const answers: Answer[] = [];
    for (let run = 0; run < times; run++) answers.push(await ask(url + next));
    const { median = 0, max = 0 } = spread(answers.map(({ ms }) => ms)) ?? {};
    figures.push({ query: next, firstMs: answers[0]?.ms ?? 0, medianMs: median, maxMs: max });
    const cursor: string | null = answers[0]?.nextCursor ?? null;
    next = cursor === null ? null : `${query}${query.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
  }
  return figures;
}

const { gateway, remove } = await prepare();
try {
  const startedMs = performance.now();
  await indexMade(`${gateway.url}/admin/api/requests?limit=1`);
  console.log(
    `${rows} rows; the first query was answered after ${((performance.now() - startedMs) / 1_000).toFixed(1)} s, in which the index is made if there is none.`,
  );
  const size = (name: string) => (statSync(join(gateway.dataFolder, name)).size / 2 ** 20).toFixed(0);
  console.log(`ledger.db ${size("ledger.db")} MiB, usage.db ${size("usage.db")} MiB`);
  const browser = await openBrowser();
  const { page } = await signedIn(browser, gateway.url, { width: 1440, scheme: "light" });
  const queries = await queriesOf(page, gateway.url);
  await browser.close();
  const figures: Figure[] = [];
  for (const query of queries) figures.push(...(await timesOf(gateway.url, query)));
  figures.sort((one, other) => other.medianMs - one.medianMs);
  const over = figures.filter(({ medianMs }) => medianMs > barMs);
  console.log(
    `${figures.length} queries, ${over.length} of them over ${barMs} ms in the median of ${times}; the slowest:`,
  );
  for (const { query, firstMs, medianMs, maxMs } of figures.slice(0, Math.max(25, over.length)))
    console.log(
      `${medianMs.toFixed(1).padStart(8)} ms (first ${firstMs.toFixed(1)}, most ${maxMs.toFixed(1)})  ${query}`,
    );
} finally {
  await gateway.kill("SIGTERM");
  remove();
}
