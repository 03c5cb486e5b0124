// Comments before the first event bind no one: the next candidate can still answer, and the client sees none of them.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startUpstreams, startWorld, stopWorld } from "../support/fixture-gateway.ts";
import { says, wireFrames } from "../support/fixtures.ts";
import { type Call, make } from "../support/http-client.ts";
import type { Received } from "../support/response-oracle.ts";
import { collectBy } from "../support/stream-writers.ts";
import type { Reply } from "../support/upstream.ts";

const upstreams = await startUpstreams();
const world = await startWorld(upstreams);
const { alpha, beta, claude } = upstreams;

beforeEach(() => {
  for (const each of Object.values(upstreams)) each.clear();
});
afterAll(() => stopWorld(world));

async function say(call: Call): Promise<Received> {
  const { received } = await make(call, world);
  if (!received) throw new Error("there was no answer");
  return received;
}

const processing = ": OPENROUTER PROCESSING\n\n";
const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
const overloaded = wireFrames("openai-chat/error-first.sse");

/** Each frame as a packet of its own. */
const after = (comments: string[], frames: string[], twist: Reply = {}): Reply => ({
  frames: [...comments, ...frames],
  gapMs: 5,
  ...twist,
});

describe.each([
  { client: "a chat client", to: "chat" as const },
  { client: "a messages client", to: "messages" as const },
])("$client", ({ to }) => {
  const call: Call = { to, body: { model: "chain", stream: true } };
  const resultOf = (received: Received) => collectBy[to](received);

  test.each([
    { what: "an error", reply: after([processing, processing], overloaded) },
    { what: "the end", reply: after([processing, processing], []) },
    { what: "a cut", reply: after([processing, processing], [], { ending: "cut" }) },
  ])("a stream that has only sent comments and then $what is followed by the next candidate", async ({ reply }) => {
    alpha.on("*", reply);
    beta.on("*", says("openai-chat/text.sse"));
    const received = await say(call);
    expect(received.status).toBe(200);
    expect(received.headers.get("x-turnpike-provider")).toBe("beta");
    expect(resultOf(received)).toMatchObject({ text: "Hello there, traveller.", isEnded: true });
    expect(received.comments).toEqual([]);
  });

  test("comments and events in one packet: the client gets the events", async () => {
    const frames = [`${processing}${wireFrames("openai-chat/text.sse").join("")}`];
    alpha.on("*", { frames });
    const received = await say(call);
    expect(resultOf(received)).toMatchObject({ text: "Hello there, traveller.", isEnded: true });
    expect(received.comments).toEqual([]);
  });
});

test("comments between events reach a client of the same dialect as they are", async () => {
  const [first = "", ...rest] = wireFrames("openai-chat/text.sse");
  alpha.on("*", after([first, processing], rest));
  const received = await say({ body: { stream: true } });
  expect(received.text).toContain(processing);
});

test("a ping before the first event of a messages stream is no first byte either", async () => {
  claude.on("*", after([ping], wireFrames("anthropic-messages/error-first.sse")));
  const received = await say({ to: "messages", body: { stream: true } });
  expect(received.status).toBe(529);
});
