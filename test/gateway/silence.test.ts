// Silence: what the client gets meanwhile, and how it ends when the upstream stays silent for too long.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { collectChat, collectMessage } from "../support/chat-stream-reader.ts";
import { configuration, startUpstreams, type World } from "../support/fixture-gateway.ts";
import { says, saysOnly, wireFrames } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { type Call, make } from "../support/http-client.ts";
import { ledgerRows, settledRow } from "../support/ledger.ts";
import type { Received } from "../support/response-oracle.ts";
import { allowedMs, timed } from "../support/until.ts";
import type { Line, Script } from "../support/upstream.ts";

/** A multiple of 15, so that a tick of the gateway is a whole number of milliseconds. */
const heartbeatMs = 30;
const idleMs = 300;
const upstreams = await startUpstreams();
const limits = `, idle_timeout_ms: ${idleMs}, first_byte_timeout_ms: 500, timeout_ms: 500 }`;
const keepAliveMs = 1_000;
const yaml = `${configuration(upstreams).replaceAll("] }", `]${limits}`)}limits: { keep_alive_ms: ${keepAliveMs} }\n`;
const hasty: World = { upstreams, gateway: await gateway({ yaml, heartbeatMs }) };
const patient: World = { upstreams, gateway: await gateway({ yaml }) };
/** With the bounds that an operator has who sets none. */
const usual: World = { upstreams, gateway: await gateway({ yaml: configuration(upstreams) }) };
const { alpha, claude } = upstreams;

beforeEach(() => {
  for (const each of Object.values(upstreams)) each.clear();
});
afterAll(async () => {
  await Promise.all([hasty, patient, usual].map((world) => world.gateway.stop()));
  await Promise.all(Object.values(upstreams).map((each) => each.stop()));
});

async function say(call: Call, world = hasty): Promise<Received> {
  const { received: reply } = await make(call, world);
  if (!reply) throw new Error("there was no answer");
  return reply;
}

const chat: Call = { body: { stream: true } };
const messages: Call = { to: "messages", body: { stream: true } };
const pairs = [
  { pair: "chat of chat", call: chat, up: alpha, folder: "openai-chat" },
  {
    pair: "chat of messages",
    call: { body: { stream: true, model: "claude-x" } } as Call,
    up: claude,
    folder: "anthropic-messages",
  },
  { pair: "messages of messages", call: messages, up: claude, folder: "anthropic-messages" },
  {
    pair: "messages of chat",
    call: { ...messages, body: { stream: true, model: "gpt-x" } },
    up: alpha,
    folder: "openai-chat",
  },
];
const collectBy = (call: Call, received: Received) =>
  call.to === "messages" ? collectMessage(received) : collectChat(received);
const records = (received: Received) => received.text.split("\n\n").filter((record) => record !== "");
const isComment = (record: string) => record.startsWith(":");
const isPing = (record: string) => record.startsWith("event: ping");

/** In steps, so that where this process was held up the gateway's own timers have their turns in between. */
async function pause(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= heartbeatMs / 2) await Bun.sleep(Math.min(left, heartbeatMs / 2));
}

/** Frames with a pause before each one whose number is in `at`. */
const pausing =
  (frames: string[], at: number[], pauseMs: number): Script =>
  async (line: Line) => {
    await line.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
    for (const [index, frame] of frames.entries()) {
      if (at.includes(index)) await Promise.race([pause(pauseMs), line.closed]);
      await line.write(frame);
    }
    line.end();
  };

describe.each(pairs)("$pair", ({ call, up, folder }) => {
  const frames = wireFrames(`${folder}/text.sse`);
  const whole = { text: "Hello there, traveller.", isEnded: true };

  test("before the first token there is a comment in time, then the whole reply", async () => {
    up.on("*", says(`${folder}/text.sse`, { delayMs: heartbeatMs * 1.8 }));
    const received = await say(call);
    expect(isComment(records(received)[0] ?? "")).toBe(true);
    expect(records(received).filter(isPing).length).toBe(call.to === "messages" && folder !== "openai-chat" ? 1 : 0);
    expect(collectBy(call, received)).toMatchObject(whole);
  });

  test("in the middle they come in the form that the dialect tolerates there", async () => {
    up.on("*", pausing(frames, [frames.findIndex((frame) => frame.includes("traveller"))], heartbeatMs * 7));
    const received = await say(call);
    const all = records(received);
    const last = all.findIndex((record) => record.includes("traveller"));
    const own = call.to === "messages" && folder !== "openai-chat" ? 1 : 0;
    expect(all.slice(0, last).filter(call.to === "messages" ? isPing : isComment).length).toBeGreaterThan(own + 1);
    if (call.to === "messages") expect(received.comments).toEqual([]);
    expect(collectBy(call, received)).toMatchObject(whole);
  });

  test("they never come inside a frame that is still arriving", async () => {
    const text = frames.join("");
    const middle = text.indexOf("there") + 2;
    up.on("*", pausing([text.slice(0, middle), text.slice(middle)], [1], heartbeatMs * 3));
    const received = await say(call);
    expect(records(received).some((record) => isComment(record) || isPing(record))).toBe(true);
    expect(collectBy(call, received)).toMatchObject(whole);
  });

  test("a stream without silence has none", async () => {
    up.on("*", says(`${folder}/text.sse`));
    expect((await say(call, patient)).comments).toEqual([]);
  });

  test("a failure after the first heartbeat is an event in the stream and no clean end", async () => {
    up.on("*", says(`${folder}/error-500.json`, { delayMs: heartbeatMs * 3 }));
    const before = ledgerRows(hasty.gateway.dataFolder).length;
    const received = await say(call);
    expect({ status: received.status, ending: received.ending }).toEqual({ status: 200, ending: "whole" });
    expect(collectBy(call, received)).toMatchObject({
      isEnded: false,
      error: { type: expect.stringMatching(/_error$/) },
    });
    expect(await settledRow(hasty.gateway.dataFolder, before)).toMatchObject({
      state: "failed",
      httpStatus: 200,
      errorCode: expect.stringMatching(/./),
      firstByteMs: null,
    });
  });

  test("an upstream that falls silent for good is an error event, and is let go", async () => {
    up.on("*", saysOnly(4, `${folder}/text.sse`, { ending: "hang" }));
    const before = ledgerRows(hasty.gateway.dataFolder).length;
    const startMs = performance.now();
    const received = await say(call);
    expect(performance.now() - startMs).toBeGreaterThan(idleMs - 20);
    const { text, isEnded, error } = collectBy(call, received);
    expect({ text: text.startsWith("Hello"), isEnded }).toEqual({ text: true, isEnded: false });
    expect(error).toMatchObject({ code: "upstream_timeout" });
    await up.requests[0]?.aborted;
    expect(await settledRow(hasty.gateway.dataFolder, before)).toMatchObject({
      state: "failed",
      httpStatus: 200,
      errorCode: "upstream_timeout",
      estimated: true,
    });
  });

  const keepAliveGapMs = idleMs / 3;
  /** The first frames, these comments at a pace below the idle bound, the other frames. */
  const interrupted = (comment: string, count: number): Script => {
    const quiet = Array.from({ length: count }, () => comment);
    const pauses = Array.from({ length: count + 1 }, (_, index) => 4 + index);
    return pausing([...frames.slice(0, 4), ...quiet, ...frames.slice(4)], pauses, keepAliveGapMs);
  };

  test("an upstream that sends keep-alives is at work, for a while", async () => {
    up.on("*", interrupted(": OPENROUTER PROCESSING\n\n", 4));
    expect(collectBy(call, await say(call))).toMatchObject(whole);
    up.on("*", interrupted(": OPENROUTER PROCESSING\n\n", 40));
    expect(collectBy(call, await say(call))).toMatchObject({ isEnded: false, error: { code: "upstream_timeout" } });
    // Before it had sent them all.
    await up.requests.at(-1)?.aborted;
  });

  test("an upstream that only sends other comments is silent", async () => {
    up.on("*", interrupted(": still there\n\n", 40));
    expect(collectBy(call, await say(call))).toMatchObject({ isEnded: false, error: { code: "upstream_timeout" } });
  });

  test("comments before the first event are no first byte", async () => {
    up.on(
      "*",
      pausing(
        Array.from({ length: 8 }, () => ": OPENROUTER PROCESSING\n\n"),
        [1, 2, 3, 4, 5, 6, 7],
        idleMs / 2,
      ),
    );
    const received = await say(call, patient);
    expect(received.status).toBe(504);
    expect(collectBy(call, received).error).toMatchObject({ code: "upstream_timeout" });
  });

  test("no first byte in time is 504 while nothing has been sent", async () => {
    up.on("*", (line) => line.closed);
    const received = await say(call, patient);
    expect(received.status).toBe(504);
    expect(collectBy(call, received).error).toMatchObject({ code: "upstream_timeout" });
    await up.requests[0]?.aborted;
  });

  test("no first byte in time is an error event behind heartbeats", async () => {
    up.on("*", (line) => line.closed);
    const received = await say(call);
    expect(received.status).toBe(200);
    expect(isComment(records(received)[0] ?? "")).toBe(true);
    expect(collectBy(call, received)).toMatchObject({ isEnded: false, error: { code: "upstream_timeout" } });
  });

  test("a whole reply that does not come in time is 504", async () => {
    up.on("*", says(`${folder}/text.json`, { contentLength: 100_000, ending: "hang" }));
    const received = await say({ ...call, body: { ...call.body, stream: false } });
    expect(received.status).toBe(504);
    expect(collectBy(call, received).error).toMatchObject({ code: "upstream_timeout" });
  });
});

test("a client that leaves during heartbeats aborts the upstream", async () => {
  alpha.on("*", (line) => line.closed);
  const before = ledgerRows(hasty.gateway.dataFolder).length;
  const left = await timed(async () => {
    const { leftAt = 0 } = await make({ ...chat, leaves: "after first bytes" }, hasty);
    return (await alpha.requests[0]!.aborted) - leftAt;
  });
  expect(left.value).toBeLessThan(allowedMs(100, left));
  expect(await settledRow(hasty.gateway.dataFolder, before)).toMatchObject({ state: "cancelled" });
});

test("a client that stops reading holds the upstream back, and gets everything when it reads on", async () => {
  const [start = "", content = "", ...rest] = wireFrames("openai-chat/text.sse");
  const large = content.replace('"Hello"', JSON.stringify("x".repeat(100_000)));
  const many = Array.from({ length: 300 }, () => large);
  alpha.on("*", { frames: [start, ...many, ...rest.slice(2)] });
  const answer = await fetch(`${usual.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${usual.gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-x", stream: true, messages: [{ role: "user", content: "hi" }] }),
  });
  const reader = answer.body!.getReader();
  let bytes = (await reader.read()).value?.length ?? 0;
  const sent = await settledBytes(() => alpha.requests[0]?.sentBytes ?? 0);
  expect(sent).toBeLessThan(25_000_000);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
  }
  expect(bytes).toBeGreaterThan(30_000_000);
});

/** The count when it has stopped growing for 50 ms. */
async function settledBytes(count: () => number): Promise<number> {
  for (let last = -1; ; await Bun.sleep(50)) {
    if (count() === last) return last;
    last = count();
  }
}
