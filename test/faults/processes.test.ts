// Faults of the gateway's own process: signals, a stopped process, a clock that jumps, defects; each with what clients and the ledger see.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { says } from "../support/fixtures.ts";
import { type ChildGateway, spawnGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { type Upstream, upstream } from "../support/upstream.ts";

let up: Upstream;
beforeAll(async () => {
  up = await upstream();
});
afterAll(() => up.stop());

const yamlOf = (more = "") => `providers:\n  far: { kind: compatible, base_url: "${up.url}/v1", models: [m] }\n${more}`;

const openRows = ({ dataFolder }: ChildGateway): number =>
  ledgerRows(dataFolder).filter(({ state }) => state === "open").length;

const chat = (gateway: ChildGateway, more: object = {}): Promise<Response> =>
  post(gateway, "/v1/chat/completions", more);

function post({ url, key }: ChildGateway, path: string, more: object): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({ model: "far/m", messages: [{ role: "user", content: "hi" }], ...more }),
  });
}

const isUnready = async ({ url }: ChildGateway): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 503;

/** A gateway with one request that its provider answers when `release` is called. */
async function withRequestInProgress(yaml = yamlOf(), preload?: string) {
  up.clear();
  const gate = Promise.withResolvers<void>();
  up.on("*", async (line) => {
    await gate.promise;
    await line.play(says("openai-chat/text.json"));
  });
  const gateway = await spawnGateway({ yaml, ...(preload === undefined ? {} : { preload }) });
  const requested = chat(gateway);
  await up.seen(0);
  return { gateway, requested, release: () => gate.resolve() };
}

describe("an error that nothing caught", () => {
  test("P8: after an exception the process is unready, lets requests in progress end, and exits with 70", async () => {
    const { gateway, requested, release } = await withRequestInProgress(undefined, "throw-on-signal.ts");
    gateway.process.kill("SIGUSR2");
    await until("it is unready", () => isUnready(gateway));
    release();
    expect((await requested).status).toBe(200);
    expect(await gateway.process.exited).toBe(70);
    expect(ledgerRows(gateway.dataFolder)).toMatchObject([{ state: "completed", outputTokens: expect.any(Number) }]);
    expect(gateway.log.join("\n")).toMatch(/"uncaught_exception".*nothing catches this exception/);
    await gateway.stop();
  });

  test("P8: after a rejection it continues, and counts it", async () => {
    up.clear();
    up.on("*", says("openai-chat/text.json"));
    const gateway = await spawnGateway({ yaml: yamlOf(), preload: "throw-on-signal.ts" });
    gateway.process.kill("SIGWINCH");
    await until("it is in the log", () => gateway.log.some((line) => line.includes("uncaught_rejection")));
    expect((await chat(gateway)).status).toBe(200);
    gateway.process.kill("SIGTERM");
    expect(await gateway.process.exited).toBe(0);
    await gateway.stop();
  });
});

describe("signals", () => {
  test("P1: after SIGTERM it is unready at once, and the response to each new request closes its connection", async () => {
    const { gateway, requested, release } = await withRequestInProgress();
    expect((await fetch(`${gateway.url}/livez`)).headers.get("connection")).not.toBe("close");
    gateway.process.kill("SIGTERM");
    await until("it is unready", () => isUnready(gateway));
    expect((await fetch(`${gateway.url}/livez`)).headers.get("connection")).toBe("close");
    release();
    expect((await requested).status).toBe(200);
    expect(await gateway.process.exited).toBe(0);
    expect([ledgerRows(gateway.dataFolder).length, openRows(gateway)]).toEqual([1, 0]);
    await gateway.stop();
  });
});

describe("what is still in progress when the process has to end", () => {
  /** One buffered request and one stream in each of three formats, none of which its provider ever completes. */
  async function unfinished(yaml: string) {
    up.clear();
    const delta = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "One two three." } }] })}\n\n`;
    up.on("*", (line) =>
      (line.request.json as { stream?: boolean }).stream === true
        ? line.play({ frames: [delta], ending: "hang" })
        : line.closed,
    );
    const gateway = await spawnGateway({ yaml });
    const buffered = chat(gateway);
    const streams = await Promise.all([
      chat(gateway, { stream: true }),
      post(gateway, "/v1/messages", { max_tokens: 100, stream: true }),
      post(gateway, "/v1/responses", { messages: undefined, input: "hi", stream: true }),
    ]);
    await up.seen(3);
    return { gateway, buffered, texts: streams.map((stream) => stream.text()) };
  }

  async function expectInterrupted({ gateway, buffered, texts }: Awaited<ReturnType<typeof unfinished>>) {
    const answer = await buffered;
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: "draining" } }]);
    const [completion = "", message = "", response = ""] = await Promise.all(texts);
    expect(completion).toMatch(/"code":"draining"/);
    expect(completion).not.toContain("[DONE]");
    expect(message).toMatch(/event: error\ndata: .*shutting down/);
    expect(message).not.toContain("message_stop");
    expect(response).toMatch(/event: response.failed\ndata: .*shutting down/);
    const rows = ledgerRows(gateway.dataFolder);
    expect(rows.map(({ state, errorCode }) => [state, errorCode])).toEqual(rows.map(() => ["interrupted", "draining"]));
    expect(rows.filter(({ stream, charged, outputTokens }) => stream && charged && outputTokens > 0)).toHaveLength(3);
    await gateway.stop();
  }

  test("P1: ends with an error in its client's format when the time to drain is over, and exits with 0", async () => {
    const requested = await unfinished(yamlOf("limits: { shutdown_ms: 500 }\n"));
    requested.gateway.process.kill("SIGTERM");
    await expectInterrupted(requested);
    expect(await requested.gateway.process.exited).toBe(0);
  });

  test("P2: ends with the same error after a second signal, and exits with 130", async () => {
    const requested = await unfinished(yamlOf());
    requested.gateway.process.kill("SIGTERM");
    await until("it is unready", () => isUnready(requested.gateway));
    requested.gateway.process.kill("SIGTERM");
    await expectInterrupted(requested);
    expect(await requested.gateway.process.exited).toBe(130);
  });
});

describe("time", () => {
  test("P4: a process that was stopped fails what is overdue, and then works as before", async () => {
    up.clear();
    const gateway = await spawnGateway({
      yaml: `providers:\n  far: { kind: compatible, base_url: "${up.url}/v1", models: [m], timeout_ms: 3000 }\n`,
    });
    up.next((line) => line.closed);
    const requested = chat(gateway);
    await up.seen(0);
    gateway.process.kill("SIGSTOP");
    await Bun.sleep(3_500);
    gateway.process.kill("SIGCONT");
    expect((await requested).status).toBe(504);
    up.on("*", says("openai-chat/text.json"));
    expect((await chat(gateway)).status).toBe(200);
    expect(ledgerRows(gateway.dataFolder)).toMatchObject([{ state: "failed" }, { state: "completed" }]);
    await gateway.stop();
  });

  test("P5: durations, the order of ids and budgets stay right when the clock jumps", async () => {
    up.clear();
    up.on("*", says("openai-chat/text.json"));
    const budget = 'keys:\n  small: { secret: tp-small-budget, budgets: [{ amount: "0.0000001", period: day }] }\n';
    const prices = "prices: { cost: [{ model: m, usd: { input: 100, output: 100 } }] }\n";
    const gateway = await spawnGateway({ yaml: yamlOf(budget + prices), preload: "jump-clock.ts" });
    const statuses = async () => [
      (await chat(gateway)).status,
      (await chat({ ...gateway, key: "tp-small-budget" })).status,
    ];
    expect(await statuses()).toEqual([200, 429]);
    gateway.process.kill("SIGWINCH");
    expect(await statuses()).toEqual([200, 429]);
    gateway.process.kill("SIGUSR2");
    expect(await statuses()).toEqual([200, 429]);
    const rows = ledgerRows(gateway.dataFolder) as unknown as { id: string; durationMs: number }[];
    const ids = rows.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    for (const { durationMs } of rows) expect(durationMs).toBeWithin(0, 60_000);
    await gateway.stop();
  });
});
