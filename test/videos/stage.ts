// One gateway in front of all vendors of videos, and ways to ask it, to look into its files, and to let time pass.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import type { ClientRequest } from "./clients/client.ts";
import { vendors } from "./upstreams/index.ts";
import { type Studio, studio } from "./upstreams/vendor.ts";

export const strangerKey = "tp-stranger-key";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

/** A task's row (`forgotten` once it is gone), as far as scenarios look at it, and the rows of its ledger. */
export interface StoredRow {
  state: string;
  isOver: boolean;
  /** Whether the row still waits for its settlement to be noted. */
  isNoted: boolean;
  upstreamId: string;
  entries: Record<string, unknown>[];
}

export interface Stage {
  gateway: RunningGateway;
  studios: ReadonlyMap<string, Studio>;
  ask(requested: ClientRequest, key?: string, headers?: Record<string, string>): Promise<Answer>;
  stored(id: string): StoredRow;
  /** Writes a time into a task beside the gateway, as its passing would. */
  age(id: string, column: "candidate" | "body", path: string): void;
  stop(): Promise<void>;
}

function bodyOf(body: unknown): { body?: string | FormData; headers: Record<string, string> } {
  if (body === undefined || body instanceof FormData) return { ...(body === undefined ? {} : { body }), headers: {} };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { body: text, headers: { "content-type": "application/json" } };
}

function files(dataFolder: string) {
  const tasks = new Database(join(dataFolder, "turnpike.db"));
  tasks.run("pragma busy_timeout = 2000");
  const entries = new Database(join(dataFolder, "ledger.db"), { readonly: true });
  const taskOf = tasks.query("select * from tasks where id = ?");
  const entriesOf = entries.query("select * from requests where id = ?");
  const exchanges = new Map<string, string>();
  const stored = (id: string): StoredRow => {
    const row = taskOf.get(id) as Record<string, string | null> | null;
    const { exchangeId } = row === null ? {} : (JSON.parse(row["candidate"] ?? "") as { exchangeId?: string });
    if (exchangeId !== undefined) exchanges.set(id, exchangeId);
    const rows = entriesOf.all(exchanges.get(id) ?? "") as Record<string, unknown>[];
    if (row === null) return { state: "forgotten", isOver: true, isNoted: true, upstreamId: "", entries: rows };
    return {
      state: row["state"] ?? "",
      isOver: row["next_poll_at_ms"] === null,
      isNoted: row["ledger"] === null,
      upstreamId: row["upstream_id"] ?? "",
      entries: rows,
    };
  };
  const age: Stage["age"] = (id, column, path) => {
    tasks.run(`update tasks set ${column} = json_set(${column}, '${path}', 1) where id = ?`, [id]);
  };
  const close = () => {
    tasks.close();
    entries.close();
  };
  return { stored, age, close };
}

/** Videos stay where their vendors keep them, so that every download goes there. */
const rest = `keys:\n  stranger: { secret: "${strangerKey}" }\nvideos: { results: { keep: proxy } }\n`;

/** Opens everything. Waits between polls are a five-hundredth of the usual ones. `hosts` may be fetched from, too. */
export async function openStage(more: readonly string[] = []): Promise<Stage> {
  const studios = new Map(await Promise.all(vendors.map(async (each) => [each.name, await studio(each)] as const)));
  const entries = [...studios.values()].map(({ vendor, up }) => `  ${vendor.name}: ${vendor.entry(up.url)}`);
  const yaml = `providers:\n${entries.join("\n")}\n${rest}`;
  const hosts = [...[...studios.values()].map(({ up }) => new URL(up.url).host), ...more];
  const running = await gateway({
    yaml,
    videoWaitScale: 0.002,
    environment: { TURNPIKE_FETCH_ALLOW: hosts.join(",") },
  });
  const { close, ...reads } = files(running.dataFolder);
  return {
    gateway: running,
    studios,
    ...reads,
    async ask({ method, path, body }, key = running.key, more = {}) {
      const sent = bodyOf(body);
      const headers = { ...sent.headers, authorization: `Bearer ${key}`, ...more };
      const init = sent.body === undefined ? { method, headers } : { method, headers, body: sent.body };
      const answer = await fetch(running.url + path, init);
      const text = await answer.text();
      const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
      const result = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
      return { status: answer.status, headers: answer.headers, text, body: result };
    },
    async stop() {
      close();
      await running.stop();
      for (const { up } of studios.values()) await up.stop();
    },
  };
}
