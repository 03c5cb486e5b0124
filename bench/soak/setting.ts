// What every check of the soak run needs: an upstream that can hang or fail, a gateway in a process of its own, and a client that measures.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, manyRequests, type Service, startService } from "../service.ts";
import { percentile } from "../statistics.ts";

export const key = "tp-soak-key";
export const adminKey = "tp-soak-admin-key";
const main = join(import.meta.dir, "..", "..", "src", "main.ts");

/** What came of a check: the figure, and whether it is within its bar. */
export interface Figure {
  readonly measured: string;
  readonly holds: boolean;
}

export interface Check {
  readonly name: string;
  /** Its number in the list of bars. */
  readonly bar: string;
  readonly promise: string;
  run(scale: number): Promise<Figure>;
}

export interface Gateway extends Service {
  readonly url: string;
  /** Ends it with SIGTERM, and gives the milliseconds until it was gone. */
  end(): Promise<number>;
}

export interface Upstream {
  readonly url: string;
  /** Requests that have come so far. */
  seen(): number;
  /** Times at which a request was aborted by the gateway, by its model. */
  readonly abortedAtMs: Map<string, number>;
  stop(): void;
}

const reply = JSON.stringify({
  id: "chatcmpl-soak",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello there." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
});
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-soak", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** Each with its number, so that a lost one shows. */
export const wordsPerStream = 10;

function streamOf(model: string, paceMs: number, abortedAtMs: Map<string, number>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let left = wordsPerStream;
  return new ReadableStream({
    async pull(controller) {
      if (left-- > 0) {
        controller.enqueue(encoder.encode(chunk({ content: `word-${wordsPerStream - left} ` })));
        if (paceMs > 0) await Bun.sleep(paceMs);
        return;
      }
      controller.enqueue(encoder.encode(`${chunk({}, "stop")}data: [DONE]\n\n`));
      controller.close();
    },
    cancel: () => void abortedAtMs.set(model, performance.now()),
  });
}

/**
 * Answers by the name of the model: `hang…` never, `fail…` with 500, `slow…` with a stream of a word in `paceMs`, others at
 * once. Whole replies come after `delayMs`.
 */
export function startUpstream({ delayMs = 0, paceMs = 0 } = {}): Upstream {
  const abortedAtMs = new Map<string, number>();
  let seen = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 255,
    async fetch(request, self) {
      if (request.method !== "POST") return new Response(null, { status: 404 });
      seen++;
      self.timeout(request, 0);
      const { model, stream } = (await request.json()) as { model: string; stream?: boolean };
      if (model.startsWith("hang")) {
        request.signal.addEventListener("abort", () => abortedAtMs.set(model, performance.now()));
        await new Promise(() => undefined);
      }
      if (model.startsWith("fail")) return new Response('{"error":{"message":"no"}}', { status: 500 });
      if (stream === true) {
        const headers = { "content-type": "text/event-stream" };
        return new Response(streamOf(model, paceMs, abortedAtMs), { headers });
      }
      if (delayMs > 0) await Bun.sleep(delayMs);
      return new Response(reply, { headers: { "content-type": "application/json" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    seen: () => seen,
    abortedAtMs,
    stop: () => void server.stop(true),
  };
}

/** A gateway whose providers `far` and `away` are the upstream. */
export async function startGateway(upstream: Upstream, more = ""): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-soak-"));
  const provider = `{ kind: compatible, base_url: "${upstream.url}/v1" }`;
  writeFileSync(join(folder, "turnpike.yaml"), `providers:\n  far: ${provider}\n  away: ${provider}\n${more}`);
  const port = freePort();
  const own = { TURNPIKE_DATA: "data", TURNPIKE_ADMIN_KEY: adminKey };
  const env = { ...manyRequests, PORT: String(port), HOST: "127.0.0.1", TURNPIKE_KEY: key, ...own };
  const words = [process.execPath, main];
  const service = await startService("gateway", { words, env, cwd: folder, readyPath: "/readyz" }, port, folder);
  return {
    ...service,
    url: `http://127.0.0.1:${port}`,
    async end() {
      const startMs = performance.now();
      process.kill(service.pid, "SIGTERM");
      while (isAlive(service.pid)) await Bun.sleep(2);
      return performance.now() - startMs;
    },
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: it is gone.
    return false;
  }
}

export interface Answered {
  readonly status: number;
  readonly ms: number;
}

/** One chat completion, read to its end. Status 0 where the connection broke. */
export async function ask(
  url: string,
  model: string,
  more: RequestInit & { stream?: boolean } = {},
): Promise<Answered> {
  const { stream = false, ...init } = more;
  const startMs = performance.now();
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "hi" }] }),
      ...init,
    });
    await response.arrayBuffer();
    return { status: response.status, ms: performance.now() - startMs };
  } catch {
    return { status: 0, ms: performance.now() - startMs };
  }
}

/** Starts a request every `1000 / perSecond` milliseconds, whether or not earlier ones have ended. */
export async function atRate<T>(
  perSecond: number,
  durationMs: number,
  start: (index: number) => Promise<T>,
): Promise<T[]> {
  const running: Promise<T>[] = [];
  const startMs = performance.now();
  for (let nowMs = 0; nowMs < durationMs; nowMs = performance.now() - startMs) {
    const due = Math.floor((nowMs / 1_000) * perSecond) + 1;
    while (running.length < due) running.push(start(running.length));
    await Bun.sleep(1);
  }
  return Promise.all(running);
}

export const p99Of = (requested: readonly Answered[]): number =>
  percentile(
    requested.map(({ ms }) => ms).sort((a, b) => a - b),
    0.99,
  );

export const residentMegabytes = async (pid: number): Promise<number> => {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
};
