// What clients of this dialect get: the response object with everything that was asked, and the life cycle of its events.
import { describe, expect, test } from "bun:test";
import type { Block, ChatAnswer, Stop } from "../../../src/canon/conversation.ts";
import { type Delta, replay } from "../../../src/canon/delta.ts";
import { GatewayError } from "../../../src/canon/error.ts";
import { wrapOpaque } from "../../../src/canon/opaque.ts";
import { noUsage } from "../../../src/canon/usage.ts";
import { isOurs } from "../../../src/dialects/openai-responses/ids.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { dialect, hello, writeContext, written } from "./helpers.ts";

const signature = { origin: "anthropic", data: "sig==" };
const envelope = wrapOpaque(signature);
const usage = { ...noUsage, inputTokens: 40, cacheReadTokens: 60, outputTokens: 20, reasoningTokens: 10 };

function answerOf(blocks: Block[], stop: Stop["kind"] = "end", more: Partial<ChatAnswer> = {}): ChatAnswer {
  const choices = [{ index: 0, blocks, stop: { kind: stop } }];
  return { operation: "chat", id: "up-1", model: "up-model", choices, usage, ...more };
}

const whole = (answer: ChatAnswer, wire: JsonObject = hello): JsonObject =>
  dialect.response.render(answer, writeContext({ wire }));
const outputOf = (blocks: Block[], stop?: Stop["kind"], wire?: JsonObject) =>
  whole(answerOf(blocks, stop), wire).output as JsonObject[];
const streamed = (blocks: Block[], stop?: Stop["kind"], wire: JsonObject = hello) =>
  written(replay(answerOf(blocks, stop)), { wire });
const types = (events: JsonObject[]) => events.map((event) => event.type);

const turn: Block[] = [
  { type: "thinking", text: "Need two lookups.", signature },
  { type: "text", text: "Let me check." },
  { type: "tool-call", id: "t_a", name: "get_time", kind: "function", input: '{"zone":"UTC"}' },
  { type: "tool-call", id: "t_b", name: "get_day", kind: "function", input: "{}" },
];

describe("the response object", () => {
  test("says again what was asked, with the defaults of what was not", () => {
    expect(whole(answerOf([{ type: "text", text: "Hi" }]))).toEqual({
      id: "resp_req-1",
      object: "response",
      created_at: 7,
      completed_at: null,
      status: "completed",
      error: null,
      incomplete_details: null,
      model: "up-model",
      output: [
        {
          id: "msg_gw_req-1_0",
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", annotations: [], logprobs: [], text: "Hi" }],
        },
      ],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60, cache_write_tokens: 0 },
        output_tokens: 30,
        output_tokens_details: { reasoning_tokens: 10 },
        total_tokens: 130,
      },
      background: false,
      conversation: null,
      frequency_penalty: 0,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: {},
      parallel_tool_calls: true,
      presence_penalty: 0,
      previous_response_id: null,
      prompt_cache_key: null,
      reasoning: { effort: null, summary: null },
      safety_identifier: null,
      service_tier: "default",
      store: true,
      temperature: 1,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_logprobs: 0,
      top_p: 1,
      truncation: "disabled",
      user: null,
    });
  });

  test("carries the client's own values", () => {
    const asked = {
      instructions: "Be brief.",
      max_output_tokens: 99,
      metadata: { a: "b" },
      parallel_tool_calls: false,
      previous_response_id: "resp_0",
      service_tier: "flex",
      store: false,
      temperature: 0,
      tool_choice: "required",
      top_p: 0.5,
      truncation: "auto",
      user: "u",
    };
    const tools = [{ type: "function", name: "f", parameters: { type: "object" } }, { type: "web_search" }];
    const wire = { ...hello, ...asked, tools, text: { verbosity: "low" }, reasoning: { effort: "high" } };
    const body = whole(answerOf([]), wire);
    expect(body).toMatchObject(asked);
    expect(body.tools).toEqual([{ ...tools[0], description: null, strict: null }, { type: "web_search" }]);
    expect(body.text).toEqual({ format: { type: "text" }, verbosity: "low" });
    expect(body.reasoning).toEqual({ effort: "high", summary: null });
  });

  test("upstream ids stay hidden, ids follow from the request's own and are known as ours", () => {
    const ids = (id: string) => {
      const body = dialect.response.render(answerOf(turn), writeContext({ id }));
      return [body.id, ...(body.output as JsonObject[]).map((item) => item.id)];
    };
    expect(ids("resp_abc")).toEqual(["resp_abc", "rs_gw_abc_0", "msg_gw_abc_1", "fc_gw_abc_2", "fc_gw_abc_3"]);
    expect(ids("a b/c")[0]).toBe("resp_a_b_c");
    expect(ids("resp_abc").slice(1).every(isOurs)).toBe(true);
    const long = ids("x".repeat(200));
    expect(long.slice(1).every((id) => isOurs(id) && String(id).length <= 64)).toBe(true);
    expect(isOurs("msg_0690e7c2a1b04f5d")).toBe(false);
  });

  test("where nobody counted, figures are estimated and never zeros", () => {
    const { usage: _none, ...uncounted } = answerOf([{ type: "text", text: "12345678" }]);
    expect(dialect.response.render(uncounted, writeContext()).usage).toMatchObject({
      input_tokens: 3,
      output_tokens: 2,
      total_tokens: 5,
    });
    const events = written(replay(uncounted));
    expect((events.at(-1)?.response as JsonObject).usage).toMatchObject({ input_tokens: 3, output_tokens: 2 });
  });
});

describe("stops", () => {
  const text: Block = { type: "text", text: "x" };
  test.each<[Stop["kind"], string, string | null]>([
    ["end", "completed", null],
    ["stop-sequence", "completed", null],
    ["tool-use", "completed", null],
    ["pause", "completed", null],
    ["length", "incomplete", "max_output_tokens"],
    ["context-full", "incomplete", "max_output_tokens"],
    ["filter", "incomplete", "content_filter"],
    ["refusal", "incomplete", "content_filter"],
  ])("%s is %s", (kind, status, reason) => {
    const expected = { status, incomplete_details: reason === null ? null : { reason } };
    expect(whole(answerOf([text], kind))).toMatchObject(expected);
    const last = streamed([text], kind).at(-1);
    expect(last).toMatchObject({ type: `response.${status}`, response: expected });
  });

  test("a refusal that can be read is an answer", () => {
    const body = whole(answerOf([{ type: "refusal", text: "No." }], "refusal"));
    expect(body).toMatchObject({ status: "completed", output: [{ content: [{ type: "refusal", refusal: "No." }] }] });
  });

  test("of a cut reply the last item is incomplete, a cut call stays as it is", () => {
    const cut: Block[] = [
      { type: "text", text: "Let me" },
      { type: "tool-call", id: "c", name: "f", kind: "function", input: '{"a' },
    ];
    const expected = [{ status: "completed" }, { status: "incomplete", arguments: '{"a' }];
    expect(outputOf(cut, "length")).toMatchObject(expected);
    expect((streamed(cut, "length").at(-1)?.response as JsonObject).output).toMatchObject(expected);
  });
});

describe("the life cycle of events", () => {
  test("the worked example, event by event", () => {
    const events = streamed(turn, "tool-use");
    expect(types(events)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events[2]).toMatchObject({ item: { type: "reasoning", status: "in_progress", summary: [] } });
    expect(events[7]).toMatchObject({
      item: { encrypted_content: envelope, summary: [{ text: "Need two lookups." }] },
    });
    expect(events[8]).toMatchObject({ output_index: 1, item: { content: [], status: "in_progress" } });
    expect(events[14]).toMatchObject({ item: { call_id: "t_a", name: "get_time", arguments: "" } });
    expect(events[16]).toMatchObject({ name: "get_time", arguments: '{"zone":"UTC"}' });
  });

  test("in a response that has only begun there is no output and no usage", () => {
    const [created, inProgress] = streamed(turn, "end", { ...hello, instructions: "x" });
    const expected = { status: "in_progress", output: [], usage: null, instructions: "x", id: "resp_req-1" };
    expect([created?.response, inProgress?.response]).toMatchObject([expected, expected]);
  });

  test("neighbouring text and refusal are parts of one message; its citations come before its end", () => {
    const blocks: Block[] = [
      { type: "text", text: "a😀", citations: [{ url: "https://x", title: "X" }] },
      { type: "refusal", text: "no" },
    ];
    const events = streamed(blocks);
    expect(events.filter((event) => event.type === "response.output_item.added")).toHaveLength(1);
    const annotation = { type: "url_citation", start_index: 0, end_index: 2, title: "X", url: "https://x" };
    expect(events.find((event) => event.type === "response.output_text.annotation.added")).toMatchObject({
      annotation_index: 0,
      content_index: 0,
      annotation,
    });
    expect(outputOf(blocks)).toMatchObject([{ content: [{ annotations: [annotation] }, { refusal: "no" }] }]);
    expect(types(events)).toContain("response.refusal.done");
  });

  test("free text goes as a custom call (bug 15), a call without input as the empty object (bug 13)", () => {
    const blocks: Block[] = [
      { type: "tool-call", id: "c1", name: "patch", kind: "custom", input: "*** x" },
      { type: "tool-call", id: "c2", name: "f", kind: "function", input: "" },
    ];
    const expected = [
      { type: "custom_tool_call", id: "ctc_gw_req-1_0", call_id: "c1", input: "*** x" },
      { type: "function_call", call_id: "c2", arguments: "{}" },
    ];
    expect(outputOf(blocks)).toMatchObject(expected);
    const events = streamed(blocks);
    expect((events.at(-1)?.response as JsonObject).output).toMatchObject(expected);
    expect(types(events)).toContain("response.custom_tool_call_input.done");
    expect(events.filter((event) => event.type === "response.function_call_arguments.delta")).toMatchObject([
      { delta: "{}" },
    ]);
  });

  test("a tool of a namespace goes back apart", () => {
    const tools = [{ type: "namespace", name: "mcp__docs", tools: [{ type: "function", name: "search" }] }];
    const call: Block = { type: "tool-call", id: "c", name: "mcp__docs__search", kind: "function", input: "{}" };
    const [item] = outputOf([call], "tool-use", { ...hello, tools });
    expect(item).toMatchObject({ name: "search", namespace: "mcp__docs" });
    const added = { type: "additional_tools", role: "developer", tools };
    const events = streamed([call], "tool-use", { ...hello, input: [added] });
    expect(events[2]).toMatchObject({ item: { name: "search", namespace: "mcp__docs" } });
  });

  test("thought without text or state leaves no trace, state alone is an item without a summary", () => {
    expect(outputOf([{ type: "thinking", text: "" }])).toEqual([]);
    expect(types(streamed([{ type: "thinking", text: "" }]))).toEqual([
      "response.created",
      "response.in_progress",
      "response.completed",
    ]);
    const sealed: Block = { type: "thinking", text: "", signature, redacted: true };
    const expected = [
      { id: "rs_gw_req-1_0", type: "reasoning", status: "completed", summary: [], encrypted_content: envelope },
    ];
    expect(outputOf([sealed])).toEqual(expected);
    expect((streamed([sealed]).at(-1)?.response as JsonObject).output).toEqual(expected);
  });

  test("the state of a call follows it, and comes back to it (bug 10)", () => {
    const call: Block = { type: "tool-call", id: "c", name: "f", kind: "function", input: "{}", signature };
    const output = outputOf([call, { ...call, id: "d", signature: undefined } as Block], "tool-use");
    expect(output.map((item) => item.type)).toEqual(["function_call", "reasoning", "function_call"]);
    const [back] = dialect.request.parse({ ...hello, input: output }, { header: () => null, params: {} }).turns;
    expect(back?.blocks).toEqual([call, { type: "tool-call", id: "d", name: "f", kind: "function", input: "{}" }]);
    expect((streamed([call]).at(-1)?.response as JsonObject).output).toMatchObject([{ call_id: "c" }, { summary: [] }]);
  });

  test("blocks that overlap are items that overlap", () => {
    const at = (block: number) => ({ choice: 0, block });
    const open = (block: number, id: string): Delta => ({
      type: "block-open",
      ...at(block),
      open: { kind: "tool-call", id, name: "f", tool: "function" },
    });
    const events = written([
      { type: "start", id: "x", model: "m" },
      open(0, "a"),
      open(1, "b"),
      { type: "tool-input", ...at(0), text: "{" },
      { type: "tool-input", ...at(1), text: "[]" },
      { type: "tool-input", ...at(0), text: "}" },
      { type: "block-close", ...at(1) },
      { type: "block-close", ...at(0) },
      { type: "finish", stops: [{ kind: "tool-use" }] },
    ]);
    expect((events.at(-1)?.response as JsonObject).output).toMatchObject([
      { call_id: "a", arguments: "{}" },
      { call_id: "b", arguments: "[]" },
    ]);
  });

  test("an error ends what is open and tells everything so far (bug 50)", () => {
    const deltas: Delta[] = [
      { type: "start", id: "x", model: "m" },
      { type: "block-open", choice: 0, block: 0, open: { kind: "text" } },
      { type: "text", choice: 0, block: 0, text: "Hel" },
    ];
    const error = new GatewayError("upstream_rate_limited", "Slow down.", { retryAfterMs: 2500 });
    const events = written([...deltas, { type: "error", error }, { type: "text", choice: 0, block: 0, text: "lo" }]);
    expect(types(events).slice(-4)).toEqual([
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.failed",
    ]);
    expect(events.at(-1)).toMatchObject({
      sequence_number: events.length - 1,
      response: {
        status: "failed",
        error: { code: "rate_limit_exceeded", message: "Slow down. Please try again in 3s." },
        output: [{ status: "incomplete", content: [{ text: "Hel" }] }],
      },
    });
    expect(types(written([{ type: "error", error }]))).toEqual([
      "response.created",
      "response.in_progress",
      "response.failed",
    ]);
  });

  test("other choices than the first are not told, and nothing follows the end", () => {
    const events = written([
      { type: "start", id: "x", model: "m" },
      { type: "block-open", choice: 1, block: 0, open: { kind: "text" } },
      { type: "text", choice: 1, block: 0, text: "no" },
      { type: "finish", stops: [{ kind: "end" }, { kind: "end" }] },
      { type: "finish", stops: [{ kind: "end" }] },
    ]);
    expect(types(events)).toEqual(["response.created", "response.in_progress", "response.completed"]);
    expect(dialect.stream?.heartbeat(true)).toBe(": keep-alive\n\n");
  });
});
