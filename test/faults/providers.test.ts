// Faults of providers that the scenarios and the billing matrix do not play: names, waits, sizes and heads gone wrong (U2, U16, U17, U20).
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { ledgerRows, settledRow } from "../support/ledger.ts";
import { type Line, type Upstream, upstream } from "../support/upstream.ts";

let up: Upstream;
let served: RunningGateway;
beforeAll(async () => {
  up = await upstream();
  served = await gateway({
    yaml: `
limits: { max_reply_bytes: 1048576 }
providers:
  far: { kind: compatible, base_url: "${up.url}/v1", models: [m] }
  unnamed: { kind: compatible, base_url: "http://no-such-host.invalid/v1", models: [n] }
`,
  });
});
beforeEach(() => up.clear());
afterAll(async () => {
  await served.stop();
  await up.stop();
});

async function ask(model = "far/m", more: object = {}) {
  const before = ledgerRows(served.dataFolder).length;
  const answer = await fetch(`${served.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${served.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...more }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, row: await settledRow(served.dataFolder, before) };
}

test("U2: a name that has no address is a provider that cannot be reached, and nothing is charged", async () => {
  const { status, text, row } = await ask("unnamed/n");
  expect([status, JSON.parse(text)]).toMatchObject([502, { error: { code: "upstream_unreachable" } }]);
  expect(row).toMatchObject({ state: "failed", inputTokens: 0, outputTokens: 0 });
});

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();

const waits: readonly (readonly [name: string, header: () => string, least: number, most: number])[] = [
  ["seconds", () => "7", 7, 7],
  ["a date", () => inSeconds(30), 25, 31],
  ["a date of the past", () => inSeconds(-300), 0, 1],
  ["a negative number", () => "-5", 0, 60],
  ["a huge number", () => "1000000000", 1, 86_400],
  ["words", () => "soon", 0, 60],
  ["nothing", () => "", 0, 60],
];

test.each(waits)(
  "U17: a 429 whose Retry-After is %s is 429 with a wait that a client can use",
  async (_, value, least, most) => {
    const retryAfter = value();
    up.on("*", {
      status: 429,
      json: { error: { message: "slow down" } },
      headers: retryAfter === "" ? {} : { "retry-after": retryAfter },
    });
    const { status, headers, row } = await ask();
    expect(status).toBe(429);
    const wait = headers.get("retry-after");
    if (wait !== null) expect(Number(wait)).toBeWithin(least, most + 1);
    expect(row).toMatchObject({ state: "failed", inputTokens: 0 });
  },
);

test("U16: a reply without end is cut at the bound", async () => {
  const piece = Buffer.alloc(65_536, 32);
  const endless = async (line: Line) => {
    await line.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
    for (let sent = 0; sent < 64; sent++) {
      await line.write(`${piece.length.toString(16)}\r\n`);
      await line.write(piece);
      await line.write("\r\n");
    }
    await line.closed;
  };
  up.on("*", endless);
  const { status, text, row } = await ask();
  expect([status, JSON.parse(text)]).toMatchObject([502, { error: { type: "upstream_error" } }]);
  expect(row).toMatchObject({ state: "failed", charged: false });
  await up.requests[0]?.aborted;
});

test.each([
  ["three hundred headers", Array.from({ length: 300 }, (_, n) => `x-more-${n}: 1\r\n`).join("")],
  ["a header of 100,000 bytes", `x-long: ${"a".repeat(100_000)}\r\n`],
  ["a control character in a header", "x-odd: a\u0001b\r\n"],
])("U20: a head with %s is answered or 502, and never a fault of the gateway", async (_, more) => {
  const body = JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  });
  const head = `HTTP/1.1 200 OK\r\n${more}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  up.on("*", (line) => line.write(head + body));
  const { status } = await ask();
  expect([200, 502]).toContain(status);
});

test("U20: informational heads before the reply are skipped", async () => {
  const body = JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  });
  const early = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(50);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  up.on("*", (line) => line.write(early + head + body));
  expect([200, 502]).toContain((await ask()).status);
});
