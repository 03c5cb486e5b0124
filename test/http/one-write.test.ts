// Replies of all sizes arrive whole and with their length, whether the client is quick, slow, gone or asks again.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { gateway, spawnGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
const yaml = `providers: { up: { kind: compatible, base_url: "${up.url}/v1", credential: c, models: [m] } }\n`;
const running = await gateway({ yaml });
const { url, key } = running;
const sockets: Socket[] = [];
beforeEach(() => up.clear());
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await running.stop();
  await up.stop();
});

const kilobytes = 1024;
const request = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });

/** A complete reply of so many bytes, which is passed through as it is. */
function replyOf(size: number, text = "a"): string {
  const body = (content: string) =>
    JSON.stringify({
      ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  const spare = size - Buffer.byteLength(body(""));
  const content = text.repeat(Math.floor(spare / Buffer.byteLength(text)));
  return body(content + "a".repeat(spare - Buffer.byteLength(content)));
}

function answersWith(body: string): void {
  up.on("*", { text: body, headers: { "content-type": "application/json" } });
}

const post = (headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: request,
  });

describe.each(Object.entries({ ASCII: "a", Chinese: "界", emoji: "😀" }))("%s", (_name, text) => {
  test.each([
    ...[1 * kilobytes, 15 * kilobytes - 1, 15 * kilobytes, 15 * kilobytes + 1],
    ...[100 * kilobytes, 1024 * kilobytes, 1024 * kilobytes + 1, 3_000 * kilobytes],
  ])("%d bytes arrive whole, with their length", async (size) => {
    const body = replyOf(size, text);
    answersWith(body);
    const response = await post();
    expect(response.headers.get("content-length")).toBe(String(size));
    expect(response.headers.get("transfer-encoding")).toBeNull();
    expect((await response.text()) === body).toBe(true);
  });
});

/** Asks on a connection of its own, and does not read. */
function ask(version = "1.1", address = url): Socket {
  const socket = connect({ port: Number(new URL(address).port), host: "127.0.0.1" });
  sockets.push(socket);
  socket.on("error", () => undefined);
  const head = `POST /v1/chat/completions HTTP/${version}\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: ${request.length}\r\n\r\n${request}`);
  return socket;
}

/** Resolves with what comes until so many bytes are there. */
async function readWhole(socket: Socket, bytes: number): Promise<string> {
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
  });
  socket.resume();
  await until(
    "the whole reply",
    () => text.length >= text.indexOf("\r\n\r\n") + 4 + bytes && text.includes("\r\n\r\n"),
  );
  return text;
}

test("the first bytes that a client gets hold the whole head", async () => {
  answersWith(replyOf(100 * kilobytes));
  // Its own process, so that a client reads while the gateway still writes.
  const child = await spawnGateway({ yaml });
  try {
    for (let index = 0; index < 50; index++) {
      const socket = ask("1.1", child.url);
      const first = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
      socket.destroy();
      expect(first.toString("latin1")).toContain("\r\n\r\n");
    }
  } finally {
    await child.stop();
  }
});

test("a client that reads late gets all of it", async () => {
  const body = replyOf(1024 * kilobytes);
  answersWith(body);
  const socket = ask();
  socket.pause();
  await up.seen(0);
  await new Promise<void>((resolve) => socket.once("readable", () => resolve()));
  expect((await readWhole(socket, body.length)).endsWith(body)).toBe(true);
});

test("a client of HTTP/1.0 gets all of it", async () => {
  const body = replyOf(100 * kilobytes);
  answersWith(body);
  const text = await readWhole(ask("1.0"), body.length);
  expect(text.endsWith(body)).toBe(true);
  expect(text.toLowerCase()).not.toContain("transfer-encoding");
});

test("clients that leave do not disturb others", async () => {
  const body = replyOf(1000 * kilobytes);
  answersWith(body);
  for (let index = 0; index < 20; index++) {
    const socket = ask();
    await up.seen(index);
    socket.destroy();
  }
  expect((await (await post()).text()) === body).toBe(true);
});

test("a repeated request with a key gets the same reply", async () => {
  const body = replyOf(100 * kilobytes);
  answersWith(body);
  const headers = { "idempotency-key": "one-write" };
  const [first, second] = [await post(headers), await post(headers)];
  expect((await first.text()) === body).toBe(true);
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect((await second.text()) === body).toBe(true);
  expect(up.requests).toHaveLength(1);
});

test("HEAD of a stored response has the length of the GET, and no body", async () => {
  answersWith(replyOf(100 * kilobytes));
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "m", input: "hi" });
  const created = await fetch(`${url}/v1/responses`, { method: "POST", headers, body });
  const { id } = (await created.json()) as { id: string };
  const whole = await fetch(`${url}/v1/responses/${id}`, { headers });
  const length = String((await whole.bytes()).length);
  expect(whole.headers.get("content-length")).toBe(length);
  const head = await fetch(`${url}/v1/responses/${id}`, { method: "HEAD", headers });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, length, ""]);
});
