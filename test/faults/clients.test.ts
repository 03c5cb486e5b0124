// Faults of clients that no HTTP library makes: requests that stop half-way, many in one packet, silent connections (C1, C5, C9, C10, C12, C14).
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Socket } from "bun";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { allowedMs, timed, until } from "../support/until.ts";

let served: RunningGateway;
beforeAll(async () => {
  served = await gateway({ yaml: "" });
});
afterAll(() => served.stop());

const body = JSON.stringify({ model: "sandbox/chat", messages: [{ role: "user", content: "hi" }] });
const headOf = (key: string, requestId: string, length = body.length): string =>
  [
    "POST /v1/chat/completions HTTP/1.1",
    "host: turnpike",
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${length}`,
    `x-request-id: ${requestId}`,
    "",
    "",
  ].join("\r\n");

interface Connection {
  socket: Socket;
  text(): string;
  closed: Promise<void>;
}

async function connect(): Promise<Connection> {
  const { hostname, port } = new URL(served.url);
  const closed = Promise.withResolvers<void>();
  let text = "";
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_socket, bytes) => {
        text += bytes.toString("latin1");
      },
      close: () => closed.resolve(),
    },
  });
  return { socket, text: () => text, closed: closed.promise };
}

/** Answers with 200 while everything else goes on. */
async function ask(key = served.key): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return await fetch(`${served.url}/v1/chat/completions`, { method: "POST", headers, body });
}

test("C1: a request that stops within its head or its body asks no provider and holds nothing", async () => {
  const before = ledgerRows(served.dataFolder).length;
  for (const bytes of [headOf(served.key, "half").slice(0, 60), headOf(served.key, "half") + body.slice(0, 20)]) {
    const { socket, closed } = await connect();
    socket.write(bytes);
    socket.flush();
    socket.end();
    await closed;
  }
  expect((await ask()).status).toBe(200);
  expect(ledgerRows(served.dataFolder)).toHaveLength(before + 1);
});

// Bun.serve closes a connection on which a request comes before the last one is answered; only answers in the same turn go out.
test("C9: requests in one packet are answered in order or the connection is closed, and each that began is settled", async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `pipelined-${index}`);
  const connection = await connect();
  connection.socket.write(ids.map((id) => headOf(served.key, id) + body).join(""));
  await connection.closed;
  const answered = [...connection.text().matchAll(/x-request-id: (\S+)/gi)].map(([, id]) => id);
  expect(answered).toEqual(ids.slice(0, answered.length));
  await until("all are settled", () => ledgerRows(served.dataFolder).every(({ state }) => state !== "open"));
  expect((await ask()).status).toBe(200);
});

test("C10: an object with a million members is refused within milliseconds of the event loop", async () => {
  const members = Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`).join(",");
  const wire = `{"model":"sandbox/chat","messages":[],${members}}`;
  const headers = { authorization: `Bearer ${served.key}`, "content-type": "application/json" };
  const answer = await fetch(`${served.url}/v1/chat/completions`, { method: "POST", headers, body: wire });
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "invalid_json" } }]);
});

test.each([
  ["ten kilobytes", "k".repeat(10_000)],
  ["a statement of SQL", "' OR '1'='1' --"],
  ["a statement with a union", "x' UNION SELECT hash FROM keys; DROP TABLE keys; --"],
  ["a template", "{{7*7}}${7*7}<%= 7*7 %>"],
])("C12: a key of %s is a wrong key like any other", async (_name, key) => {
  const usual = await ask("tp-wrong");
  const answer = await ask(key);
  expect([answer.status, await answer.text()]).toEqual([401, await usual.text()]);
  expect((await ask()).status).toBe(200);
});

test("C14: a thousand connections without a byte hinder nobody, and are closed", async () => {
  const silent = await Promise.all(Array.from({ length: 1_000 }, connect));
  const requested = await timed(ask);
  expect(requested.value.status).toBe(200);
  expect(requested.ms).toBeLessThan(allowedMs(1_000, requested));
  const closing = await timed(() => Promise.all(silent.map(({ closed }) => closed)));
  expect(closing.ms).toBeLessThan(allowedMs(30_000, closing));
});

test("C5: a head that comes a byte at a time is cut", async () => {
  const slow = await connect();
  const bytes = headOf(served.key, "slow");
  let at = 0;
  const timer = setInterval(() => void slow.socket.write(bytes[at++ % bytes.length] ?? ""), 1_000);
  const cut = await timed(() => slow.closed);
  clearInterval(timer);
  expect(cut.ms).toBeLessThan(allowedMs(30_000, cut));
});
