// All operations under load, with failures, cuts and kills: every answered request is in the ledger once, with the usage that its upstream reported.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RequestRow, readRequests } from "../../src/gateway/ledger/read.ts";
import { readUsageReport, sumAllRows } from "../../src/gateway/ledger/usage-report.ts";
import { formatDecimal } from "../../src/lib/decimal.ts";
import { adminKey, type ChildGateway, spawnGateway } from "../support/gateway.ts";
import { operationRequests, sendAs } from "../support/operation-requests.ts";
import { oracleUpstream } from "../support/oracle-upstream.ts";
import { until } from "../support/until.ts";

const isFull = process.env["TURNPIKE_TEST_FULL"] === "1";
const kills = Number(process.env["TURNPIKE_TEST_KILLS"] ?? (isFull ? 50 : 2));
const clients = isFull ? 64 : 16;
const limit = 5_000_000_000_000n;

const folder = mkdtempSync(join(tmpdir(), "turnpike-test-oracle-"));
const far = oracleUpstream();
afterAll(async () => {
  await far.stop();
  rmSync(folder, { recursive: true, force: true });
});

const usd =
  "{ input: 1, cache_read: 0.5, output: 50, image: 0.04, characters: 15, audio_minute: 0.006, search: 0.002, video_second: 0.1 }";
const yaml = `
providers:
  far: { kind: compatible, base_url: "${far.url}/v1", models: [big, embed, rank, moderation, draw, say, hear] }
  claude: { kind: anthropic, base_url: "${far.url}", credential: x, models: [claude-big] }
  google: { kind: gemini, base_url: "${far.url}", credential: x, models: [gemini-big] }
prices:
  shipped: false
  cost: [{ model: "*", usd: ${usd} }]
projects:
  shared:
    budgets: [{ amount: "${limit / 1_000_000_000n}", period: month }]
    end_users: { default_rules: { budgets: [{ amount: "1000", period: total }] } }
keys:
  one: { secret: tp-one-secret, project: shared }
  two: { secret: tp-two-secret, project: shared, budgets: [{ amount: "1000", period: day }] }
`;

/** A request that may have been answered. */
interface Sent {
  readonly mark: string;
  readonly operation: string;
  readonly body: Record<string, unknown> | FormData;
  readonly model: string;
  /** Its reply came to its own end. */
  isWhole: boolean;
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;
const models = ["big", "claude-big", "gemini-big"];
const isEnded = (text: string): boolean =>
  !/"error"/.test(text) && /\[DONE\]|message_stop|response\.completed|"finishReason":\s*"STOP"/.test(text);

interface Plan {
  readonly path: string;
  readonly operation: string;
  readonly body: Record<string, unknown> | FormData;
  readonly model?: string;
  readonly isStream?: boolean;
}

const plans: readonly ((mark: string) => Plan)[] = [
  (mark) => {
    const [model, stream] = [pick(models), Math.random() < 0.5];
    const body = { model, stream, max_tokens: 40, messages: [{ role: "user", content: mark }] };
    return { path: pick(["/v1/chat/completions", "/v1/messages"]), operation: "chat", body, isStream: stream };
  },
  (mark) => {
    const [model, stream] = [pick(models), Math.random() < 0.5];
    const body = { model, stream, max_output_tokens: 40, input: mark, store: false };
    return { path: "/v1/responses", operation: "chat", body, isStream: stream };
  },
  (mark) => {
    const [model, isStream] = [pick(models), Math.random() < 0.5];
    const contents = [{ role: "user", parts: [{ text: mark }] }];
    const verb = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
    const body = { contents, generationConfig: { maxOutputTokens: 40 } };
    return { path: `/v1beta/models/${model}:${verb}`, operation: "chat", body, model, isStream };
  },
  (mark) => ({ path: "/v1/embeddings", operation: "embed", body: { model: "embed", input: mark } }),
  (mark) => ({ path: "/v1/rerank", operation: "rerank", body: { model: "rank", query: mark, documents: ["a", "b"] } }),
  (mark) => ({ path: "/v1/moderations", operation: "moderate", body: { model: "moderation", input: mark } }),
  (mark) => ({
    ...{ path: "/v1/images/generations", operation: "image" },
    body: { model: "draw", prompt: mark, n: 1 + Math.floor(Math.random() * 3), response_format: "b64_json" },
  }),
  (mark) => ({ path: "/v1/audio/speech", operation: "speak", body: { model: "say", input: mark, voice: "alloy" } }),
  (mark) => {
    const form = operationRequests["transcriptions"]?.body as FormData;
    const copy = new FormData();
    copy.set("model", "hear");
    copy.set("prompt", mark);
    copy.set("file", form.get("file") as File);
    return { path: "/v1/audio/transcriptions", operation: "transcribe", body: copy };
  },
  () => ({ ...(operationRequests["videos"] as Plan) }),
  (mark) => {
    const body = { model: pick(models), input: mark, background: true, max_output_tokens: 40 };
    return { path: "/v1/responses", operation: "background", body };
  },
];

const sent: Sent[] = [];

/** A background response counts as answered when it is there: before its row is written, nothing is sent for it. */
async function isCompleted(gateway: ChildGateway, key: string, text: string): Promise<boolean> {
  const { id } = JSON.parse(text) as { id: string };
  const headers = { authorization: `Bearer ${key}` };
  for (;;) {
    const { status } = (await (await fetch(`${gateway.url}/v1/responses/${id}`, { headers })).json()) as {
      status: string;
    };
    if (!["queued", "in_progress"].includes(status)) return status === "completed";
    await Bun.sleep(5);
  }
}

async function client(gateway: ChildGateway, isOver: () => boolean, name: string, number: number): Promise<void> {
  const key = number % 2 === 0 ? "tp-one-secret" : "tp-two-secret";
  for (let count = 0; !isOver(); count++) {
    const mark = `mark-${name}-${count}`;
    const { path, operation, body, isStream = false } = pick(plans)(mark);
    const one: Sent = { mark, operation, body, model: "", isWhole: false };
    sent.push(one);
    const more = { "x-request-id": mark, "x-turnpike-user": `u${number % 5}` };
    const isGone = await sendAs(key, gateway.url + path, body, "POST", more)
      .then(async (response) => {
        const text = await response.text();
        if (![200, 500, 502].includes(response.status)) throw new Error(`${path} ${response.status} ${text}`);
        const isWhole = response.status === 200 && (!isStream || isEnded(text));
        one.isWhole = isWhole && (operation !== "background" || (await isCompleted(gateway, key, text)));
        return false;
      })
      .catch((thrown: unknown) => {
        if (String(thrown).includes(path)) throw thrown;
        return true;
      });
    if (isGone) return;
  }
}

const rowsOf = (): RequestRow[] => readRequests(folder, { limit: 1_000_000 });

function expectAmounts({ mark, operation, body }: Sent, row: RequestRow): void {
  const result = far.result.get(mark);
  const amounts: Partial<RequestRow> =
    operation === "chat" || operation === "background"
      ? {
          inputTokens: result?.input ?? -1,
          cacheReadTokens: result?.cacheRead ?? -1,
          outputTokens: result?.output ?? -1,
        }
      : operation === "embed" || operation === "rerank"
        ? { inputTokens: result?.input ?? -1 }
        : operation === "image"
          ? { images: Number((body as { n?: number }).n) }
          : operation === "speak"
            ? { characters: mark.length }
            : operation === "transcribe"
              ? { audioMs: 100 }
              : {};
  expect({ mark, operation, row }).toMatchObject({ mark, operation, row: amounts });
}

function check(rows: readonly RequestRow[]): void {
  const byRequest = Map.groupBy(rows, ({ requestId }) => requestId);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  for (const one of sent.filter(({ isWhole }) => isWhole)) {
    const [row, ...others] = byRequest.get(one.mark) ?? [];
    expect({ one, row, others }).toMatchObject({ row: expect.anything(), others: [] });
    if (row === undefined || one.operation === "video") continue;
    expect({ mark: one.mark, state: row.state }).toEqual({ mark: one.mark, state: "completed" });
    expectAmounts(one, row);
  }
  expect(rows.filter(({ state, priceNanoDollars }) => state === "completed" && priceNanoDollars === null)).toEqual([]);
}

const sum = (rows: readonly RequestRow[]): bigint =>
  rows.reduce((total, { priceNanoDollars }) => total + (priceNanoDollars ?? 0n), 0n);

/** What the database keeps by quarters of an hour, and the sum of the rows, in one look: tasks are settled meanwhile. */
function expectStored(level: string, id: string, column: string): void {
  using database = new Database(join(folder, "ledger.db"), { readonly: true, safeIntegers: true });
  const sql = `select (select sum(price) from spend where level = ? and id = ?) as stored,
    (select sum(price) from requests where ${column} = ?) as rows`;
  const { stored, rows } = database.query(sql).get(level, id, id) as { stored: bigint | null; rows: bigint | null };
  expect({ level, id, stored }).toEqual({ level, id, stored: rows });
}

function expectSpend(): void {
  expectStored("project", "file:shared", "project");
  for (const key of ["file:one", "file:two"]) expectStored("key", key, "key_id");
}

async function budgetsOf(gateway: ChildGateway, key: string) {
  const response = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
  const { budgets } = (await response.json()) as {
    budgets: { spent_nano_dollars: string; reserved_nano_dollars: string }[];
  };
  return budgets.map((each) => ({
    spent: BigInt(each.spent_nano_dollars),
    reserved: BigInt(each.reserved_nano_dollars),
  }));
}

function expectReports(): void {
  for (const query of [{ groupBy: [] }, { groupBy: ["day", "model"] }, { groupBy: ["endUser", "operation"] }] as const)
    expect(readUsageReport(folder, query)).toEqual(sumAllRows(folder, query));
}

async function adminData(gateway: ChildGateway, path: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${gateway.url}/admin/api/${path}`, {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  return ((await response.json()) as { data: Record<string, unknown>[] }).data;
}

/** What the console shows: usage by key, and its charts, to the last token and nano-dollar. */
async function expectConsole(gateway: ChildGateway, rows: readonly RequestRow[]): Promise<void> {
  const [usage, charts] = [
    await adminData(gateway, "usage?group_by=key"),
    await adminData(gateway, "series?metric=requests,price&group_by=key"),
  ];
  for (const key of ["file:one", "file:two"]) {
    const own = rows.filter(({ keyId }) => keyId === key);
    const charged = own.filter(({ charged }) => charged === 1);
    const [requests, price] = [own.length, formatDecimal(sum(own), 9)];
    const tokens = {
      input: charged.reduce((total, { inputTokens }) => total + inputTokens, 0),
      output: charged.reduce((total, { outputTokens }) => total + outputTokens, 0),
    };
    expect(usage.find(({ key_id }) => key_id === key)).toMatchObject({ requests, price, tokens });
    expect(charts.find(({ group }) => group === key)).toMatchObject({ total: { requests, price } });
  }
}

test("every operation is in the ledger once with what its upstream reported, and budgets are the sums of the rows", async () => {
  for (let round = 0; round <= kills; round++) {
    const gateway = await spawnGateway({ yaml, dataFolder: folder });
    expectSpend();
    let isOver = false;
    const before = sent.filter(({ isWhole }) => isWhole).length;
    const working = Promise.all(
      Array.from({ length: clients }, (_, number) => client(gateway, () => isOver, `${round}-${number}`, number)),
    );
    const wanted = before + clients * (round < kills ? 1 + 3 * Math.random() : 10);
    await until("requests are answered", () => sent.filter(({ isWhole }) => isWhole).length >= wanted);
    isOver = true;
    if (round < kills) await gateway.kill();
    await working;
    if (round < kills) {
      await gateway.stop();
      continue;
    }
    await until("all requests are settled", () =>
      rowsOf().every(({ state }) => state !== "open" && state !== "pending"),
    );
    const rows = rowsOf();
    check(rows);
    expectSpend();
    expectReports();
    const own = sum(rows.filter(({ keyId }) => keyId === "file:two"));
    expect(await budgetsOf(gateway, "tp-one-secret")).toEqual([{ spent: sum(rows), reserved: 0n }]);
    expect(await budgetsOf(gateway, "tp-two-secret")).toEqual(
      expect.arrayContaining([
        { spent: sum(rows), reserved: 0n },
        { spent: own, reserved: 0n },
      ]),
    );
    expect(new Set(rows.map(({ operation }) => operation)).size).toBe(8);
    await expectConsole(gateway, rows);
    await gateway.stop();
  }
}, 900_000);
