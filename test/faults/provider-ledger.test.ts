// What the ledger has for each fault of a provider (U1 to U23 of docs/reliability.md): one row, how it ended, and what is charged.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { certificateFor } from "../providers/safe-fetch-certificate.ts";
import { gateway } from "../support/gateway.ts";
import { type LedgerRow, ledgerRows, settledRow } from "../support/ledger.ts";
import type { Reply } from "../support/sample-responses.ts";
import { closedAddress, type Line, type Script, upstream } from "../support/upstream.ts";

const { key, cert } = certificateFor({ name: "localhost" });
const unsigned = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: { key, cert }, fetch: () => Response.json({}) });
/** Takes connections and never answers the handshake. */
const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
const up = await upstream();
const served = await gateway({
  yaml: `
limits: { max_reply_bytes: 1048576, breaker_failures: 1000000, breaker_min_requests: 1000000, max_attempts_per_request: 1 }
providers:
  far: { kind: compatible, base_url: "${up.url}/v1", models: [m] }
  hasty: { kind: compatible, base_url: "${up.url}/v1", models: [m], timeout_ms: 300, first_byte_timeout_ms: 300, idle_timeout_ms: 300 }
  refused: { kind: compatible, base_url: "${closedAddress()}/v1", models: [m] }
  unnamed: { kind: compatible, base_url: "http://no-such-host.invalid/v1", models: [m] }
  unsigned: { kind: compatible, base_url: "https://localhost:${unsigned.port}/v1", models: [m] }
  silent: { kind: compatible, base_url: "https://127.0.0.1:${silent.port}/v1", models: [m], timeout_ms: 300 }
`,
});
beforeEach(() => up.clear());
afterAll(async () => {
  await served.stop();
  await up.stop();
  await unsigned.stop(true);
  silent.stop(true);
});

/**
 * `nothing`: no tokens. `possible`: the estimated input is recorded, because the provider may bill it, and the caller is not
 * charged. `delivered`: the caller is charged an estimate of what was delivered. `reported`: what the provider reported.
 */
type Outcome = "nothing" | "possible" | "delivered" | "reported";

function outcomeOf({ inputTokens, outputTokens, charged, estimated }: LedgerRow): Outcome | "unknown" {
  if (inputTokens === 0 && outputTokens === 0) return "nothing";
  if (!estimated && charged) return "reported";
  if (!estimated || inputTokens === 0) return "unknown";
  return charged ? "delivered" : "possible";
}

const usage = { prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 };
const whole = (more: object = {}) => ({
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "hello there" }, finish_reason: "stop" }],
  usage,
  ...more,
});
const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
const word = chunk({ content: "hello there" });
const last = chunk({}, "stop");
const usageChunk = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage })}\n\n`;
const done = "data: [DONE]\n\n";
const failure = { error: { message: "out of order" } };
const zipped: Reply = {
  headers: { "content-type": "application/json", "content-encoding": "gzip" },
  bytes: [new TextEncoder().encode("this is not gzip")],
};
const head = (rest: string) => (line: Line) => line.write(rest).then(() => line.end());

interface Row {
  readonly fault: string;
  readonly script?: Script;
  readonly provider?: string;
  readonly stream?: true;
  readonly state: LedgerRow["state"];
  readonly outcome: Outcome;
}

const rows: readonly Row[] = [
  { fault: "U1 refused", provider: "refused", state: "failed", outcome: "nothing" },
  { fault: "U2 no address", provider: "unnamed", state: "failed", outcome: "nothing" },
  { fault: "U3 certificate", provider: "unsigned", state: "failed", outcome: "nothing" },
  { fault: "U4 no answer to the connection", provider: "silent", state: "failed", outcome: "possible" },
  { fault: "U5 reset before the head", script: (line) => line.reset(), state: "failed", outcome: "possible" },
  { fault: "U6 silence", provider: "hasty", script: (line) => line.closed, state: "failed", outcome: "possible" },
  {
    ...{ fault: "U6 silence, stream", provider: "hasty", stream: true, state: "failed", outcome: "possible" },
    script: (line) => line.closed,
  },
  {
    fault: "U7 reset in a reply",
    script: { json: whole(), ending: "reset", contentLength: 9_000 },
    state: "failed",
    outcome: "possible",
  },
  {
    fault: "U8 reset in a stream",
    stream: true,
    script: { frames: [word, ":\n\n"], gapMs: 100, ending: "reset" },
    state: "failed",
    outcome: "delivered",
  },
  {
    ...{ fault: "U9 silence in a stream", provider: "hasty", stream: true, state: "failed", outcome: "delivered" },
    script: { frames: [word], ending: "hang" },
  },
  {
    ...{ fault: "U10 byte by byte", stream: true, state: "completed", outcome: "reported" },
    script: { frames: [word, last, usageChunk, done], cutAt: "byte" },
  },
  {
    fault: "U11 no end",
    stream: true,
    script: { frames: [word, ":\n\n"], gapMs: 100 },
    state: "failed",
    outcome: "delivered",
  },
  {
    ...{ fault: "U12 comments and CRLF", stream: true, state: "completed", outcome: "reported" },
    script: { frames: [":\r\n\r\n", word.replaceAll("\n", "\r\n"), ": x\n\n", last, usageChunk, done] },
  },
  {
    ...{ fault: "U12 a frame that is too large", stream: true, state: "failed", outcome: "delivered" },
    script: { frames: [word, `data: ${"x".repeat(40 * 1024 * 1024)}`], gapMs: 100 },
  },
  {
    ...{ fault: "U13 broken JSON in an event", stream: true, state: "failed", outcome: "delivered" },
    script: { frames: [word, "data: {broken\n\n", last, usageChunk, done], gapMs: 100 },
  },
  {
    fault: "U14 a page",
    script: { text: "<html>", headers: { "content-type": "text/html" } },
    state: "failed",
    outcome: "possible",
  },
  {
    ...{ fault: "U15 an error event first", stream: true, state: "failed", outcome: "possible" },
    script: {
      frames: [`data: ${JSON.stringify({ error: { message: "slow down", code: 429, type: "rate_limit_error" } })}\n\n`],
    },
  },
  {
    fault: "U16 a reply without end",
    script: { text: " ".repeat(2_000_000), headers: { "content-type": "application/json" } },
    state: "failed",
    outcome: "possible",
  },
  { fault: "U17 429", script: { status: 429, json: failure }, state: "failed", outcome: "nothing" },
  { fault: "U18 500", script: { status: 500, json: failure }, state: "failed", outcome: "possible" },
  { fault: "U18 503", script: { status: 503, json: failure }, state: "failed", outcome: "possible" },
  {
    fault: "U19 a redirect",
    script: { status: 302, headers: { location: "/elsewhere" }, text: "" },
    state: "failed",
    outcome: "possible",
  },
  { fault: "U20 204", script: { status: 204 }, state: "failed", outcome: "possible" },
  {
    ...{ fault: "U20 broken chunks", state: "failed", outcome: "possible" },
    script: head("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
  },
  { fault: "U21 no usage", script: { json: whole({ usage: undefined }) }, state: "completed", outcome: "delivered" },
  {
    ...{ fault: "U21 negative usage", state: "completed", outcome: "delivered" },
    script: { json: whole({ usage: { prompt_tokens: -5, completion_tokens: -1, total_tokens: -6 } }) },
  },
  {
    ...{ fault: "U22 usage behind the finish", stream: true, state: "completed", outcome: "reported" },
    script: { frames: [word, last, usageChunk, done], gapMs: 50 },
  },
  { fault: "U23 broken compression", script: zipped, state: "failed", outcome: "possible" },
];

test.each(rows.map((row) => [row.fault, row] as const))(
  "%s",
  async (_, { provider = "far", script, stream, ...row }) => {
    if (script !== undefined) up.on("*", script);
    const before = ledgerRows(served.dataFolder).length;
    const response = await fetch(`${served.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${served.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ model: `${provider}/m`, messages: [{ role: "user", content: "hello" }] },
        ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
      }),
    });
    await response.text().catch(() => "");
    const settled = await settledRow(served.dataFolder, before);
    expect({ state: settled.state, outcome: outcomeOf(settled) }).toEqual({ state: row.state, outcome: row.outcome });
  },
);
