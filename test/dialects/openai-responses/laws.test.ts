// The laws: what is rendered parses back, what is written reads back, and the cut of the bytes does not matter.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import type { ChatRequest } from "../../../src/canonical/chat.ts";
import { streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { formatFrame } from "../../../src/lib/sse.ts";
import { answers, asks, streams } from "../../support/arbitraries.ts";
import { wireText } from "../../support/fixtures.ts";
import * as laws from "../../support/laws.ts";
import { baseAsk, dialect, thrown } from "./helpers.ts";
import { can } from "./replies.ts";

/** The response's id is the gateway's own, whatever the upstream called it. */
const ours = "resp_law-1";
const result = answers(can).map((response) => ({ ...response, id: ours }));
const ownStreams = streams(can).map((events) =>
  events.map((event) => (event.type === "start" ? { ...event, id: ours } : event)),
);

/** This wire knows no stop texts, and output is at least sixteen tokens long. */
const sayable = asks.map(
  (request): ChatRequest => ({ ...request, stopSequences: [], maxOutputTokens: (request.maxOutputTokens ?? 0) + 16 }),
);

const fields = fc.record(
  {
    parallelToolCalls: fc.boolean(),
    toolChoice: fc.constantFrom<NonNullable<ChatRequest["toolChoice"]>>(
      { type: "auto" },
      { type: "none" },
      { type: "required" },
    ),
    reasoning: fc.constantFrom<NonNullable<ChatRequest["reasoning"]>>(
      { effort: "none" },
      { effort: "xhigh", show: true },
      { show: true },
    ),
    verbosity: fc.constantFrom("low", "high"),
    tier: fc.constantFrom("default" as const, "flex" as const, "priority" as const, "fast" as const),
    endUser: fc.string({ minLength: 1, maxLength: 64 }),
    format: fc.constantFrom<NonNullable<ChatRequest["format"]>>(
      { type: "text" },
      { type: "schema", name: "a", schema: { type: "object" }, strict: true },
    ),
  },
  { requiredKeys: [] },
);
const rich = fc.tuple(sayable, fields).map(([ask, more]): ChatRequest => ({ ...ask, ...more }));

/** What rendering always adds is no news to parsing. */
const withQuiet = (request: ChatRequest): ChatRequest => ({
  ...request,
  unmappedFields: [{ path: "store", rule: "ignore" }],
});

describe("laws", () => {
  test("requests come back", () => {
    fc.assert(
      fc.property(rich, (request) => {
        const { call, warnings } = dialect.request.render(request, laws.renderContextOf(dialect as never));
        expect(warnings).toEqual([]);
        const back = dialect.request.parse(JSON.parse(JSON.stringify(call.body)) as JsonObject, laws.envelopeOf());
        const extras = back.unmappedFields.filter((extra) => extra.path !== "include");
        expect(JSON.parse(JSON.stringify({ ...back, unmappedFields: extras }))).toEqual(
          JSON.parse(JSON.stringify(withQuiet(request))),
        );
      }),
    );
  });

  test("what is rendered passes the schema", () => {
    const validator = Compile(dialect.request.schema);
    fc.assert(
      fc.property(rich, (request) => {
        const { body } = dialect.request.render(request, laws.renderContextOf(dialect as never)).call;
        expect(validator.Errors(body)).toEqual([]);
      }),
    );
  });

  test("replies come back", () => laws.answersRoundTrip(dialect, result, baseAsk));

  test("streams come back", () => laws.streamsRoundTrip(dialect, ownStreams, { ...baseAsk, stream: true }));

  test("the cut of the bytes does not matter (bug 30)", () => {
    const written = ownStreams.map((deltas) => laws.writeAll(dialect, deltas, baseAsk).map(formatFrame).join(""));
    laws.cutsDoNotMatter(dialect, written, { numRuns: 10 });
    const names = ["text", "tools", "reasoning", "failed", "custom-tool"];
    laws.cutsDoNotMatter(dialect, fc.constantFrom(...names.map((name) => wireText(`openai-responses/${name}.sse`))), {
      numRuns: 10,
    });
  });

  test("the stream that a whole reply becomes ends with that reply", () => {
    fc.assert(
      fc.property(answers(can), (response) => {
        const whole = dialect.response.render(response, laws.writeContextOf(baseAsk));
        const frames = laws.writeAll(dialect, [...streamEventsOf(response)], baseAsk);
        const last = JSON.parse(frames.at(-1)?.data ?? "{}") as JsonObject;
        expect(last.response).toEqual(JSON.parse(JSON.stringify(whole)));
      }),
    );
  });
});

describe("strangers", () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const calm = (act: () => unknown): void => {
    const error = thrown(act);
    expect("kind" in error || !("stack" in error)).toBe(true);
  };

  test("strange bodies and strange replies are refused in words of ours, never with a crash", () => {
    const types = [
      "message",
      "function_call",
      "function_call_output",
      "reasoning",
      "compaction",
      "x",
      "item_reference",
    ];
    const part = fc.record(
      { type: fc.constantFrom("input_text", "input_image", "input_file", "x"), text: value, image_url: value },
      { requiredKeys: ["type"] },
    );
    const item = fc.record(
      {
        type: fc.constantFrom(...types),
        role: fc.constantFrom("system", "user", "assistant", "x"),
        content: fc.oneof(fc.string(), fc.array(part, { maxLength: 2 })),
        call_id: fc.constantFrom("a", "b"),
        name: fc.string(),
        arguments: value,
        output: value,
        summary: value,
        encrypted_content: fc.string(),
      },
      { requiredKeys: [] },
    );
    const body = fc.record({
      model: fc.constant("m"),
      input: fc.array(item, { maxLength: 5 }),
      tools: value,
      tool_choice: value,
      text: value,
      reasoning: value,
    });
    const validator = Compile(dialect.request.schema);
    fc.assert(
      fc.property(body, value, (wire, reply) => {
        calm(() => dialect.response.parse({ output: [reply], usage: reply, status: reply }, { origin: "m" }));
        calm(() => dialect.response.parse({ output: reply }, { origin: "m" }));
        calm(() => dialect.error.parse(400, reply));
        const parsed = JSON.parse(JSON.stringify(wire)) as JsonObject;
        if (!validator.Check(parsed)) return;
        calm(() => {
          const request = dialect.request.parse(parsed, laws.envelopeOf());
          dialect.request.render(request, laws.renderContextOf(dialect as never));
          dialect.passthrough.render(parsed, laws.renderContextOf(dialect as never), laws.envelopeOf());
        });
      }),
      { numRuns: 500 },
    );
  });

  test("strange events never break the grammar, and never throw", () => {
    const types = [
      "response.created",
      "response.output_item.added",
      "response.content_part.added",
      "response.content_part.done",
      "response.output_text.delta",
      "response.refusal.delta",
      "response.reasoning_summary_text.delta",
      "response.function_call_arguments.delta",
      "response.output_item.done",
      "response.nonsense",
    ];
    const item = fc.record(
      {
        type: fc.constantFrom("message", "function_call", "reasoning", "custom_tool_call", "x"),
        id: fc.constantFrom("a", "b", 3),
        name: fc.constantFrom("f", 3),
        content: value,
        summary: value,
        arguments: value,
        encrypted_content: value,
      },
      { requiredKeys: [] },
    );
    const event = fc.record(
      {
        type: fc.constantFrom(...types),
        output_index: fc.constantFrom(0, 1, "x", -1, 0.5),
        content_index: fc.constantFrom(0, 1, "x", -1),
        delta: fc.oneof(fc.string(), value),
        item: fc.oneof(item, value),
        part: fc.oneof(
          fc.record({ type: fc.constantFrom("output_text", "refusal"), text: value, refusal: value }),
          value,
        ),
        response: value,
      },
      { requiredKeys: ["type"] },
    );
    const end = fc.record({ type: fc.constant("response.completed"), response: fc.record({ output: fc.array(item) }) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), end, (events, last) => {
        const frames = [...events, last].map((each) => ({ data: JSON.stringify(each) }));
        expect(firstStreamViolation(laws.readAll(dialect, frames))).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });
});
