// Processor time of an agent's request of 100 KB to a provider of another dialect, and of its own, in turns at one gateway. Run with `bun bench/translation.ts`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { largeAnswer } from "./answers.ts";
import { startLoad } from "./load-client.ts";
import { processorMicroseconds } from "./processor-time.ts";
import { freePort, manyRequests, startService } from "./service.ts";
import { sizes, text, workloads } from "./workloads.ts";

const rounds = Number(process.env["ROUNDS"] ?? 5);
const roundMs = Number(process.env["ROUND_MS"] ?? 1_500);
const warmUpMs = 5_000;
const connections = 16;

const content = [{ type: "text", text: text(sizes.large - 600) }];
const usage = { input_tokens: 20, output_tokens: 10 };
const message = { id: "msg_1", type: "message", role: "assistant", model: "bench-json", content, usage };
const anthropicAnswer = JSON.stringify({ ...message, stop_reason: "end_turn", stop_sequence: null });
const upstream = Bun.serve({
  port: 0,
  async fetch(request) {
    await request.bytes();
    const answer = request.url.endsWith("/messages") ? anthropicAnswer : largeAnswer;
    return new Response(answer, { headers: { "content-type": "application/json" } });
  },
});

const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-translation-"));
const provider = (kind: string, path: string, rows: string): string =>
  `  { kind: ${kind}, base_url: "http://127.0.0.1:${upstream.port}${path}", credential: bench, ${rows} }`;
const key = "tp-bench-0123456789abcdef0123456789abcdef";

/** The same client's request at a gateway whose only provider has this dialect. */
async function start(name: string, row: string) {
  const port = freePort();
  const data = join(folder, name);
  const config = `${data}.yaml`;
  writeFileSync(config, `providers:\n  bench:\n  ${row}\n`);
  const env = {
    PORT: String(port),
    HOST: "127.0.0.1",
    TURNPIKE_DATA: data,
    TURNPIKE_CONFIG: config,
    TURNPIKE_KEY: key,
  };
  const words = [process.execPath, join(import.meta.dir, "..", "src", "main.ts")];
  const service = await startService(
    name,
    { words, env: { ...env, ...manyRequests }, readyPath: "/readyz" },
    port,
    folder,
  );
  return { name, service, target: { port, headers: { authorization: `Bearer ${key}` } }, took: [] as number[] };
}

const peers = [
  await start("same dialect", provider("compatible", "/v1", "models: [bench-json]")),
  await start("translated", provider("anthropic", "", "models: [bench-json]")),
];
const load = startLoad();

/** Microseconds of the gateway's processor time for each request. */
async function round({ service, target }: (typeof peers)[number], durationMs: number): Promise<number> {
  const before = processorMicroseconds(service.pid);
  const seen = await load.steady({ target, workload: "agent-100k", connections, durationMs });
  if (seen.failures.length > 0) throw new Error(seen.failures.join(", "));
  return (processorMicroseconds(service.pid) - before) / seen.requests;
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

for (const peer of peers) await round(peer, warmUpMs);
for (let count = 0; count < rounds; count++) for (const peer of peers) peer.took.push(await round(peer, roundMs));
const [same, other] = peers;
for (const { name, took } of peers) process.stdout.write(`${name}: ${median(took).toFixed(0)} us\n`);
const ratios = (other?.took ?? []).map((us, at) => us / (same?.took[at] ?? us));
const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
process.stdout.write(`${workloads["agent-100k"].title}, translated: ${median(ratios).toFixed(2)} (${range}) times\n`);
load.stop();
for (const { service } of peers) await service.stop();
await upstream.stop(true);
rmSync(folder, { recursive: true, force: true });
