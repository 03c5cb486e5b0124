// Many open streams: memory of each beside a relay that pulls in JavaScript, and the wait for the first event beside the bare relay. Run with `bun bench/streams.ts`.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, connect, encodeRequest, type Target } from "./connection.ts";
import { turnpikeCommand } from "./peers/turnpike.ts";
import { residentBytes } from "./process-tree.ts";
import { type Command, freePort, manyRequests, type Service, startService } from "./service.ts";
import { percentile } from "./statistics.ts";
import { chatPath, models, workloads } from "./workloads.ts";

const rounds = Number(process.env["ROUNDS"] ?? 3);
const memoryStreams = Number(process.env["STREAMS"] ?? 2_000);
const burstStreams = Number(process.env["BURST"] ?? 5_000);
const burstMs = 1_500;
const stepMs = 10;
const warmUps = 500;
/** Time for every stream to send its second event, and for the collector to run, which takes up to 15 s. */
const settleMs = 20_000;
const closeMs = 1_000;

/** `BODY=agent` opens streams with an agent's request of 100 KB in place of 1 KB. */
const agentBody = JSON.stringify({ ...JSON.parse(workloads["agent-100k"].body), model: models.crowd, stream: true });
const body = process.env["BODY"] === "agent" ? agentBody : workloads.crowd.body;

const key = "tp-bench-0123456789abcdef0123456789abcdef";
const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-streams-"));
const upstreamPort = freePort();
const bun = (file: string, env: Record<string, string>): Command => ({
  words: [process.execPath, join(import.meta.dir, "peers", file)],
  env: { ...manyRequests, ...env },
  readyPath: "/",
});

const names = ["bare relay", "pulling relay", "Turnpike"] as const;
type Name = (typeof names)[number];

function commandOf(name: Name, port: number, own: string): Command {
  if (name !== "Turnpike") {
    const env = { PORT: String(port), UPSTREAM: `http://127.0.0.1:${upstreamPort}/v1`, RELAY_KEY: key };
    return bun(name === "bare relay" ? "relay.ts" : "pulling-relay.ts", env);
  }
  const command = turnpikeCommand(port, upstreamPort, own, key);
  return { ...command, env: { ...command.env, ...manyRequests } };
}

/** Opens a stream; resolves with the milliseconds from its request to its first event. */
function open(target: Target, request: Uint8Array, opened: Connection[]): Promise<number> {
  return new Promise((resolve, reject) => {
    let startedMs = 0;
    const events = {
      onBody: () => resolve(performance.now() - startedMs),
      onEnd: (status: number) => reject(new Error(`a stream ended with status ${status}`)),
      onLost: reject,
    };
    startedMs = performance.now();
    connect(target.port, request, events).then((connection) => {
      opened.push(connection);
      connection.send();
    }, reject);
  });
}

/** Opens streams, so many at each step, and waits for the first event of all. */
async function openAll(target: Target, count: number, perStep: number, opened: Connection[]): Promise<number[]> {
  const request = encodeRequest(target, chatPath, body);
  const waits: Promise<number>[] = [];
  const startedMs = performance.now();
  for (let step = 1; waits.length < count; step++) {
    for (let index = 0; index < perStep && waits.length < count; index++) waits.push(open(target, request, opened));
    await Bun.sleep(Math.max(0, startedMs + step * stepMs - performance.now()));
  }
  return Promise.all(waits);
}

async function closeAll(opened: Connection[]): Promise<void> {
  for (const connection of opened.splice(0)) connection.close();
  await Bun.sleep(closeMs);
}

interface Figures {
  readonly bytesPerStream: number;
  readonly firstEventP99Ms: number;
}

/** In a fresh process: first the memory, then the burst. */
async function measure(name: Name, round: number): Promise<Figures> {
  const own = join(folder, `${name}-${round}`);
  mkdirSync(own);
  const port = freePort();
  const service: Service = await startService(name, commandOf(name, port, own), port, own);
  const target: Target = { port, headers: { authorization: `Bearer ${key}` } };
  const opened: Connection[] = [];
  try {
    await openAll(target, warmUps, 5, opened);
    await closeAll(opened);
    const before = residentBytes([service.pid]);
    await openAll(target, memoryStreams, 10, opened);
    await Bun.sleep(settleMs);
    const bytesPerStream = (residentBytes([service.pid]) - before) / memoryStreams;
    await closeAll(opened);
    if (burstStreams === 0) return { bytesPerStream, firstEventP99Ms: Number.NaN };
    const perStep = Math.ceil((burstStreams * stepMs) / burstMs);
    const waits = await openAll(target, burstStreams, perStep, opened);
    const sorted = waits.toSorted((left, right) => left - right);
    return { bytesPerStream, firstEventP99Ms: percentile(sorted, 0.99) };
  } finally {
    await closeAll(opened);
    await service.stop();
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const upstream = await startService(
  "upstream",
  bun("slow-upstream.ts", { PORT: String(upstreamPort) }),
  upstreamPort,
  folder,
);
const taken: Record<Name, Figures[]> = { "bare relay": [], "pulling relay": [], Turnpike: [] };
for (let round = 0; round < rounds; round++)
  for (const name of names) {
    const figures = await measure(name, round);
    taken[name].push(figures);
    const { bytesPerStream, firstEventP99Ms } = figures;
    process.stdout.write(`${name}: ${(bytesPerStream / 1024).toFixed(1)} KB, ${firstEventP99Ms.toFixed(0)} ms\n`);
  }
await upstream.stop();

/** The ratios of the rounds: the median, the smallest and the largest. */
function compared(what: string, base: Name, of: (figures: Figures) => number): void {
  const ratios = taken.Turnpike.map((own, round) => {
    const other = taken[base][round];
    return other === undefined ? Number.NaN : of(own) / of(other);
  });
  const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  process.stdout.write(`${what}, Turnpike / ${base}: ${median(ratios).toFixed(2)} (${range}) times\n`);
}
compared("memory of an open stream", "pulling relay", ({ bytesPerStream }) => bytesPerStream);
compared(
  `first of ${burstStreams} streams in ${burstMs} ms, p99`,
  "bare relay",
  ({ firstEventP99Ms }) => firstEventP99Ms,
);
