// `bun bench/videos.ts`: what open video tasks cost: between polls, and when all of them are overdue at the start.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { turnpikeEntry } from "./peers/turnpike.ts";
import { residentBytes, treeMicroseconds, treeOf } from "./process-tree.ts";
import { type Command, freePort, type Service, startService } from "./service.ts";
import { taskFiles } from "./video-store.ts";

const flags = {
  tasks: { type: "string", default: "10000" },
  seconds: { type: "string", default: "30" },
} as const;
const { values } = parseArgs({ options: flags });
const tasks = Number(values.tasks);
const seconds = Number(values.seconds);
const key = "tp-bench-0123456789abcdef0123456789abcdef";
const megabyte = 2 ** 20;
/** What a start costs is over by then. */
const calmMs = 5_000;

type Cost = { what: string; core: string; residentMb: number; polls: number; mostPollsPerSecond: number };

const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** `performance.now()` of each poll. */
const polls: number[] = [];
const video = { id: "video_up", object: "video", status: "in_progress", progress: 10, seconds: "4", size: "720x1280" };
const upstream = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch({ method }) {
    if (method === "GET") polls.push(performance.now());
    return Response.json(video);
  },
});

function command(port: number): Command {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "turnpike.yaml");
  const entry = `{ kind: openai, base_url: "http://127.0.0.1:${upstream.port}/v1", credential: bench-upstream, models: [sora-2] }`;
  writeFileSync(config, `providers:\n  films: ${entry}\n`);
  const env = { PORT: String(port), TURNPIKE_DATA: join(folder, "data"), TURNPIKE_CONFIG: config, TURNPIKE_KEY: key };
  return { words: [process.execPath, turnpikeEntry], env, readyPath: "/readyz" };
}

function start(): Promise<Service> {
  const port = freePort();
  return startService("turnpike-videos", command(port), port, folder);
}

async function running<Result>(work: (service: Service) => Promise<Result>): Promise<Result> {
  const service = await start();
  return work(service).finally(() => service.stop());
}

async function submit({ port }: Service): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/video/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sora-2", prompt: "a cat" }),
  });
  if (answer.status !== 200) throw new Error(`the submit was answered with ${answer.status}: ${await answer.text()}`);
}

/** Most polls within any second. */
function mostPerSecond(times: readonly number[]): number {
  let from = 0;
  return times.reduce((most, time, to) => {
    while (time - (times[from] ?? time) >= 1_000) from += 1;
    return Math.max(most, to - from + 1);
  }, 0);
}

function measure(what: string, waitMs: number): Promise<Cost> {
  polls.length = 0;
  return running(async ({ pid }) => {
    await Bun.sleep(waitMs);
    const [before, startedAt] = [treeMicroseconds(pid), performance.now()];
    await Bun.sleep(seconds * 1_000);
    const share = (treeMicroseconds(pid) - before) / ((performance.now() - startedAt) * 1_000);
    const residentMb = Math.round(residentBytes(treeOf(pid)) / megabyte);
    const core = `${(100 * share).toFixed(2)} %`;
    return { what, core, residentMb, polls: polls.length, mostPollsPerSecond: mostPerSecond(polls) };
  });
}

const hourMs = 3_600_000;
await running(async () => undefined);
const costs = [await measure("no task", calmMs)];
await running(submit);
const files = taskFiles(folder);
files.multiply(tasks);
files.due(hourMs);
costs.push(await measure(`${tasks} open tasks, none of them due`, calmMs));
files.due(-hourMs);
costs.push(await measure(`${tasks} open tasks, all overdue at the start`, 0));
console.table(costs);
upstream.stop(true);
process.exit(0);
