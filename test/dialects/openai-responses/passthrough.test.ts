// The passthrough: the client's wire goes on untouched but for the model, what the upstream would keep, and what the gateway made.
import { describe, expect, test } from "bun:test";
import { wrapProviderState } from "../../../src/canonical/provider-state.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { envelopeOf } from "../../support/laws.ts";
import { context, dialect, hello, thrown } from "./helpers.ts";

const sent = (wire: JsonObject, more: Parameters<typeof context>[0] = {}): JsonObject =>
  dialect.passthrough.render({ ...hello, ...wire }, context({ origin: "openai", ...more }), envelopeOf()).body;
const inputSent = (input: JsonObject[], more = {}) => sent({ input }, more).input;
const native = { options: { nativeState: true } };
const state = "reasoning.encrypted_content";

test("path, model and unknown fields", () => {
  const wire = { tomorrow: { a: [1] }, stop: "x", tools: [{ type: "web_search" }], tool_choice: "auto" };
  expect(dialect.passthrough.render({ ...hello, ...wire }, context(), envelopeOf())).toEqual({
    path: "responses",
    body: { ...hello, ...wire, model: "model-x", store: false },
  });
});

test("a long conversation with nothing of ours in it stays the same object", () => {
  const wire = wireJson<JsonObject>("openai-responses/agent-request.json");
  const { body } = dialect.passthrough.render(wire, context({ model: "gpt-5-codex", origin: "openai" }), envelopeOf());
  expect(body.input).toBe(wire.input as never);
  expect(body).toEqual(wire);
});

describe("what the upstream keeps", () => {
  test("nothing: the gateway keeps the conversation, and what was resolved is not asked for again", () => {
    const wire = { store: true, previous_response_id: "resp_1", background: true };
    expect(sent(wire)).toEqual({ ...hello, model: "model-x", store: false });
    expect(sent(wire, native)).toEqual({ ...hello, ...wire, model: "model-x" });
  });

  test("conversations belong to the provider's account, which others share", () => {
    expect(thrown(() => sent({ conversation: "conv_1" }))).toMatchObject({ param: "conversation" });
    expect(sent({ conversation: "conv_1" }, native).conversation).toBe("conv_1");
    expect(sent({ conversation: null })).toEqual({ ...hello, model: "model-x", store: false });
  });

  test("whoever thinks is asked for its state, others would refuse the wish", () => {
    expect(sent({}, { model: "gpt-5" }).include).toEqual([state]);
    expect(sent({ reasoning: { effort: "low" }, include: ["file_search_call.results"] }).include).toEqual([
      "file_search_call.results",
      state,
    ]);
    expect(sent({ include: [state] }).include).toEqual([state]);
    expect(sent({}, { model: "gpt-4o" }).include).toBeUndefined();
    expect(sent({}, { model: "gpt-5", ...native }).include).toBeUndefined();
  });
});

describe("what the gateway made", () => {
  const text = { type: "output_text", text: "x", annotations: [] };

  test("ids of ours go, others stay (bug 34)", () => {
    const message = { type: "message", role: "assistant", content: [text] };
    const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
    const made = [
      { ...message, id: "msg_gw_r_0", status: "completed" },
      { ...call, id: "fc_gw_r_1", status: "completed" },
    ];
    expect(inputSent(made)).toEqual([message, call]);
    const theirs = [{ ...message, id: "msg_0690", status: "completed" }];
    expect(inputSent(theirs)).toEqual(theirs);
  });

  test("thought goes back to its maker alone, under its maker's id (bug 33)", () => {
    const sealed = (origin: string, data: string): JsonObject => ({
      type: "reasoning",
      id: "rs_gw_r_0",
      status: "completed",
      summary: [],
      encrypted_content: wrapProviderState({ origin, data }),
    });
    const own = sealed("openai", '{"id":"rs_1","encrypted_content":"abc"}');
    expect(inputSent([own])).toEqual([{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "abc" }]);
    expect(inputSent([sealed("anthropic", "sig"), sealed("openai", '{"signature":"x"}')])).toEqual([]);
    const ofCall = { ...own, encrypted_content: `call.${wrapProviderState({ origin: "gemini", data: "x" })}` };
    expect(inputSent([ofCall])).toEqual([]);
  });

  test("thought without state means nothing where nothing is kept", () => {
    const bare = { type: "reasoning", id: "rs_0690", summary: [] };
    expect(inputSent([bare])).toEqual([]);
    expect(inputSent([bare], native)).toEqual([bare]);
    const open = { ...bare, content: [{ type: "reasoning_text", text: "Hm." }] };
    expect(inputSent([open, { ...bare, encrypted_content: "abc" }])).toEqual([
      open,
      { ...bare, encrypted_content: "abc" },
    ]);
    expect(inputSent([{ ...bare, id: "rs_gw_r_0" }], native)).toEqual([]);
  });
});

describe("a choice among tools", () => {
  const choice = { tool_choice: "required", parallel_tool_calls: false };
  const tool = { type: "function", name: "f" };
  const user = { type: "message", role: "user", content: "hi" };

  test.each<[string, JsonObject]>([
    ["tools", { tools: [tool] }],
    ["additional tools", { input: [user, { type: "additional_tools", tools: [tool] }] }],
    ["tools that a search found", { input: [user, { type: "tool_search_output", tools: [tool] }] }],
    ["tools of a server", { input: [user, { type: "mcp_list_tools", tools: [tool] }], tools: [] }],
    ["a stored prompt", { prompt: { id: "pmpt_1" } }],
  ])("goes with %s", (_name, wire) => {
    expect(sent({ ...wire, ...choice })).toMatchObject(choice);
  });

  test.each<[string, JsonObject]>([
    ["no tools", {}],
    ["an empty list", { tools: [] }],
    ["empty items", { input: [user, { type: "additional_tools", tools: [] }] }],
  ])("is left out with %s", (_name, wire) => {
    const body = sent({ ...wire, ...choice });
    for (const name of ["tools", "tool_choice", "parallel_tool_calls"]) expect(body).not.toHaveProperty(name);
  });
});
