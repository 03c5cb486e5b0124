// What clients of this dialect get as a whole: the response object with everything that was asked, and how it ended.
import { describe, expect, test } from "bun:test";
import type { Block, FinishReason } from "../../../src/canonical/chat.ts";
import { streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { isOurs } from "../../../src/dialects/openai-responses/ids.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { dialect, hello, writeContext, written } from "./helpers.ts";
import { answerOf, lastResponse, outputOf, streamed, turn, usage, whole } from "./replies.ts";

describe("the response object", () => {
  test("says again what was asked, with the defaults of what was not", () => {
    expect(whole(answerOf([{ type: "text", text: "Hi" }]))).toEqual({
      id: "resp_req-1",
      object: "response",
      created_at: 7,
      completed_at: null,
      access_programs: null,
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
    const requested = {
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
    const wire = { ...hello, ...requested, tools, text: { verbosity: "low" }, reasoning: { effort: "high" } };
    const body = whole(answerOf([]), wire);
    expect(body).toMatchObject(requested);
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
    const events = written(streamEventsOf(uncounted));
    expect(lastResponse(events).usage).toMatchObject({ input_tokens: 3, output_tokens: 2 });
  });

  test("figures told at the start alone are figures", () => {
    const events = written([
      { type: "start", id: "x", model: "m", usage },
      { type: "finish", finishReasons: [{ kind: "end" }] },
    ]);
    expect(lastResponse(events).usage).toMatchObject({ input_tokens: 100 });
  });

  test("citations of other dialects without an address have no counterpart", () => {
    const citations = [{ wire: { type: "char_location" } }, { wire: { type: "file_path", file_id: "file-1" } }];
    expect(outputOf([{ type: "text", text: "x", citations }])).toMatchObject([
      { content: [{ annotations: [{ type: "file_path", file_id: "file-1" }] }] },
    ]);
  });
});

describe("stops", () => {
  const text: Block = { type: "text", text: "x" };
  test.each<[FinishReason["kind"], string, string | null]>([
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
    expect(lastResponse(streamed(cut, "length")).output).toMatchObject(expected);
  });
});
