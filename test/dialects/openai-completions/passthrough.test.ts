// The passthrough: what changes on the client's wire, what must not, and which record the client must not see.
import { describe, expect, test } from "bun:test";
import { openaiCompletions } from "../../../src/dialects/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { envelopeOf } from "../../support/laws.ts";
import { context, fixtureFrames, hello } from "./helpers.ts";

const { passthrough } = openaiCompletions;
const body = (wire: JsonObject, noStreamOptions = false): JsonObject =>
  passthrough.render(wire, context({ options: { noStreamOptions } }), envelopeOf()).body;

describe("the call", () => {
  test("the model is replaced, prompts and unknown fields stay, the client's wire is untouched", () => {
    const wire: JsonObject = { model: "m", prompt: [[1, 2], [3]], tomorrow: { kept: 2.5 }, echo: true, max_tokens: 0 };
    const before = structuredClone(wire);
    const made = passthrough.render(wire, context(), envelopeOf());
    expect(made).toEqual({ path: "completions", body: { ...wire, model: "model-x" } });
    expect(made.body.prompt).toBe(wire.prompt as never);
    expect(wire).toEqual(before);
  });

  test("what says nothing is left out", () => {
    const wire = {
      ...hello,
      stop: [],
      n: null,
      best_of: null,
      logit_bias: {},
      logprobs: null,
      suffix: null,
      user: null,
    };
    expect(body(wire)).toEqual({ ...hello, model: "model-x", user: null });
  });

  test("a stream asks for usage, unless the server refuses that", () => {
    expect(body({ ...hello, stream: true }).stream_options).toEqual({ include_usage: true });
    const wire = { ...hello, stream: true, stream_options: { include_usage: true } };
    expect(body(wire, true).stream_options).toBeUndefined();
  });
});

test("the usage record that only the meter asked for is kept from the client", () => {
  const frames = fixtureFrames("text.sse");
  const seen = (wire: JsonObject) => frames.filter((frame) => passthrough.visibleFrame?.(frame, wire) !== null).length;
  expect(seen({ stream: true })).toBe(frames.length - 1);
  expect(seen({ stream: true, stream_options: { include_usage: true } })).toBe(frames.length);
  expect(fixtureFrames("logprobs.sse").every((frame) => passthrough.visibleFrame?.(frame, {}) !== null)).toBe(true);
});
