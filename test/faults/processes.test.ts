// Faults of the gateway's own process: signals, crashes and a stopped clock, each with what clients and the ledger see (P1 to P8).
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

function chat({ url, key }: ChildGateway, more: object = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
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
  const asked = chat(gateway);
  await up.seen(0);
  return { gateway, asked, release: () => gate.resolve() };
}

describe("an error that nothing caught", () => {
  test("P8: after an exception the process is unready, lets requests in progress end, and exits with 70", async () => {
    const { gateway, asked, release } = await withRequestInProgress(undefined, "throw-on-signal.ts");
    gateway.process.kill("SIGUSR2");
    await until("it is unready", () => isUnready(gateway));
    release();
    expect((await asked).status).toBe(200);
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
    const { gateway, asked, release } = await withRequestInProgress();
    expect((await fetch(`${gateway.url}/livez`)).headers.get("connection")).not.toBe("close");
    gateway.process.kill("SIGTERM");
    await until("it is unready", () => isUnready(gateway));
    expect((await fetch(`${gateway.url}/livez`)).headers.get("connection")).toBe("close");
    release();
    expect((await asked).status).toBe(200);
    expect(await gateway.process.exited).toBe(0);
    expect([ledgerRows(gateway.dataFolder).length, openRows(gateway)]).toEqual([1, 0]);
    await gateway.stop();
  });
});
