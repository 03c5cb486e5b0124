// Routes that let requests wait: what would be 429 or 503 is answered a little later, whoever waits longest and by priority.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { says } from "../support/fixtures.ts";
import { adminKey, gateway, type RunningGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { type Upstream, upstream } from "../support/upstream.ts";

let up: Upstream;
let served: RunningGateway;
beforeAll(async () => {
  up = await upstream();
  const candidates = "[{ provider: far, model: m }]";
  served = await gateway({
    yaml: `
limits: { max_concurrent_requests: 2 }
providers:
  far: { kind: compatible, base_url: "${up.url}/v1", models: [m] }
models:
  patient: { candidates: ${candidates}, queue: { max_requests: 3, max_wait_ms: 60000 } }
  hasty: { candidates: ${candidates}, queue: { max_wait_ms: 50 } }
  plain: { candidates: ${candidates} }
keys:
  one: { secret: tp-one-key, limits: { concurrent_requests: 1 } }
  first: { secret: tp-first-key, priority: high }
  last: { secret: tp-last-key, priority: low }
`,
  });
});
beforeEach(() => up.clear());
afterAll(async () => {
  await served.stop();
  await up.stop();
});

function ask(model: string, key: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${served.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: key }] }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The provider answers one request after the other, when it is told to. */
function gates(): { open(count?: number): void } {
  const waiting: (() => void)[] = [];
  let opened = 0;
  up.on("*", async (line) => {
    if (opened > 0) opened--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    await line.play(says("openai-chat/text.json"));
  });
  return {
    open(count = 1) {
      for (let n = 0; n < count; n++) {
        const next = waiting.shift();
        if (next === undefined) opened++;
        else next();
      }
    },
  };
}

/** Resolves when so many requests wait. */
const waitingAre = (count: number): Promise<true> =>
  until(`${count} requests wait`, async () => {
    const metrics = await fetch(`${served.url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } });
    return (await metrics.text()).includes(`\nturnpike_waiting_requests ${count}\n`) || null;
  });

const requestedBy = (): unknown[] =>
  up.requests.map(({ json }) => (json as { messages: [{ content: string }] }).messages[0].content);

test("a request over the concurrency of its key waits, and is in the ledger once", async () => {
  const before = ledgerRows(served.dataFolder).length;
  const { open } = gates();
  const requested = [ask("patient", "tp-one-key"), ask("patient", "tp-one-key")];
  await up.seen(0);
  expect((await ask("plain", "tp-one-key")).status).toBe(429);
  open();
  await up.seen(1);
  open();
  expect((await Promise.all(requested)).map(({ status }) => status)).toEqual([200, 200]);
  expect(ledgerRows(served.dataFolder)).toHaveLength(before + 2);
});

test("who waits too long gets the refusal, and who finds the queue full gets it at once", async () => {
  const { open } = gates();
  const first = ask("patient", "tp-one-key");
  await up.seen(0);
  const refused = await ask("hasty", "tp-one-key");
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { error: { code: "concurrency_limit_exceeded" } },
  ]);
  const waiting = Array.from({ length: 4 }, () => ask("patient", "tp-one-key"));
  expect((await Promise.race(waiting)).status).toBe(429);
  open(4);
  const statuses = (await Promise.all([first, ...waiting])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 429]);
});

test("a client that leaves the queue asks no provider", async () => {
  const { open } = gates();
  const first = ask("patient", "tp-one-key");
  await up.seen(0);
  const leaving = new AbortController();
  const left = ask("patient", "tp-one-key", leaving.signal).catch(() => null);
  const stays = ask("patient", "tp-one-key");
  await waitingAre(2);
  leaving.abort();
  await left;
  open(3);
  expect([(await first).status, (await stays).status]).toEqual([200, 200]);
  expect(up.requests).toHaveLength(2);
});

test("keys of a higher priority come first when the gateway is full", async () => {
  const { open } = gates();
  const running = [ask("patient", served.key), ask("patient", served.key)];
  await up.seen(1);
  const low = ask("patient", "tp-last-key");
  const high = ask("patient", "tp-first-key");
  const full = await ask("plain", "tp-first-key");
  expect([full.status, await full.json()]).toMatchObject([503, { error: { code: "overloaded" } }]);
  await waitingAre(2);
  open();
  await up.seen(2);
  open();
  await up.seen(3);
  expect(requestedBy().slice(2)).toEqual(["tp-first-key", "tp-last-key"]);
  open(2);
  const answers = await Promise.all([...running, low, high]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await until("nothing is in progress", () => ledgerRows(served.dataFolder).every(({ state }) => state !== "open"));
});
