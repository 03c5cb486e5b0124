// What readers that are slower than their upstream cost in memory: `bun bench/slow-readers.ts --readers 1000 --rate 1024`.
// Roles of one file: the measuring client, a fast upstream, and two bare relays that show what a transport itself holds.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as requestOf } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { residentBytes } from "./process-tree.ts";
import { freePort, manyRequests, type Service, startService } from "./service.ts";

const { values } = parseArgs({
  options: {
    role: { type: "string", default: "client" },
    /** `gateway`, or a bare relay by its transport: `fetch`, `node`. */
    through: { type: "string", default: "gateway" },
    readers: { type: "string", default: "1000" },
    /** Bytes per second that a reader takes; 0 reads nothing. */
    rate: { type: "string", default: "1024" },
    /** Bytes of one answer; 0 never ends. */
    answer: { type: "string", default: "0" },
    seconds: { type: "string", default: "20" },
    port: { type: "string", default: "0" },
    upstream: { type: "string", default: "0" },
  },
});
const [readers, rate, answer, seconds] = [values.readers, values.rate, values.answer, values.seconds].map(Number) as [
  number,
  number,
  number,
  number,
];
const key = "tp-slow-readers";
const path = "/v1/chat/completions";
const body = JSON.stringify({ model: "fast", stream: true, messages: [{ role: "user", content: "hi" }] });
const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

function frame(content: string, finish: string | null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "fast", choices })}\n\n`;
}

/** Sends as fast as it is taken. */
function serveUpstream(port: number): void {
  const chunk = Buffer.from(frame("x".repeat(900), null).repeat(16));
  const end = Buffer.from(`${frame("", "stop")}data: [DONE]\n\n`);
  createServer((request, response) => {
    request.resume();
    if (request.method === "GET") return void response.end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    let left = answer === 0 ? Number.POSITIVE_INFINITY : answer;
    const push = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!response.write(chunk)) return void response.once("drain", push);
      }
      response.end(end);
    };
    push();
  }).listen(port, "127.0.0.1");
}

/** A relay that only pulls what its client takes. */
function serveFetchRelay(port: number, upstream: number): void {
  Bun.serve({
    port,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      if (request.method === "GET") return new Response();
      const response = await fetch(`http://127.0.0.1:${upstream}${path}`, {
        method: "POST",
        body: await request.text(),
      });
      const reader = response.body?.getReader();
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
        const { done = true, value } = (await reader?.read()) ?? {};
        if (done || value === undefined) controller.close();
        else controller.enqueue(value);
      };
      const options = { pull, cancel: () => reader?.cancel() };
      return new Response(new ReadableStream(options, { highWaterMark: 0 }));
    },
  });
}

function serveNodeRelay(port: number, upstream: number): void {
  Bun.serve({
    port,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      if (request.method === "GET") return new Response();
      const text = await request.text();
      const { promise, resolve } = Promise.withResolvers<AsyncIterator<Uint8Array>>();
      const own = requestOf({ host: "127.0.0.1", port: upstream, path, method: "POST", agent: false }, (message) =>
        resolve(message[Symbol.asyncIterator]()),
      );
      own.end(text);
      const source = await promise;
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
        const { done, value } = await source.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      };
      return new Response(new ReadableStream({ pull, cancel: () => void own.destroy() }, { highWaterMark: 0 }));
    },
  });
}

interface Reader {
  readonly socket: Socket;
  taken: number;
  status: string;
  closed: boolean;
}

/** Takes `rate` bytes each second, and leaves all others in the kernel. */
function openReader(port: number): Reader {
  const socket = connect({ port, host: "127.0.0.1" });
  const reader: Reader = { socket, taken: 0, status: "", closed: false };
  const bearer = `authorization: Bearer ${key}\r\n`;
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\n${bearer}content-type: application/json\r\n`;
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
  socket.on("error", () => undefined);
  socket.on("close", () => {
    reader.closed = true;
  });
  socket.on("data", (bytes: Buffer) => {
    if (reader.status === "") reader.status = bytes.toString("latin1", 9, 12);
    reader.taken += bytes.length;
    socket.pause();
    if (rate > 0) setTimeout(() => socket.resume(), (bytes.length / rate) * 1_000);
  });
  return reader;
}

const role = (name: string, more: string[]): string[] => [
  process.execPath,
  import.meta.path,
  "--role",
  name,
  "--answer",
  String(answer),
  ...more,
];

async function startThrough(upstream: number, folder: string): Promise<Service> {
  const port = freePort();
  if (values.through !== "gateway") {
    const words = role(values.through, ["--port", String(port), "--upstream", String(upstream)]);
    return startService(values.through, { words, env: manyRequests, readyPath: "/" }, port, folder);
  }
  const provider = `{ kind: compatible, base_url: "http://127.0.0.1:${upstream}/v1", credential: none, models: [fast] }`;
  writeFileSync(join(folder, "turnpike.yaml"), `providers:\n  fast: ${provider}\n`);
  const words = [process.execPath, join(import.meta.dir, "..", "src", "main.ts")];
  const env = { ...manyRequests, PORT: String(port), TURNPIKE_KEY: key, TURNPIKE_DATA: join(folder, "data") };
  return startService("gateway", { words, env, readyPath: "/readyz" }, port, folder);
}

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-slow-"));
  const upstreamPort = freePort();
  const words = role("upstream", ["--port", String(upstreamPort)]);
  const upstream = await startService("upstream", { words, env: {}, readyPath: "/" }, upstreamPort, folder);
  const service = await startThrough(upstreamPort, folder);
  try {
    const idle = residentBytes([service.pid]);
    const all: Reader[] = [];
    while (all.length < readers) {
      all.push(...Array.from({ length: Math.min(50, readers - all.length) }, () => openReader(service.port)));
      await Bun.sleep(25);
    }
    const report = (at: string): void => {
      const bytes = residentBytes([service.pid]);
      const open = all.filter(({ closed }) => !closed).length;
      const statuses = Object.entries(Object.groupBy(all, ({ status }) => status || "none"));
      const counts = statuses.map(([status, those = []]) => `${status}: ${those.length}`).join(", ");
      const each = open === 0 ? "" : ` ${Math.round((bytes - idle) / 1024 / readers)} KiB each`;
      console.log(`${at.padEnd(16)} ${mebibytes(bytes)} MiB${each}, ${open} open (${counts})`);
    };
    console.log(`${values.through}: ${readers} readers at ${rate} B/s, idle ${mebibytes(idle)} MiB`);
    const stepMs = Math.max(2, Math.round(seconds / 8)) * 1_000;
    for (let atMs = 0; atMs < seconds * 1_000; atMs += stepMs) {
      await Bun.sleep(stepMs);
      report(`after ${(atMs + stepMs) / 1_000} s`);
    }
    for (const { socket } of all) socket.destroy();
    for (const waitMs of [5_000, 25_000]) {
      await Bun.sleep(waitMs);
      report(`${waitMs / 1_000} s after the end`);
    }
  } finally {
    await service.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true });
  }
}

const port = Number(values.port);
if (values.role === "upstream") serveUpstream(port);
else if (values.role === "fetch") serveFetchRelay(port, Number(values.upstream));
else if (values.role === "node") serveNodeRelay(port, Number(values.upstream));
else await run();
