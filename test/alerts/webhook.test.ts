// Alerts of a running gateway at a receiver with a socket of its own, which checks each signature.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verified } from "../../examples/alert-receiver.ts";
import { createAlerting } from "../../src/app/alerting.ts";
import type { Gateway } from "../../src/gateway/pipeline/gateway.ts";
import type { Events } from "../../src/telemetry/events.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

/** Fails every first try, so that each message is tried twice. */
function receiver() {
  const received: Message[] = [];
  const tries = new Map<string, number>();
  const waiting: { readonly count: number; resolve(): void }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const message = verified(secret, request.headers, await request.text()) as Message;
      const id = request.headers.get("webhook-id") ?? "";
      tries.set(id, (tries.get(id) ?? 0) + 1);
      if (tries.get(id) === 1) return new Response(null, { status: 503 });
      received.push(message);
      for (const each of waiting) if (received.length >= each.count) each.resolve();
      return new Response(null, { status: 204 });
    },
  });
  const until = async (count: number): Promise<readonly Message[]> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ count, resolve });
    if (received.length < count) await promise;
    return received;
  };
  return { port: server.port, received, tries, until, stop: () => server.stop(true) };
}

const at = receiver();
const up = await upstream();
const hi = {
  json: {
    ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
    choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
};
const yaml = (allow: string): string => `
fetch: { allow: [${allow}] }
alerts: { url: "http://127.0.0.1:${at.port}/alerts", secret: "${secret}" }
limits: { ejection_ms: 100, candidate_cooldown_ms: 1000 }
providers:
  far: { kind: compatible, base_url: "${up.url}/v1", credential: alert-canary, models: [m, gone, shut] }
models:
  usual: { candidates: [{ provider: far, model: m }] }
  retired: { candidates: [{ provider: far, model: gone }] }
  closed: { candidates: [{ provider: far, model: shut }] }
prices: { cost: [{ model: "*", usd: { input: 1000, output: 1000 } }] }
projects: { default: { budgets: [{ amount: "100", period: month }] } }
`;
const running = await gateway({ yaml: yaml(`"127.0.0.1:${at.port}"`) });
afterAll(async () => {
  await running.stop();
  await up.stop();
  await at.stop();
});

async function chat({ url, key }: RunningGateway, model: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  await answer.arrayBuffer();
  return answer.status;
}
const shown = ({ type, data: { status, model } }: Message) => [type, status, model ?? null];

test("a failing provider, a refused credential and a model that is gone are sent once, and their end", async () => {
  up.on("*", { status: 500, json: { error: { message: "out of order, alert-canary" } } });
  for (let n = 0; n < 8; n++) await chat(running, "usual");
  expect((await at.until(1)).map(shown)).toEqual([["provider.failing", "firing", "m"]]);
  up.clear();
  up.on("*", { status: 404, json: { error: { message: "no such model", code: "model_not_found" } } });
  for (let n = 0; n < 2; n++) await chat(running, "retired");
  await at.until(2);
  up.clear();
  up.on("*", { status: 401, json: { error: { message: "no", code: "invalid_api_key" } } });
  for (let n = 0; n < 2; n++) await chat(running, "closed");
  await at.until(3);
  up.clear();
  up.on("*", hi);
  for (const model of ["usual", "retired", "closed"]) expect(await chat(running, model)).toBe(200);
  await at.until(6);
  const types = at.received.map(shown);
  expect(types.slice(0, 3)).toEqual([
    ["provider.failing", "firing", "m"],
    ["model.set_aside", "firing", "gone"],
    ["credential.rejected", "firing", null],
  ]);
  expect(
    types
      .slice(3)
      .map(([type]) => type)
      .sort(),
  ).toEqual([...["credential.accepted", "model.restored", "provider.recovered"]]);
  expect(at.received[0]?.data).toMatchObject({ provider: "far", credential: null, error: { status: 500 } });
  expect(JSON.stringify(at.received)).not.toContain("alert-canary");
  expect([...at.tries.values()].every((tries) => tries === 2)).toBe(true);
  expect([...running.log, ...running.lines].join("\n")).not.toContain(secret);
});

test("a budget that is half spent is sent once", async () => {
  const before = at.received.length;
  up.clear();
  up.on("*", { json: { ...hi.json, usage: { prompt_tokens: 60_000, completion_tokens: 1, total_tokens: 60_001 } } });
  expect(await chat(running, "usual")).toBe(200);
  const received = await at.until(before + 1);
  expect(received.slice(before)).toMatchObject([
    { type: "budget.threshold", data: { status: "firing", level: "project", id: "default", percent: 50 } },
  ]);
});

test("an address that is not allowed is not called, and requests are answered", async () => {
  const own = await gateway({ yaml: yaml("") });
  const before = at.tries.size;
  up.clear();
  up.on("*", { status: 404, json: { error: { message: "no such model", code: "model_not_found" } } });
  await chat(own, "retired");
  up.clear();
  up.on("*", hi);
  expect(await chat(own, "usual")).toBe(200);
  await own.stop();
  expect(at.tries.size).toBe(before);
});

test("a disk that fills and a ledger that cannot be written are sent, and the end of both", async () => {
  const before = at.received.length;
  let isBroken = true;
  const settings = { url: `http://127.0.0.1:${at.port}/alerts`, reminderMs: 0, diskFreePercent: 101 };
  const quiet = () => undefined;
  const alerting = createAlerting({
    settings: { ...settings, key: new Uint8Array(32).fill(7) },
    dataFolder: tmpdir(),
    events: { candidateUsable: quiet, backgroundTaskFailed: quiet } as unknown as Events,
    fetchAllow: [`127.0.0.1:${at.port}`],
  });
  const end = alerting.connect({
    catalog: { current: () => ({ version: 1, providers: [], routes: new Map() }) },
    router: { health: { stateOf: () => [] } },
    ledger: { probe: () => (isBroken ? Promise.reject(new Error("disk full")) : Promise.resolve()) },
    dnsFor: () => () => Promise.resolve([]),
  } as unknown as Gateway);
  const look = () => alerting.events.candidateUsable({ provider: "p", credential: null, model: "m" });
  look();
  const firing = (await at.until(before + 2)).slice(before);
  expect(firing.map(({ type }) => type)).toEqual(["disk.filling", "ledger.not_writable"]);
  expect(firing[0]?.data["free_percent"]).toBeNumber();
  isBroken = false;
  look();
  expect((await at.until(before + 3))[before + 2]).toMatchObject({
    ...{ type: "ledger.recovered", data: { status: "resolved" } },
  });
  end();
});

test("alerts count without a restart: added, moved to another address, and removed", async () => {
  const other = receiver();
  const file = join(mkdtempSync(join(tmpdir(), "turnpike-alerts-")), "turnpike.yaml");
  const withAlerts = (port: number | null | undefined): string =>
    `providers:\n  far: { kind: compatible, base_url: "${up.url}/v1", models: [gone] }\n` +
    "models: { retired: { candidates: [{ provider: far, model: gone }] } }\n" +
    `fetch: { allow: ["127.0.0.1:${at.port}", "127.0.0.1:${other.port}"] }\n` +
    (typeof port !== "number" ? "" : `alerts: { url: "http://127.0.0.1:${port}/alerts", secret: "${secret}" }\n`);
  writeFileSync(file, withAlerts(null));
  const own = await gateway({ environment: { TURNPIKE_CONFIG: file } });
  const change = async (port: number | null | undefined): Promise<void> => {
    const count = () => own.log.filter((line) => line.includes('"configuration_applied"')).length;
    const before = count();
    writeFileSync(file, withAlerts(port));
    await until("the file counts", () => count() > before);
  };
  up.clear();
  up.on("*", { status: 404, json: { error: { message: "no such model", code: "model_not_found" } } });
  await chat(own, "retired");
  const before = at.received.length;
  await change(at.port);
  expect((await at.until(before + 1)).slice(before)).toMatchObject([{ type: "model.set_aside" }]);
  await change(other.port);
  expect(await other.until(1)).toMatchObject([{ type: "model.set_aside", data: { status: "firing" } }]);
  await change(null);
  up.clear();
  up.on("*", hi);
  expect(await chat(own, "retired")).toBe(200);
  await own.stop();
  expect([at.received.length - before, other.received.length]).toEqual([1, 1]);
  rmSync(file);
  await other.stop();
});
