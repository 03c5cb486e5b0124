// A kept-alive connection that its server closes: the request is sent once more on a fresh one, and on no other reset.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startUpstreams, startWorld, stopWorld } from "../support/fixture-gateway.ts";
import { says } from "../support/fixtures.ts";
import { type Call, make } from "../support/http-client.ts";
import type { Received } from "../support/response-oracle.ts";
import { collectBy } from "../support/stream-writers.ts";
import type { Script } from "../support/upstream.ts";

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

const reset: Script = (line) => line.reset();
const close: Script = (line) => line.end();
/** How many requests each of the upstream's requests had before it on its connection. */
const earlier = (up: typeof alpha): number[] => up.requests.map((seen) => seen.earlier);
const whole = { text: "Hello there, traveller." };

const handlings = [
  { handling: "passthrough", model: "gpt-x", up: alpha, folder: "openai-chat" },
  { handling: "translated", model: "claude-x", up: claude, folder: "anthropic-messages" },
];
const forms = [
  { form: "whole reply", stream: false, file: "text.json" },
  { form: "stream", stream: true, file: "text.sse" },
];

describe.each(handlings)("$handling", ({ model, up, folder }) => {
  describe.each(forms)("$form", ({ stream, file }) => {
    const call: Call = { body: { model, stream } };
    const ok = says(`${folder}/${file}`);

    /** One answer on a connection that the gateway keeps. */
    async function warmUp(): Promise<void> {
      up.on("*", says(`${folder}/text.json`));
      await say({ body: { model } });
      up.requests.length = 0;
    }

    test.each([
      { how: "reset", lost: reset },
      { how: "closed", lost: close },
    ])("a reused connection that is $how before any byte is replaced by a fresh one", async ({ lost }) => {
      await warmUp();
      up.on("*", lost, ok);
      const received = await say(call);
      expect(received.status).toBe(200);
      expect(collectBy.chat(received)).toMatchObject(whole);
      expect(received.headers.get("x-turnpike-attempts")).toBe("1");
      expect(earlier(up)).toEqual([1, 0]);
    });

    test("a fresh connection that is reset is not replaced: the request may have been processed", async () => {
      await warmUp();
      up.on("*", reset);
      const received = await say(call);
      expect(received.status).toBe(502);
      expect(collectBy.chat(received).error).toMatchObject({ code: "upstream_unreachable" });
      expect(earlier(up)).toEqual([1, 0]);
    });

    test("a reset inside the answer is not a stale connection", async () => {
      await warmUp();
      up.on("*", { ...says(`${folder}/text.json`), contentLength: 100_000, ending: "reset" });
      const received = await say({ body: { model } });
      expect(received.status).toBe(502);
      expect(up.requests.length).toBe(1);
    });
  });
});

test("the next candidate is asked where the fresh connection is reset too", async () => {
  const call: Call = { body: { model: "chain" } };
  alpha.on("*", says("openai-chat/text.json"));
  await say(call);
  alpha.requests.length = 0;
  alpha.on("*", reset);
  beta.on("*", says("openai-chat/text.json"));
  const received = await say(call);
  expect(collectBy.chat(received)).toMatchObject(whole);
  expect(received.headers.get("x-turnpike-attempts")).toBe("2");
  expect(earlier(alpha)).toEqual([1, 0]);
  expect(beta.requests.length).toBe(1);
});

test("a provider that has never answered is asked once", async () => {
  const { gamma } = upstreams;
  gamma.on("*", reset);
  expect((await say({ body: { model: "gpt-c" } })).status).toBe(502);
  expect(earlier(gamma)).toEqual([0]);
});

test("a reset that comes late is not a stale connection: the request may have been processed", async () => {
  const { delta } = upstreams;
  delta.on("*", says("openai-chat/text.json"));
  await say({ body: { model: "gpt-d" } });
  delta.on("*", async (line) => {
    await Bun.sleep(2_100);
    line.reset();
  });
  expect((await say({ body: { model: "gpt-d" } })).status).toBe(502);
  expect(earlier(delta)).toEqual([0, 1]);
});
