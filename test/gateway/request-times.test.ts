// Where the time of a request went: its parts follow each other without a gap, and each is as long as what happened in it.
import { afterAll, beforeEach, expect, test } from "bun:test";
import type { Policy } from "../../src/gateway/policy/policy.ts";
import { says, wireFrames } from "../support/fixtures.ts";
import { adminKey, gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

type Parts = Record<string, number | null>;
interface Row {
  state: string;
  duration_ms: number;
  first_byte_ms: number | null;
  timings: Parts | null;
}

const order = ["authentication", "body", "parsing", "queue", "access", "routing", "limits", "record"];
const upstreamParts = ["attempts", "wait", "stream", "settlement"];

/** How long the policy below takes, by the name of the key. */
const slowMs = 100;

function spin(isSlow: boolean): void {
  for (const end = performance.now() + slowMs; isSlow && performance.now() < end; );
}

const policy: Policy = {
  name: "slow",
  authorize: ({ caller }) => spin(caller.name === "checked"),
  permits: ({ caller }) => spin(caller.name === "routed") ?? true,
  admit: ({ caller }) => void spin(caller.name === "limited"),
};

const [up, failing] = [await upstream(), await upstream()];
const far = `[{ provider: far, model: m }]`;
const running = await gateway({
  policies: [policy],
  yaml: `
providers:
  far: { kind: compatible, base_url: "${up.url}/v1", models: [m] }
  failing: { kind: compatible, base_url: "${failing.url}/v1", models: [f] }
models:
  smart: { candidates: [{ provider: failing, model: f }, { provider: far, model: m }] }
  patient: { candidates: ${far}, queue: { max_wait_ms: 60000 } }
keys:
  plain: { secret: tp-plain-key-1 }
  checked: { secret: tp-checked-key-1 }
  routed: { secret: tp-routed-key-1 }
  limited: { secret: tp-limited-key-1 }
  single: { secret: tp-single-key-1, limits: { concurrent_requests: 1 } }
limits: { breaker_failures: 1000000, breaker_min_requests: 1000000 }
`,
});
afterAll(async () => {
  await running.stop();
  await Promise.all([up.stop(), failing.stop()]);
});
beforeEach(() => up.clear());

let requests = 0;

async function ask(given: Record<string, unknown>, key = "plain", body?: (text: string) => ReadableStream) {
  const id = `times-${++requests}`;
  const text = JSON.stringify({ model: "far/m", messages: [{ role: "user", content: "hi" }], ...given });
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer tp-${key}-key-1`, "content-type": "application/json", "x-request-id": id },
    body: body?.(text) ?? text,
  });
  await response.text();
  return { id, status: response.status };
}

const rowOf = (id: string): Promise<Row> =>
  until("the request has settled", async () => {
    const headers = { authorization: `Bearer ${adminKey}` };
    const response = await fetch(`${running.url}/admin/api/requests/${id}`, { headers });
    const row = (await response.json()) as Row;
    return response.status === 200 && row.state !== "open" && row;
  });

/** The parts of a settled request in milliseconds; they must add up to its duration. */
async function partsOf(id: string): Promise<Parts> {
  const { timings, duration_ms: whole } = await rowOf(id);
  const parts = Object.entries(timings ?? {});
  expect(parts.map(([name]) => name)).toEqual([...order, ...upstreamParts].map((name) => `${name}_us`));
  expect(parts.every(([, us]) => us === null || (Number.isInteger(us) && us >= 0))).toBe(true);
  const sum = parts.reduce((total, [, us]) => total + (us ?? 0), 0) / 1_000;
  expect(Math.abs(sum - whole)).toBeLessThanOrEqual(0.51);
  return Object.fromEntries(parts.map(([name, us]) => [name.replace("_us", ""), us === null ? null : us / 1_000]));
}

/** The longest part. */
const longest = (parts: Parts): string | undefined =>
  Object.entries(parts).toSorted(([, one], [, other]) => (other ?? 0) - (one ?? 0))[0]?.[0];

test("a whole reply: the wait for the provider is apart, and there is no stream", async () => {
  up.on("*", says("openai-chat/text.json", { delayMs: 200 }));
  const parts = await partsOf((await ask({})).id);
  expect(parts["wait"]).toBeGreaterThan(195);
  expect(longest(parts)).toBe("wait");
  expect(Object.entries(parts).filter(([, ms]) => ms === null)).toEqual([["stream", null]]);
});

test("a stream: the first byte ends the wait, the rest is the stream", async () => {
  const gate = Promise.withResolvers<void>();
  const frames = wireFrames("openai-chat/text.sse");
  up.on("*", { frames, delayMs: 100, gate: gate.promise, gateAfter: frames.length - 1 });
  const requested = ask({ stream: true });
  await up.seen(0);
  await Bun.sleep(300);
  gate.resolve();
  const { id } = await requested;
  const parts = await partsOf(id);
  expect(parts["wait"]).toBeGreaterThan(95);
  expect(parts["stream"]).toBeGreaterThan(150);
  const before = Object.values(parts).slice(0, -2);
  const firstByte = before.reduce<number>((total, ms) => total + (ms ?? 0), 0);
  expect(Math.abs(firstByte - ((await rowOf(id)).first_byte_ms ?? 0))).toBeLessThanOrEqual(0.51);
});

test.each([
  ["checked", "access"],
  ["routed", "routing"],
  ["limited", "limits"],
])("a policy that is slow for the key %s is seen in %s", async (key, part) => {
  up.on("*", says("openai-chat/text.json"));
  const plain = await partsOf((await ask({})).id);
  const parts = await partsOf((await ask({}, key)).id);
  expect(parts[part]).toBeGreaterThanOrEqual(slowMs);
  expect(plain[part]).toBeLessThan(slowMs);
});

test("the time that the client takes for its body is its own part", async () => {
  up.on("*", says("openai-chat/text.json"));
  const slow = (text: string) =>
    new ReadableStream({
      async start(controller) {
        controller.enqueue(text.slice(0, 10));
        // On a busy machine the gateway may begin to read some time later.
        await Bun.sleep(600);
        controller.enqueue(text.slice(10));
        controller.close();
      },
    });
  const parts = await partsOf((await ask({}, "plain", slow)).id);
  expect(parts["body"]).toBeGreaterThan(300);
  expect(longest(parts)).toBe("body");
});

test("a wait for the admission is its own part, and the steps before it are not counted twice", async () => {
  const gate = Promise.withResolvers<void>();
  up.next({ ...says("openai-chat/text.json"), gate: gate.promise, gateAfter: 0 });
  up.on("*", says("openai-chat/text.json"));
  const first = ask({ model: "patient" }, "single");
  await up.seen(0);
  const second = ask({ model: "patient" }, "single");
  await Bun.sleep(200);
  gate.resolve();
  await first;
  const parts = await partsOf((await second).id);
  expect(parts["queue"]).toBeGreaterThan(100);
  expect(longest(parts)).toBe("queue");
});

test("failed attempts are apart from the one that answered", async () => {
  failing.on("*", { status: 500, json: {}, delayMs: 120 });
  up.on("*", says("openai-chat/text.json", { delayMs: 60 }));
  const parts = await partsOf((await ask({ model: "smart" })).id);
  expect(parts["attempts"]).toBeGreaterThan(115);
  expect(parts["wait"]).toBeGreaterThan(55);
  expect(parts["wait"]).toBeLessThan(parts["attempts"] ?? 0);
});

test("a request that every provider refuses shows how far it came", async () => {
  up.on("*", says("openai-chat/error-400.json", { delayMs: 50 }));
  const { id, status } = await ask({});
  expect(status).toBe(400);
  const parts = await partsOf(id);
  expect(parts["attempts"]).toBeGreaterThan(45);
  expect(parts).toMatchObject({ wait: null, stream: null });
});
