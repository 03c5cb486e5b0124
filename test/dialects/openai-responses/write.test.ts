// What clients of this dialect get as a stream: the life cycle of its events.
import { describe, expect, test } from "bun:test";
import type { Block } from "../../../src/canonical/chat.ts";
import { GatewayError } from "../../../src/canonical/error.ts";
import { wrapProviderState } from "../../../src/canonical/provider-state.ts";
import type { StreamEvent } from "../../../src/canonical/stream-event.ts";
import { dialect, hello, written } from "./helpers.ts";
import { lastResponse, outputOf, signature, streamed, turn, types } from "./replies.ts";

const envelope = wrapProviderState(signature);

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

  test("in a response that has only begun the response has no output and no usage", () => {
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
    expect(lastResponse(events).output).toMatchObject(expected);
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
    expect(types(streamed([sealed])).filter((type) => String(type).includes("summary"))).toEqual([]);
    expect(lastResponse(streamed([sealed])).output).toEqual(expected);
  });

  test("the state of a call follows it, and comes back to it (bug 10)", () => {
    const call: Block = { type: "tool-call", id: "c", name: "f", kind: "function", input: "{}", signature };
    const output = outputOf(
      [call, { type: "tool-call", id: "d", name: "f", kind: "function", input: "{}" }],
      "tool-use",
    );
    expect(output.map((item) => item.type)).toEqual(["function_call", "reasoning", "function_call"]);
    const [back] = dialect.request.parse({ ...hello, input: output }, { header: () => null, params: {} }).messages;
    expect(back?.blocks).toEqual([call, { type: "tool-call", id: "d", name: "f", kind: "function", input: "{}" }]);
    expect(lastResponse(streamed([call])).output).toMatchObject([{ call_id: "c" }, { summary: [] }]);
  });

  test("blocks that overlap are items that overlap", () => {
    const at = (block: number) => ({ choice: 0, block });
    const open = (block: number, id: string): StreamEvent => ({
      type: "block-start",
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
      { type: "block-end", ...at(1) },
      { type: "block-end", ...at(0) },
      { type: "finish", finishReasons: [{ kind: "tool-use" }] },
    ]);
    expect(lastResponse(events).output).toMatchObject([
      { call_id: "a", arguments: "{}" },
      { call_id: "b", arguments: "[]" },
    ]);
  });

  test("an error ends what is open and tells everything so far (bug 50)", () => {
    const streamEvents: StreamEvent[] = [
      { type: "start", id: "x", model: "m" },
      { type: "block-start", choice: 0, block: 0, open: { kind: "text" } },
      { type: "text", choice: 0, block: 0, text: "Hel" },
    ];
    const error = new GatewayError("upstream_rate_limited", "Slow down.", { retryAfterMs: 2500 });
    const events = written([
      ...streamEvents,
      { type: "error", error },
      { type: "text", choice: 0, block: 0, text: "lo" },
    ]);
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
      { type: "block-start", choice: 1, block: 0, open: { kind: "text" } },
      { type: "text", choice: 1, block: 0, text: "no" },
      { type: "finish", finishReasons: [{ kind: "end" }, { kind: "end" }] },
      { type: "finish", finishReasons: [{ kind: "end" }] },
    ]);
    expect(types(events)).toEqual(["response.created", "response.in_progress", "response.completed"]);
    expect(dialect.stream?.heartbeat(true)).toBe(": keep-alive\n\n");
  });
});
