// The passthrough: what changes on the client's wire, what must not, and which frame the client must not see.
import { describe, expect, test } from "bun:test";
import { wrapProviderState } from "../../../src/canonical/provider-state.ts";
import type { RenderContext } from "../../../src/dialects/dialect.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { envelopeOf } from "../../support/laws.ts";
import { context, fixtureFrames, hello } from "./helpers.ts";

const { passthrough } = openaiChat;
const body = (wire: JsonObject, more: Partial<RenderContext> = {}): JsonObject =>
  passthrough.render(wire, context(more), envelopeOf()).body;

describe("the call", () => {
  test("the model is replaced, unknown fields stay, the client's wire is untouched", () => {
    const wire: JsonObject = { ...hello, tomorrow: { kept: [1, 2.5] }, stream: false, max_tokens: 5 };
    const before = structuredClone(wire);
    const made = passthrough.render(wire, context(), envelopeOf());
    expect(made).toEqual({ path: "chat/completions", body: { ...wire, model: "model-x" } });
    expect(made.body.messages).toBe(wire.messages as never);
    expect(wire).toEqual(before);
  });

  test("a stream asks for usage, whatever else it asks for", () => {
    expect(body({ ...hello, stream: true }).stream_options).toEqual({ include_usage: true });
    const options = { include_usage: false, include_obfuscation: false };
    expect(body({ ...hello, stream: true, stream_options: options }).stream_options).toEqual({
      include_usage: true,
      include_obfuscation: false,
    });
    expect(options.include_usage).toBe(false);
  });

  test("older servers", () => {
    const options = { noStreamOptions: true, legacyMaxTokens: true };
    const wire = {
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 5,
      max_completion_tokens: 9,
    };
    expect(body(wire, { options })).toEqual({ ...hello, model: "model-x", stream: true, max_tokens: 9 });
    expect(body({ ...hello, max_tokens: 5 }, { options }).max_tokens).toBe(5);
  });

  test("what says nothing is left out, since servers refuse it", () => {
    const wire = {
      ...hello,
      stop: [],
      tools: [],
      tool_choice: "auto",
      parallel_tool_calls: true,
      n: null,
      logit_bias: {},
      user: null,
    };
    expect(body(wire)).toEqual({ ...hello, model: "model-x", user: null });
  });

  const native = JSON.stringify({ format: "v1", index: 0, signature: "S", type: "reasoning.text" });
  const signed = (origin: string, data: string) => ({
    type: "reasoning.text",
    text: "hm",
    signature: wrapProviderState({ origin, data }),
    index: 0,
  });
  const callWith = (token: string) => ({
    id: "a",
    type: "function",
    function: { name: "f", arguments: "{}" },
    extra_content: { google: { thought_signature: token } },
  });
  const history = (message: JsonObject): JsonObject => ({
    ...hello,
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: "x", ...message },
    ],
  });
  const assistantOf = (made: JsonObject) => (made.messages as JsonObject[])[1];

  test("state of this maker is unwrapped, in its own shape", () => {
    const made = body(
      history({
        reasoning_content: "hm",
        reasoning_details: [signed("maker", native), signed("maker", "bare")],
        tool_calls: [callWith(wrapProviderState({ origin: "maker", data: "ts" }))],
      }),
    );
    expect(assistantOf(made)).toEqual({
      role: "assistant",
      content: "x",
      reasoning_content: "hm",
      reasoning_details: [
        { format: "v1", index: 0, signature: "S", type: "reasoning.text", text: "hm" },
        { type: "reasoning.text", text: "hm", signature: "bare" },
      ],
      tool_calls: [callWith("ts")],
    });
  });

  test("state of another maker goes with its thinking (bug 33)", () => {
    const made = body(
      history({
        reasoning_content: "hm",
        reasoning_details: [signed("claude", "s")],
        tool_calls: [callWith(wrapProviderState({ origin: "gem", data: "ts" }))],
      }),
    );
    const { extra_content: _gone, ...bare } = callWith("");
    expect(assistantOf(made)).toEqual({ role: "assistant", content: "x", tool_calls: [bare] });
  });

  test("state that is in no envelope is the server's own, and stays", () => {
    const wire = history({
      reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "S" }],
      tool_calls: [callWith("native")],
    });
    expect(body(wire).messages).toBe(wire.messages as never);
  });
});

describe("frames", () => {
  const visibleFrames = (name: string, wire: JsonObject) =>
    fixtureFrames(name).map((frame) => passthrough.visibleFrame?.(frame, wire) !== null);

  test("the usage chunk is hidden from those who did not ask", () => {
    expect(visibleFrames("text.sse", hello)).toEqual([true, true, true, true, true, false, true]);
    expect(
      visibleFrames("text.sse", { ...hello, stream_options: { include_usage: false } }).filter((keep) => !keep),
    ).toHaveLength(1);
  });

  test("and told to those who did", () => {
    expect(visibleFrames("text.sse", { ...hello, stream_options: { include_usage: true } }).every(Boolean)).toBe(true);
  });

  test("Azure's first chunk stays, its usage goes", () => {
    expect(visibleFrames("azure-first-chunk.sse", hello)).toEqual([true, true, true, true, true, true, false, true]);
  });

  test("usage on a chunk with choices goes, and the chunk stays", () => {
    const choices = [{ index: 0, delta: { content: "x" } }];
    const data = JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
    expect(passthrough.visibleFrame?.({ data }, hello)).toEqual({ data: JSON.stringify({ choices }) });
    const requested = { ...hello, stream_options: { include_usage: true } };
    expect(passthrough.visibleFrame?.({ data }, requested)).toEqual({ data });
  });

  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const rows: readonly (readonly [string, JsonObject, boolean])[] = [
    ["usage beside content", { choices: [{ index: 0, delta: { content: "x" } }], usage }, true],
    ["usage with a server's own words", { choices: [], usage, provider: "x", tomorrow: 1 }, false],
    ["usage and moderation", { choices: [], usage, moderation: { input: {} } }, true],
    [
      "text that speaks of usage",
      { choices: [{ index: 0, delta: { content: '{"choices":[],"usage":{"prompt_tokens":1}}' } }] },
      true,
    ],
    ["usage without choices", { usage }, true],
  ];
  test.each(rows.map((row) => [...row] as const))("%s", (_name, chunk, keep) => {
    expect(
      passthrough.visibleFrame?.({ data: JSON.stringify(chunk, null, 1).replaceAll("\n", "") }, hello) !== null,
    ).toBe(keep);
  });
});
