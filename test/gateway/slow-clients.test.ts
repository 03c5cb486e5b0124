// Clients that take less than comes for them: cut after a while, too slow ones and memory's worth too, and their connections are closed.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { requestsWithin } from "../../src/config/descriptors.ts";
import { createConcurrency } from "../../src/gateway/policy/concurrency.ts";
import { createBacklog } from "../../src/gateway/streaming/backlog.ts";
import type { SharedInterval } from "../../src/lib/shared-interval.ts";
import { callerNamed } from "../support/callers.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { type Line, upstream } from "../support/upstream.ts";

const by = (keyId: string) => ({ caller: callerNamed(keyId) });

const up = await upstream();
const yaml = (limits: string) =>
  `providers: { up: { kind: compatible, base_url: "${up.url}/v1", credential: c, models: [m] } }\nlimits: { ${limits} }\n`;
const opened: RunningGateway[] = [];
const sockets: Socket[] = [];
beforeEach(() => {
  up.clear();
  up.on("*", endless);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(opened.map((each) => each.stop()));
  await up.stop();
});

const chunk = (text: string): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`;

/** As much as is taken, for ever. */
async function endless(line: Line): Promise<void> {
  await line.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
  const isOver = line.closed.then(() => true);
  const many = chunk("x".repeat(1_000)).repeat(64);
  while ((await Promise.race([isOver, line.write(many)])) !== true);
}

async function started(limits: string): Promise<RunningGateway> {
  const running = await gateway({ yaml: yaml(limits) });
  opened.push(running);
  return running;
}

/** Asks for a stream and reads its first bytes. */
async function reader({ url, key }: RunningGateway): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
  sockets.push(socket);
  socket.on("error", () => undefined);
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] });
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await new Promise<void>((resolve) => socket.once("data", () => resolve()));
  socket.pause();
  return socket;
}

/** Connections that the process holds at this port, on the side of the gateway. */
async function connections({ url }: RunningGateway): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
  const table = await Bun.file("/proc/net/tcp").text();
  // State 01 is established, 08 a peer that has closed.
  return table.split("\n").filter((row) => new RegExp(`^ *\\d+: \\w+:${port} \\w+:\\w+ 0[18] `).test(row)).length;
}

const isCancelled = (running: RunningGateway, rows: number): boolean =>
  ledgerRows(running.dataFolder).filter(({ state }) => state === "cancelled").length === rows;

test("one that takes nothing is cut, its upstream is let go, and its connection is closed", async () => {
  const running = await started("client_stall_ms: 1000");
  await reader(running);
  await reader(running);
  expect(await connections(running)).toBe(2);
  await Promise.all([up.requests[0]?.aborted, up.requests[1]?.aborted]);
  await until("the connections are closed", async () => (await connections(running)) === 0);
  await until("both are cancelled", () => isCancelled(running, 2));
}, 60_000);

test("one that takes a little now and then is cut too", async () => {
  const running = await started("client_stall_ms: 6000, min_client_bytes_per_second: 100000000");
  const socket = await reader(running);
  const sip = setInterval(() => {
    socket.resume();
    socket.once("data", () => socket.pause());
  }, 300);
  await up.requests[0]?.aborted;
  clearInterval(sip);
  await until("the connections are closed", async () => (await connections(running)) === 0);
}, 60_000);

describe("memory", () => {
  const ticks: (() => void)[] = [];
  const ticker: SharedInterval = {
    tickMs: 1,
    subscribe: (look) => void (ticks.includes(look) || ticks.push(look)),
    unsubscribe: (look) => void ticks.splice(ticks.indexOf(look), 1),
  };
  const tick = (): void => {
    for (const look of [...ticks]) look();
  };
  const mebibyte = 1024 * 1024;

  test("above the bound the clients that are behind longest are cut, and as many as are needed", () => {
    let bytes = 90 * mebibyte;
    const limits = { slowClientMemoryBytes: 100 * mebibyte, maxMemoryBytes: 200 * mebibyte };
    const backlog = createBacklog(limits, ticker, { residentBytes: () => bytes, collect: () => undefined });
    const cut: number[] = [];
    const cuts = [0, 1, 2, 3].map((index) => () => {
      cut.push(index);
      for (const each of cuts.slice(index, index + 1)) backlog.remove(each);
    });
    for (const each of cuts) backlog.add(each);
    tick();
    expect(cut).toEqual([]);
    bytes = 103 * mebibyte;
    tick();
    expect(cut).toEqual([0, 1]);
    for (const each of cuts) backlog.remove(each);
    tick();
    expect(ticks).toEqual([]);
    expect(backlog.isFull()).toBe(false);
    bytes = 300 * mebibyte;
    expect(backlog.isFull()).toBe(false);
    tick();
    expect(backlog.isFull()).toBe(true);
    expect(cut).toEqual([0, 1]);
  });

  test("above the second bound garbage is collected, at once and then now and then", () => {
    const limits = { slowClientMemoryBytes: 100 * mebibyte, maxMemoryBytes: 200 * mebibyte };
    let bytes = 300 * mebibyte;
    let collections = 0;
    const backlog = createBacklog(limits, ticker, { residentBytes: () => bytes, collect: () => void collections++ });
    expect(backlog.isFull()).toBe(true);
    expect(backlog.isFull()).toBe(true);
    expect(collections).toBe(1);
    for (let sample = 1; sample <= 20; sample++) {
      tick();
      expect(backlog.isFull()).toBe(true);
    }
    expect(collections).toBe(2);
    bytes = 90 * mebibyte;
    tick();
    expect(backlog.isFull()).toBe(false);
  });

  test("above the second bound nothing new is admitted", () => {
    const limits = { maxConcurrentRequests: 9, maxConcurrentRequestsPerKey: 9 };
    const admission = createConcurrency(limits, () => true);
    expect(() => admission.admit(by("a"))).toThrow(expect.objectContaining({ kind: "overloaded", status: 503 }));
  });
});

test("one key does not take the places of the others", () => {
  const admission = createConcurrency({ maxConcurrentRequests: 3, maxConcurrentRequestsPerKey: 2 });
  const [first] = [admission.admit(by("a")), admission.admit(by("a"))];
  expect(() => admission.admit(by("a"))).toThrow(expect.objectContaining({ kind: "concurrency_limit_exceeded" }));
  admission.admit(by("b"));
  expect(() => admission.admit(by("b"))).toThrow(expect.objectContaining({ kind: "overloaded" }));
  first?.release();
  first?.release();
  admission.admit(by("a"));
  expect(() => admission.admit(by("a"))).toThrow(expect.objectContaining({ kind: "overloaded" }));
});

test.each([
  [null, 16_384, 16_384],
  [1_048_576, 16_384, 16_384],
  [20_000, 16_384, 9_744],
  [1_024, 16_384, 256],
  [100, 16_384, 1],
])("with %p open files %p requests become %p", (descriptors, wanted, expected) => {
  expect(requestsWithin(descriptors, wanted)).toBe(expected);
});
