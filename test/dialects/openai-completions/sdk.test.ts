// The official SDK reads what this dialect writes: whole replies, streams, errors.
import { afterAll, expect, test } from "bun:test";
import { APIError } from "openai";
import { GatewayError } from "../../../src/canonical/error.ts";
import { streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { openaiCompletions } from "../../../src/dialects/index.ts";
import { formatFrame } from "../../../src/lib/sse.ts";
import { openaiClient } from "../../support/clients.ts";
import { wireJson } from "../../support/fixtures.ts";
import { lawReadContext } from "../../support/laws.ts";
import { upstream } from "../../support/upstream.ts";
import { writing } from "./helpers.ts";

const up = await upstream();
const client = openaiClient(up.url, "none");
afterAll(() => up.stop());

const two = openaiCompletions.response.parse(wireJson("openai-completions/two-prompts.json"), lawReadContext);
const wire = { prompt: ["a,", "one,"], echo: true, stream: true, stream_options: { include_usage: true } };
const frames = (): string[] => {
  const writer = openaiCompletions.stream?.writer(writing(wire));
  return [...streamEventsOf(two)].flatMap((event) => writer?.write(event) ?? []).map(formatFrame);
};

test("a whole reply", async () => {
  const body = openaiCompletions.response.render(two, writing(wire));
  up.next({ text: JSON.stringify(body), headers: { "content-type": "application/json" } });
  const reply = await client.completions.create({ model: "m", prompt: ["a,", "one,"], echo: true });
  expect(reply.object).toBe("text_completion");
  expect(reply.choices.map(({ text, finish_reason }) => `${text} ${finish_reason}`)).toEqual([
    "a, b, c length",
    "one, two, three stop",
  ]);
  expect(reply.usage?.total_tokens).toBe(13);
});

test("a stream", async () => {
  up.next({ frames: frames() });
  const texts = ["", ""];
  const reasons: string[] = [];
  let total = 0;
  const stream = await client.completions.create({ model: "m", prompt: ["a,", "one,"], stream: true });
  for await (const part of stream) {
    expect(part.object).toBe("text_completion");
    total += part.usage?.total_tokens ?? 0;
    for (const { index, text, finish_reason } of part.choices) {
      texts[index] += text;
      if (finish_reason) reasons[index] = finish_reason;
    }
  }
  expect({ texts, reasons, total }).toEqual({
    texts: ["a, b, c", "one, two, three"],
    reasons: ["length", "stop"],
    total: 13,
  });
});

test("an error within a stream is thrown", async () => {
  const error = openaiCompletions.error.frames(new GatewayError("upstream_reset", "It broke off."), "req_1");
  up.next({ frames: [...frames().slice(0, 2), ...error.map(formatFrame)] });
  const stream = await client.completions.create({ model: "m", prompt: "a", stream: true });
  const read = async () => {
    for await (const _ of stream);
  };
  expect(await read().catch((thrown: unknown) => thrown)).toBeInstanceOf(APIError);
});
