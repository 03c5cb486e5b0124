// The laws: what is rendered parses back, what is written reads back, and the cut of the bytes does not matter.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import type { Block, ChatRequest, Message } from "../../../src/canonical/chat.ts";
import { collectEvents, type StreamEvent, streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { formatFrame } from "../../../src/lib/sse.ts";
import { answers, asks, type Can, streams } from "../../support/arbitraries.ts";
import { wireText } from "../../support/fixtures.ts";
import {
  answersRoundTrip,
  cutsDoNotMatter,
  envelopeOf,
  readAll,
  renderContextOf,
  requestsRoundTrip,
  streamsRoundTrip,
  writeAll,
} from "../../support/laws.ts";
import { baseAsk, thrown } from "./helpers.ts";

const can: Can = {
  thinking: true,
  signature: true,
  choices: true,
  createdAt: true,
  cacheWrite: true,
  reasoningTokens: true,
  stops: ["end", "length", "filter", "tool-use"],
};
const streamAsk: ChatRequest = { ...baseAsk, stream: true, includeUsage: true };

/** Turns with media and names, whose paths are where this wire will put them. */
const mediaTurn = fc
  .tuple(
    fc.constantFrom<Block>(
      { type: "image", source: { kind: "url", url: "https://a/b.png" }, detail: "low" },
      { type: "image", source: { kind: "bytes", mediaType: "image/png", base64: "AAAA" } },
      { type: "audio", source: { kind: "bytes", mediaType: "audio/mpeg", base64: "AAAA" } },
      { type: "document", source: { kind: "bytes", mediaType: "application/pdf", base64: "AAAA" }, title: "a.pdf" },
    ),
    fc.constantFrom("ann", undefined),
  )
  .map(
    ([block, name]): Message => ({
      role: "user",
      blocks: [{ type: "text", text: "look" }, { ...block, path: "messages[0].content[1]" } as Block],
      ...(name === undefined ? {} : { name }),
    }),
  );

const fields = fc.record(
  {
    parallelToolCalls: fc.boolean(),
    toolChoice: fc.constantFrom<NonNullable<ChatRequest["toolChoice"]>>(
      { type: "auto" },
      { type: "none" },
      { type: "required" },
    ),
    reasoning: fc.constantFrom({ effort: "none" as const }, { effort: "xhigh" as const }),
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

describe("laws", () => {
  test("requests come back", () => requestsRoundTrip(openaiChat, asks));

  test("requests with every other wish come back", () => {
    const richer = fc
      .tuple(asks, fields, fc.integer({ min: 1, max: 5 }))
      .map(([ask, more, choices]): ChatRequest => ({ ...ask, ...more, choices }));
    requestsRoundTrip(openaiChat, richer);
  });

  test("requests with media come back", () => {
    const withMedia = fc
      .tuple(asks, mediaTurn)
      .map(([ask, turn]): ChatRequest => ({ ...ask, system: [], messages: [turn, ...ask.messages] }));
    requestsRoundTrip(openaiChat, withMedia, { numRuns: 30 });
  });

  test("what is rendered passes the schema", () => {
    const validator = Compile(openaiChat.request.schema);
    fc.assert(
      fc.property(asks, fields, (request, more) => {
        const { body } = openaiChat.request.render({ ...request, ...more }, renderContextOf(openaiChat as never)).call;
        expect(validator.Errors(body)).toEqual([]);
      }),
    );
  });

  test("replies come back", () => answersRoundTrip(openaiChat, answers(can), baseAsk));

  test("streams come back", () => streamsRoundTrip(openaiChat, streams({ ...can, choices: false }), streamAsk));

  test("streams of several choices gather to the reply they were", () => {
    fc.assert(
      fc.property(answers(can), (response) => {
        const events: StreamEvent[] = readAll(
          openaiChat,
          writeAll(openaiChat, [...streamEventsOf(response)], streamAsk),
        );
        expect(firstStreamViolation(events)).toBeNull();
        const gathered = collectEvents(events);
        expect(gathered).toEqual({ ...response, createdAt: gathered?.createdAt ?? 0 });
      }),
    );
  });

  test("the cut of the bytes does not matter (bug 30)", () => {
    const written = streams(can).map((events) => writeAll(openaiChat, events, streamAsk).map(formatFrame).join(""));
    cutsDoNotMatter(openaiChat, written, { numRuns: 20 });
    const names = ["unicode", "tools", "reasoning-details", "error-midstream", "two-choices"];
    cutsDoNotMatter(openaiChat, fc.constantFrom(...names.map((name) => wireText(`openai-chat/${name}.sse`))), {
      numRuns: 20,
    });
  });

  test("line ends do not matter", () => {
    const wire = wireText("openai-chat/tools.sse");
    cutsDoNotMatter(openaiChat, fc.constantFrom(wire.replaceAll("\n", "\r\n"), wire.replaceAll("\n", "\r")), {
      numRuns: 4,
    });
  });

  test("strange bodies and strange replies are refused in words of ours, never with a crash", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const part = fc.record(
      { type: fc.constantFrom("text", "image_url", "input_audio", "file", "x"), text: value },
      { requiredKeys: ["type"] },
    );
    const message = fc.record(
      {
        role: fc.constantFrom("system", "developer", "user", "assistant", "tool", "function"),
        content: fc.oneof(fc.string(), fc.constant(null), fc.array(part, { maxLength: 2 })),
        name: fc.string(),
        tool_call_id: fc.constantFrom("a", "b"),
        tool_calls: fc.array(fc.record({ id: fc.constantFrom("a", "b"), function: fc.constant({ name: "f" }) }), {
          maxLength: 2,
        }),
      },
      { requiredKeys: ["role"] },
    );
    const body = fc.record({
      model: fc.constant("m"),
      messages: fc.array(message, { minLength: 1, maxLength: 5 }),
      stop: value,
      tools: value,
    });
    const validator = Compile(openaiChat.request.schema);
    const calm = (act: () => unknown): void => {
      const error = thrown(act);
      expect("kind" in error || !("stack" in error)).toBe(true);
    };
    fc.assert(
      fc.property(body, value, (wire, reply) => {
        calm(() =>
          openaiChat.response.parse(
            { choices: [{ message: reply, finish_reason: reply }], usage: reply },
            { origin: "m" },
          ),
        );
        calm(() => openaiChat.error.parse(400, reply));
        const parsed = JSON.parse(JSON.stringify(wire)) as JsonObject;
        if (!validator.Check(parsed)) return;
        calm(() => {
          const request = openaiChat.request.parse(parsed, envelopeOf());
          openaiChat.request.render(request, renderContextOf(openaiChat as never));
          openaiChat.passthrough.render(parsed, renderContextOf(openaiChat as never), envelopeOf());
        });
      }),
      { numRuns: 500 },
    );
  });

  test("strange chunks never break the grammar, and never throw", () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const delta = fc.record(
      {
        content: value,
        refusal: value,
        reasoning_content: value,
        reasoning_details: value,
        annotations: value,
        audio: value,
        tool_calls: value,
        function_call: value,
      },
      { requiredKeys: [] },
    );
    const choice = fc.record({
      index: fc.constantFrom(0, 1, undefined, "x"),
      delta: fc.oneof(delta, value),
      finish_reason: fc.constantFrom(null, "stop", "", 3),
    });
    const strange = fc.oneof(
      fc.record({ choices: fc.array(choice, { maxLength: 2 }), usage: value, id: value }),
      value,
    );
    fc.assert(
      fc.property(fc.array(strange, { maxLength: 5 }), (chunks) => {
        const events = readAll(openaiChat, [
          ...chunks.map((chunk) => ({ data: JSON.stringify(chunk) })),
          { data: "[DONE]" },
        ]);
        expect(firstStreamViolation(events)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});
