// Streams: tokens leave as they come, a cut is never a clean end, and a client that leaves takes the upstream with it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUpstreams, startWorld, stopWorld, type World } from "../support/fixture-gateway.ts";
import { says, saysOnly, wireFrames, wireText } from "../support/fixtures.ts";
import type { Call } from "../support/http-client.ts";
import type { Reply } from "../support/sample-responses.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";
import type { Line, Script } from "../support/upstream.ts";

const chat: Call = { body: { stream: true } };
const messages: Call = { to: "messages", body: { stream: true } };
const chatOfClaude: Call = { body: { stream: true, model: "claude-x" } };
const messagesOfChat: Call = { to: "messages", body: { stream: true, model: "gpt-x" } };
const whole = { text: "Hello there, traveller.", isEnded: true };

/** The four pairs: who calls, which upstream answers, with which fixtures. */
const pairs = [
  { pair: "chat of chat", call: chat, to: "alpha", folder: "openai-chat" },
  { pair: "messages of messages", call: messages, to: "claude", folder: "anthropic-messages" },
  { pair: "chat of messages", call: chatOfClaude, to: "claude", folder: "anthropic-messages" },
  { pair: "messages of chat", call: messagesOfChat, to: "alpha", folder: "openai-chat" },
] as const;

const answered: Scenario[] = pairs.flatMap(({ pair, call, to, folder }) => [
  {
    name: `${pair}: the head says that it is an event stream`,
    call,
    upstream: { [to]: says(`${folder}/text.sse`) },
    sees: {
      result: whole,
      headers: { "content-type": /^text\/event-stream/, "cache-control": /no-cache/, "x-accel-buffering": "no" },
      lacksHeaders: ["content-length", "content-encoding"],
    },
  },
  {
    name: `${pair}: cut at every byte, characters stay whole`,
    call,
    upstream: { [to]: says(`${folder}/unicode.sse`, { cutAt: "byte" }) },
    sees: { result: { text: "Grüße, 世界 👩‍👩‍👧 é\u2028end", isEnded: true }, lacks: ["\uFFFD"] },
  },
  {
    name: `${pair}: CRLF line ends`,
    call,
    upstream: { [to]: { frames: wireFrames(`${folder}/text.sse`).map((frame) => frame.replaceAll("\n", "\r\n")) } },
    sees: { result: whole },
  },
  asTheyCome(pair, call, to, folder),
]);

/** The upstream sends the rest only when the client has received the first bytes: a gateway that gathers would hang. */
function asTheyCome(pair: string, call: Call, to: string, folder: string): Scenario {
  const receivedFirst = Promise.withResolvers<void>();
  return {
    name: `${pair}: tokens leave as they arrive`,
    call: { ...call, onFirst: () => receivedFirst.resolve() },
    upstream: { [to]: says(`${folder}/text.sse`, { gate: receivedFirst.promise, gateAfter: 4 }) },
    sees: { result: whole },
  };
}

const endings = ["end", "cut", "reset"] as const;

/** The fault comes when the client has received the first bytes; before that it would be an error with a status of its own. */
function faulty(name: string, call: Call, to: string, reply: Reply, sees: Scenario["sees"]): Scenario {
  const receivedFirst = Promise.withResolvers<void>();
  return {
    name,
    call: { ...call, onFirst: () => receivedFirst.resolve() },
    upstream: { [to]: { ...reply, gate: receivedFirst.promise, gateAfter: (reply.frames?.length ?? 1) - 1 } },
    sees: { error: { message: expect.stringMatching(/\S/) }, ...sees },
    ledger: { state: "failed", provider: to },
  };
}

const cut: Scenario[] = pairs.flatMap(({ pair, call, to, folder }) => [
  ...endings.map((ending) => {
    const frames = [...wireFrames(`${folder}/text.sse`).slice(0, 4), ": the end is near\n\n"];
    const sees = { result: { isEnded: false }, lacks: ['"finish_reason":"stop"'] };
    const name = `${pair}: a stream that stops in the middle (${ending}) is an error and no end`;
    return faulty(name, call, to, { frames, ending }, sees);
  }),
  faulty(
    `${pair}: an error event of the upstream is an error and no end`,
    call,
    to,
    { frames: wireFrames(`${folder}/error-midstream.sse`) },
    { result: { text: "Hello", isEnded: false } },
  ),
  faulty(
    `${pair}: an event that is no JSON is never a clean end`,
    call,
    to,
    { frames: [...wireFrames(`${folder}/text.sse`).slice(0, 4), "event: message_delta\ndata: {oops\n\n"] },
    { result: { isEnded: false } },
  ),
]);

const lateEnd: Scenario[] = [
  {
    name: "a finish without [DONE] is an end",
    call: chat,
    upstream: { alpha: { frames: wireFrames("openai-chat/text.sse").slice(0, -1) } },
    sees: { result: { text: "Hello there, traveller.", stop: "stop" } },
    also: (received) => expect(received.text).not.toContain('"error"'),
  },
  {
    name: "a last record without its blank line counts",
    call: chatOfClaude,
    upstream: {
      claude: {
        headers: { "content-type": "text/event-stream" },
        bytes: [Buffer.from(wireText("anthropic-messages/text.sse").trimEnd())],
      },
    },
    sees: { result: whole },
  },
  {
    name: "JSON where a stream was asked for is a protocol error",
    call: chat,
    upstream: { alpha: { json: { hello: 1 } } },
    sees: { status: 502, error: { code: "upstream_protocol_error" } },
  },
  {
    name: "a comment of the upstream disturbs nobody",
    call: messagesOfChat,
    upstream: { alpha: { frames: [": waiting\n\n", ...wireFrames("openai-chat/text.sse")] } },
    sees: { result: whole },
  },
];

const silent: Script = (line: Line) => line.closed;
const stalling = (folder: string): Script => saysOnly(4, `${folder}/text.sse`, { ending: "hang" });

const leaving: Scenario[] = pairs.flatMap(({ pair, call, to, folder }) => [
  {
    name: `${pair}: a client that leaves before the first byte aborts the upstream`,
    call: { ...call, leaves: "when asked" },
    upstream: { [to]: silent },
    abortedWithinMs: 100,
    ledger: { state: "cancelled", provider: to },
  },
  {
    name: `${pair}: a client that leaves in the stream aborts the upstream`,
    call: { ...call, leaves: "after first bytes" },
    upstream: { [to]: stalling(folder) },
    abortedWithinMs: 100,
    ledger: { state: "cancelled", provider: to },
  },
]);

scenarios("streams that are answered", answered);
scenarios("streams that are cut", cut, { fresh: true });
scenarios("streams that end late or oddly", lateEnd, { fresh: true });
scenarios("clients that leave", leaving);

let world: World;
beforeAll(async () => {
  world = await startWorld(await startUpstreams());
});
afterAll(() => stopWorld(world));

test("a client that does not read holds the upstream back", async () => {
  const { alpha } = world.upstreams;
  const [start = "", content = ""] = wireFrames("openai-chat/text.sse");
  const large = content.replace('"Hello"', JSON.stringify("x".repeat(100_000)));
  alpha.next({ frames: [start, ...Array.from({ length: 1000 }, () => large)] });
  const leaving = new AbortController();
  const answer = await fetch(`${world.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-x", stream: true, messages: [{ role: "user", content: "hi" }] }),
    signal: leaving.signal,
  });
  await answer.body?.getReader().read();
  const sent = await settledBytes(() => alpha.requests[0]?.sentBytes ?? 0);
  leaving.abort();
  expect(sent).toBeLessThan(40_000_000);
});

/** The count when it has stopped growing for 100 ms. */
async function settledBytes(count: () => number): Promise<number> {
  for (let last = -1; ; await Bun.sleep(100)) {
    if (count() === last) return last;
    last = count();
  }
}
