// A gateway that keeps what its upstreams would delete, and ways to finish videos, to fetch them, and to look into what is kept.
import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeEach } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { type Reply, type Script, type Upstream, upstream } from "../support/upstream.ts";
import { otherKey, videoReply } from "./setting.ts";

export const video = "GET /v1/videos/video_up/content";
export const megabyte = 1024 * 1024;

/** Bytes of which no two windows are alike. */
export const bytesOf = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) * seed + seed) & 0xff);

/** A video in pieces, with its length told unless it says otherwise. */
export function reel(bytes: Uint8Array, more: Reply = {}): Reply {
  const half = Math.ceil(bytes.length / 2);
  const pieces = [bytes.subarray(0, half), bytes.subarray(half)];
  return {
    bytes: pieces,
    framing: "length",
    headers: { "content-type": "video/mp4", "content-length": String(bytes.length) },
    ...more,
  };
}

export interface KeepingOptions {
  yaml?: string;
  environment?: Record<string, string | undefined>;
  dataFolder?: string;
  waitScale?: number;
}

/** Everything about one task's row that these tests look at. */
export interface Row {
  copyAt: number | null;
  copyTries: number;
  notifyAt: number | null;
  notifyTries: number;
  storedAt: number | null;
  storedBytes: number | null;
}

export interface Keeper {
  gateway: RunningGateway;
  ask(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  /** A video that is finished at once. */
  finish(more?: object): Promise<string>;
  fetch(id: string, headers?: Record<string, string>, query?: string, key?: string): Promise<Response>;
  row(id: string): Row | null;
  /** Asks the row again and again until it says so. */
  rowUntil(id: string, isSo: (row: Row | null) => boolean): Promise<Row | null>;
  stored(id: string): Promise<Row>;
  set(id: string, column: string, value: number): void;
  files(): string[];
  stop(): Promise<void>;
}

export const upYaml = (up: Upstream, more = ""): string => `providers:
  first: { kind: openai, base_url: "${up.url}/v1", credential: "sk-canary-first", models: [sora-2] }
  second: { kind: runway, base_url: "${up.url}/v1", credential: "sk-canary-second", models: [gen4.5] }
keys:
  other: { secret: "${otherKey}" }
${more}`;

export async function keeper(up: Upstream, options: KeepingOptions = {}): Promise<Keeper> {
  const running = await gateway({
    yaml: upYaml(up, options.yaml),
    videoWaitScale: options.waitScale ?? 0.002,
    environment: {
      TURNPIKE_VIDEO_RESULTS: undefined,
      TURNPIKE_FETCH_ALLOW: new URL(up.url).host,
      ...options.environment,
    },
    ...(options.dataFolder === undefined ? {} : { dataFolder: options.dataFolder }),
  });
  const database = new Database(join(running.dataFolder, "turnpike.db"));
  database.run("pragma busy_timeout = 2000");
  const query =
    database.query(`select copy_at_ms copyAt, copy_tries copyTries, tell_at_ms notifyAt, tell_tries notifyTries,
    kept_at_ms storedAt, kept_bytes storedBytes from tasks where id = ?`);
  const row = (id: string) => query.get(id) as Row | null;
  const ask: Keeper["ask"] = async (method, path, body, key = running.key) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(running.url + path, { method, headers, ...sent });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const rowUntil: Keeper["rowUntil"] = async (id, isSo) => {
    const { found } = await until(`the row of ${id}`, () => {
      const now = row(id);
      return isSo(now) && { found: now };
    });
    return found;
  };
  const folder = join(running.dataFolder, "videos");
  return {
    gateway: running,
    ask,
    row,
    rowUntil,
    async stored(id) {
      const found = await rowUntil(id, (now) => now?.storedAt != null && now.copyAt === null);
      if (found === null) throw new Error("there is no row");
      return found;
    },
    async finish(more = {}) {
      up.on("POST /v1/videos", { json: videoReply({ status: "completed", progress: 100 }) });
      const { body } = await ask("POST", "/v1/video/generations", { model: "sora-2", prompt: "a cat", ...more });
      return String(body["task_id"]);
    },
    fetch: (id, headers = {}, search = "", key = running.key) =>
      fetch(`${running.url}/v1/videos/${id}/content${search}`, {
        headers: { authorization: `Bearer ${key}`, ...headers },
      }),
    set: (id, column, value) => void database.run(`update tasks set ${column} = ? where id = ?`, [value, id]),
    files: () => (existsSync(folder) ? readdirSync(folder).sort() : []),
    async stop() {
      database.close();
      await running.stop();
    },
  };
}

export { type Reply, type Script, type Upstream, upstream };

/** One upstream for a file, forgotten before each test, and keepers that are stopped behind it. */
export async function keepers() {
  const up = await upstream();
  const open: Keeper[] = [];
  beforeEach(() => up.clear());
  afterEach(async () => {
    for (const each of open.splice(0)) await each.stop();
  });
  afterAll(() => up.stop());
  const keeping = async (options: KeepingOptions = {}): Promise<Keeper> => {
    const made = await keeper(up, options);
    open.push(made);
    return made;
  };
  return { up, keeping, fetches: () => up.requests.filter(({ path }) => path.endsWith("/content")).length };
}
