// A gateway in front of a scripted upstream of videos and the sandbox, and the ways to ask it.
import { afterAll, beforeEach } from "bun:test";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { type LedgerRow, ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { type Upstream, upstream } from "../support/upstream.ts";

export const otherKey = "tp-other-key";

export interface VideoSetting {
  gateway: RunningGateway;
  up: Upstream;
  second: Upstream;
  /** Asks with the good key, JSON in and out. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Result>;
  /** Asks again and again until it says so. */
  until(path: string, isSo: (body: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** The ledger's row for a model, as soon as it is settled. */
  settled(model: string): Promise<LedgerRow>;
}

export interface Result {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/**
 * `sora-2` at the first upstream; the route `chain` goes on to the second, `lucky` begins where nobody listens. `chain-busy` and
 * `chain-barred` are `chain` by providers of their own, whose health other routes do not share.
 */
export function yamlOf(up: Upstream, second: Upstream): string {
  const first = `{ kind: openai, base_url: "${up.url}/v1", credential: "sk-canary-first", models: [sora-2, sora-2-pro], timeout_ms: 400 }`;
  return `providers:
  first: ${first}
  second: { kind: openai, base_url: "${second.url}/v1", credential: "sk-canary-second", models: [sora-b] }
  dead: { kind: openai, base_url: "http://127.0.0.1:1/v1", credential: "sk-canary-dead", models: [gone] }
  busy: ${first.replace("[sora-2, sora-2-pro]", "[sora-busy]")}
  barred: ${first.replace("[sora-2, sora-2-pro]", "[sora-barred]")}
models:
  chain-busy: { candidates: [{ provider: busy, model: sora-busy }, { provider: second, model: sora-b }] }
  chain-barred: { candidates: [{ provider: barred, model: sora-barred }, { provider: second, model: sora-b }] }
  chain: { candidates: [{ provider: first, model: sora-2 }, { provider: second, model: sora-b }] }
  lucky: { candidates: [{ provider: dead, model: gone }, { provider: second, model: sora-b }] }
keys:
  other: { secret: "${otherKey}" }
`;
}

/** The object of a video as the upstream tells it. */
export const videoReply = (change: object = {}) => ({
  id: "video_up",
  object: "video",
  model: "sora-2",
  status: "queued",
  progress: 0,
  created_at: 1_700_000_000,
  seconds: "4",
  size: "720x1280",
  ...change,
});

export function settledRowOf(dataFolder: string, model: string): Promise<LedgerRow> {
  return until(`${model} has settled`, () => {
    const rows = ledgerRows(dataFolder).filter((row) => row.model === model);
    if (rows.length > 1) throw new Error(`${model} has ${rows.length} rows in the ledger`);
    return rows[0] && rows[0].state !== "open" && rows[0].state !== "pending" && rows[0];
  });
}

export async function videoSetting(environment: Record<string, string> = {}): Promise<VideoSetting> {
  const [up, second] = [await upstream(), await upstream()];
  const running = await gateway({
    yaml: yamlOf(up, second),
    videoWaitScale: 0.02,
    environment,
  });
  beforeEach(() => {
    up.clear();
    second.clear();
  });
  afterAll(async () => {
    await running.stop();
    await up.stop();
    await second.stop();
  });
  const ask: VideoSetting["ask"] = async (method, path, body, headers = {}) => {
    const answer = await fetch(running.url + path, {
      method,
      headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
  };
  const untilTask: VideoSetting["until"] = (path, isSo) =>
    until(path, async () => {
      const { body } = await ask("GET", path);
      return isSo(body) && body;
    });
  return {
    gateway: running,
    up,
    second,
    ask,
    until: untilTask,
    settled: (model) => settledRowOf(running.dataFolder, model),
  };
}
