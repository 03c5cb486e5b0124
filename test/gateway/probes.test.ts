// Active probes: when providers are called without a request, and what follows from the answer.
import { afterAll, expect, test } from "bun:test";
import { adminKey, gateway } from "../support/gateway.ts";
import { type LedgerRow, ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const [listed, real, busy, plain] = await Promise.all([upstream(), upstream(), upstream(), upstream()]);
const hi = {
  json: {
    ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
    choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
  },
};
const models = { json: { data: [{ id: "m" }] } };
for (const up of [listed, real, busy, plain]) {
  up.on("GET /v1/models", models);
  up.on("POST /v1/chat/completions", hi);
}
const running = await gateway({
  yaml: `
limits: { ejection_ms: 1000, breaker_failures: 3 }
providers:
  listed:
    kind: compatible
    base_url: "${listed.url}/v1"
    models: [m]
    credentials: [{ name: one, credential: first-canary }, { name: two, credential: second-canary }]
    probe: { interval_seconds: 1 }
  real: { kind: compatible, base_url: "${real.url}/v1", models: [m], probe: { interval_seconds: 1, model: m } }
  busy: { kind: compatible, base_url: "${busy.url}/v1", models: [m], probe: { interval_seconds: 3 } }
  plain: { kind: compatible, base_url: "${plain.url}/v1", models: [m] }
models:
  to-listed: { candidates: [{ provider: listed, model: m }] }
prices: { cost: [{ model: "*", usd: { input: 1, output: 1 } }] }
`,
});
afterAll(async () => {
  await running.stop();
  await Promise.all([listed, real, busy, plain].map((up) => up.stop()));
});

interface State {
  readonly credential: string | null;
  readonly state: string;
  readonly breaker: string;
  readonly models: readonly { readonly state: string }[];
}

async function healthOf(id: string): Promise<readonly State[]> {
  const headers = { authorization: `Bearer ${adminKey}` };
  const answer = await fetch(`${running.url}/admin/api/providers/${id}`, { headers });
  return ((await answer.json()) as { health: State[] }).health;
}

const chat = async (model: string): Promise<number> => {
  const answer = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  await answer.arrayBuffer();
  return answer.status;
};
const probesOf = (up: typeof busy): number => up.requests.filter(({ method }) => method === "GET").length;

test("a provider in use is not probed, one without the setting never is, and the list is not charged", async () => {
  const end = performance.now() + 4_000;
  while (performance.now() < end) {
    expect(await chat("busy/m")).toBe(200);
    await Bun.sleep(100);
  }
  expect(probesOf(busy)).toBe(0);
  expect(probesOf(plain)).toBe(0);
  expect(plain.requests).toHaveLength(0);
  expect(probesOf(listed)).toBeGreaterThanOrEqual(2);
  const keys = new Set(listed.requests.map(({ headers }) => headers.get("authorization")));
  expect(keys).toEqual(new Set(["Bearer first-canary", "Bearer second-canary"]));
  expect(ledgerRows(running.dataFolder).some(({ provider }) => provider === "listed")).toBe(false);
});

test("a real request is booked with its cost, and goes only where it is configured", async () => {
  const row = await until("a probe is in the ledger", () =>
    ledgerRows(running.dataFolder).find((each) => each.provider === "real" && each.state === "completed"),
  );
  expect(row).toMatchObject({ inputTokens: 9, outputTokens: 1, charged: true } satisfies Partial<LedgerRow>);
  expect((row as unknown as { keyId: string }).keyId).toBe("probe");
  expect(real.requests[0]?.json).toMatchObject({ max_tokens: 1, model: "m" });
});

test("a probe opens the breaker of a provider that cannot be reached, and closes it", async () => {
  listed.clear();
  listed.on("*", (line) => line.reset());
  await until("the breakers are open", async () =>
    (await healthOf("listed")).every(({ breaker }) => breaker !== "closed"),
  );
  listed.clear();
  listed.on("*", models);
  await until("the breakers are closed", async () =>
    (await healthOf("listed")).every(({ breaker }) => breaker === "closed"),
  );
}, 60_000);

test("a probe finds a refused credential before a request does, and that it is accepted again", async () => {
  listed.clear();
  listed.on("GET /v1/models", models);
  listed.on("POST /v1/chat/completions", hi);
  for (let n = 0; n < 6; n++) await chat("to-listed");
  listed.clear();
  listed.on("*", { status: 401, json: { error: { message: "no" } } });
  const states = async () => (await healthOf("listed")).flatMap(({ models: own }) => own.map(({ state }) => state));
  await until("its models are set aside", async () => (await states()).every((state) => state === "set_aside"));
  listed.clear();
  listed.on("*", models);
  await until("they are used", async () => (await states()).every((state) => state === "available"));
}, 60_000);
