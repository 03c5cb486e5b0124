// Processor time of a whole request with everything that limits and prices it, and with nothing, in turns at one gateway. Run with `bun bench/limits.ts`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processorMicroseconds } from "./processor-time.ts";
import { freePort, manyRequests, startService } from "./service.ts";

const perRound = Number(process.env["REQUESTS"] ?? 2_000);
const rounds = Number(process.env["ROUNDS"] ?? 7);
const connections = 16;

const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
const choices = [{ index: 0, message: { role: "assistant", content: "ok ".repeat(300) }, finish_reason: "stop" }];
const reply = JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage });
const upstream = Bun.serve({
  port: 0,
  async fetch(request) {
    await request.bytes();
    return new Response(reply, { headers: { "content-type": "application/json" } });
  },
});

const limits =
  "limits: { requests_per_minute: 100000000, tokens_per_minute: 100000000000, concurrent_requests: 10000 }";
const budgets = 'budgets: [{ amount: "9000000", period: day }, { amount: "9000000", period: month }]';
const yaml = `
providers:
  far: { kind: compatible, base_url: "http://127.0.0.1:${upstream.port}/v1", models: [plain, priced] }
prices:
  shipped: false
  cost: [{ model: priced, usd: { input: 1, output: 4 } }]
  price: [{ model: priced, usd: { input: 2, output: 8 } }]
projects:
  bare: {}
  full:
    ${limits}
    ${budgets}
    end_users: { required: true, default_rules: { ${limits}, ${budgets} } }
keys:
  bare: { secret: tp-bare-secret, project: bare }
  full: { secret: tp-full-secret, project: full, ${limits}, ${budgets} }
`;

/** What is compared: who asks for which model, and with which headers. */
interface Kind {
  readonly name: string;
  readonly key: string;
  readonly model: string;
  headers(count: number): Record<string, string>;
}

const user = { "x-turnpike-user": "ann" };
const kinds: readonly Kind[] = [
  { name: "nothing", key: "bare", model: "plain", headers: () => ({}) },
  { name: "rates, budgets on three levels, prices", key: "full", model: "priced", headers: () => user },
  {
    ...{ name: "the same with an Idempotency-Key each", key: "full", model: "priced" },
    headers: (count) => ({ ...user, "idempotency-key": `bench-${process.pid}-${count}` }),
  },
];

const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-limits-"));
writeFileSync(join(folder, "turnpike.yaml"), yaml);
const port = freePort();
const gateway = await startService(
  "gateway",
  {
    words: [process.execPath, join(import.meta.dir, "..", "src", "main.ts")],
    env: { PORT: String(port), HOST: "127.0.0.1", TURNPIKE_DATA: join(folder, "data"), ...manyRequests },
    readyPath: "/readyz",
  },
  port,
  folder,
);

let made = 0;

async function ask({ key, model, headers }: Kind): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer tp-${key}-secret`, "content-type": "application/json", ...headers(made++) },
    body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content: "hello ".repeat(150) }] }),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await response.bytes();
}

/** Microseconds of the gateway's processor time for each request. */
async function round(kind: Kind, requests: number): Promise<number> {
  const before = processorMicroseconds(gateway.pid);
  const connection = async (): Promise<void> => {
    for (let count = 0; count < requests / connections; count++) await ask(kind);
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return (processorMicroseconds(gateway.pid) - before) / requests;
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

for (const kind of [...kinds, ...kinds]) await round(kind, perRound);
const took = kinds.map((): number[] => []);
for (let count = 0; count < rounds; count++)
  for (const [index, kind] of kinds.entries()) took[index]?.push(await round(kind, perRound));
const bare = took[0] ?? [];
for (const [index, kind] of kinds.entries()) {
  const own = took[index] ?? [];
  const ratios = own.map((each, at) => each / (bare[at] ?? each));
  process.stdout.write(`${kind.name}: ${median(own).toFixed(0)} us, ${median(ratios).toFixed(2)} times\n`);
}
await gateway.stop();
await upstream.stop(true);
rmSync(folder, { recursive: true, force: true });
