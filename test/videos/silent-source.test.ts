// A source of bytes that stays silent or never stops complaining holds up nobody: neither a client nor a copy.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { type Script, upstream } from "../support/upstream.ts";
import { videoReply } from "./setting.ts";

const up = await upstream();
const dataFolder = mkdtempSync(join(tmpdir(), "turnpike-silent-"));
const entry = `{ kind: openai, base_url: "${up.url}/v1", credential: "canary", models: [sora-2], timeout_ms: 300 }`;
const yaml = (keep: string) => `providers:\n  first: ${entry}\nvideos: { results: { keep: ${keep} } }\n`;
const open = (keep: string) =>
  gateway({ yaml: yaml(keep), dataFolder, videoWaitScale: 0.002, environment: { TURNPIKE_VIDEO_RESULTS: undefined } });
let running = await open("proxy");
afterAll(async () => {
  await running.stop();
  await up.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

type Row = Record<string, string | number | null>;

const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json" };
const silence: Script = () => new Promise(() => undefined);
const content = "GET /v1/videos/video_up/content";

/** A finished video. */
async function finished(): Promise<string> {
  up.on("POST /v1/videos", { json: videoReply() });
  up.on("GET /v1/videos/video_up", {
    json: videoReply({ status: "completed", expires_at: Math.floor(Date.now() / 1000) + 3_600 }),
  });
  const body = JSON.stringify({ model: "sora-2", prompt: "x" });
  const made = await fetch(`${running.url}/v1/videos`, { method: "POST", headers, body });
  const { id } = (await made.json()) as { id: string };
  await until("the video is completed", async () => {
    const result = (await (await fetch(`${running.url}/v1/videos/${id}`, { headers })).json()) as { status: string };
    return result.status === "completed";
  });
  return id;
}

const download = (id: string) => fetch(`${running.url}/v1/videos/${id}/content`, { headers });

test("a client is told when the source does not begin", async () => {
  const id = await finished();
  up.on(content, silence);
  const answer = await download(id);
  expect([answer.status, await answer.json()]).toMatchObject([504, { error: { code: "upstream_timeout" } }]);
});

test("a source that has begun may take its time", async () => {
  const id = await finished();
  const gate = Promise.withResolvers<void>();
  const bytes = [new Uint8Array(8), new Uint8Array(8)];
  up.on(content, { bytes, framing: "chunked", headers: { "content-type": "video/mp4" }, gate: gate.promise });
  const answer = await download(id);
  setTimeout(gate.resolve, 700);
  expect((await answer.bytes()).length).toBe(16);
});

test("a complaint without an end is not read to its end", async () => {
  const id = await finished();
  const bytes = Array.from({ length: 40 }, () => new Uint8Array(65_536).fill(120));
  const gate = new Promise<void>(() => undefined);
  up.on(content, { status: 500, bytes, framing: "chunked", gate, gateAfter: 20 });
  expect((await download(id)).status).toBe(502);
});

test("a copy does not wait for a source that does not begin", async () => {
  await running.stop();
  running = await open("folder");
  up.on(content, silence);
  await finished();
  await until("the failed copy is in the log", () => running.log.some((line) => line.includes("job_failed")));
});

test("however many tasks a ledger has to settle at the start, it settles them all", async () => {
  up.on("GET /v1/videos/video_up", { json: videoReply({ status: "in_progress" }) });
  const body = JSON.stringify({ model: "sora-2", prompt: "x" });
  await fetch(`${running.url}/v1/videos`, { method: "POST", headers, body });
  await running.stop();
  using database = new Database(join(dataFolder, "turnpike.db"));
  const going = database.query("select * from tasks where ledger is not null").all() as Row[];
  expect(going).toHaveLength(1);
  const names = Object.keys(going[0] ?? {});
  const add = database.prepare(`insert into tasks (${names}) values (${names.map(() => "?")})`);
  for (let count = 0; count < 250; count++) {
    const copy: Row = { ...going[0], id: `video_${String(count).padStart(12, "a")}`, next_poll_at_ms: null };
    add.run(...Object.values(copy));
  }
  running = await open("proxy");
  const left = "select count(*) as n from tasks where ledger is not null and next_poll_at_ms is null";
  expect(database.query(left).get()).toEqual({ n: 0 });
});
