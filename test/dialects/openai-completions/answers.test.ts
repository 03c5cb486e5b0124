// Whole replies and streams: what upstreams send, what clients see, echoes, log probabilities, errors.
import { describe, expect, test } from "bun:test";
import type { ChatResponse, FinishReason } from "../../../src/canonical/chat.ts";
import { GatewayError } from "../../../src/canonical/error.ts";
import { collectEvents, type StreamEvent, streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import { openaiCompletions } from "../../../src/dialects/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireText } from "../../support/fixtures.ts";
import { framesOf, lawReadContext, readAll } from "../../support/laws.ts";
import { fixtureFrames, parseFixture, readFixture, textsOf, thrown, writing, written } from "./helpers.ts";

const { response } = openaiCompletions;
const answer = (stop: FinishReason["kind"], text = "hi"): ChatResponse => ({
  operation: "chat",
  id: "r1",
  model: "m",
  choices: [{ index: 0, blocks: [{ type: "text", text }], finishReason: { kind: stop } }],
});
const usage = { inputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 7, reasoningTokens: 0 };

describe("from an upstream", () => {
  test("a whole reply", () => {
    expect(parseFixture("text.json")).toEqual({
      operation: "chat",
      id: "cmpl-B9t1xQ2sVbnS6k0y",
      model: "gpt-3.5-turbo-instruct:20230824-v2",
      createdAt: 1760000000,
      choices: [
        { index: 0, blocks: [{ type: "text", text: "\n\nThis is indeed a test" }], finishReason: { kind: "length" } },
      ],
      usage,
    });
  });

  test.each(["text", "two-prompts", "logprobs"])("the stream of %s is the whole reply", (name) => {
    const events = readFixture(`${name}.sse`);
    expect(firstStreamViolation(events)).toBeNull();
    expect(collectEvents(events)).toEqual(parseFixture(`${name}.json`));
  });

  test("choices come in the order of their indexes", () => {
    const texts = parseFixture("two-prompts.json").choices.map(({ blocks }) => blocks);
    expect(texts).toEqual([[{ type: "text", text: " b, c" }], [{ type: "text", text: " two, three" }]]);
  });

  test("tokens of an echoed prompt that have no probability are left out", () => {
    const [block] = parseFixture("echo.json").choices[0]?.blocks ?? [];
    const tokens = block?.type === "text" ? block.logprobs?.map(({ token }) => token) : [];
    expect(tokens).toEqual([",", " two", ", three"]);
  });

  test("the stop sequence, where the server names it", () => {
    expect(parseFixture("vllm-stop.json").choices[0]?.finishReason).toEqual({ kind: "stop-sequence", sequence: "\n" });
  });

  test("an empty reply is a reply", () => {
    const wire = { id: "a", model: "m", choices: [{ index: 0, text: "", finish_reason: "length" }] };
    expect(response.parse(wire, lawReadContext).choices).toEqual([
      { index: 0, blocks: [], finishReason: { kind: "length" } },
    ]);
  });

  const nonsense: [string, unknown][] = [
    ["no object", "text"],
    ["no choices", { choices: [] }],
    ["a choice without text", { choices: [{ index: 0, message: { content: "hi" } }] }],
    ["a choice that is none", { choices: [7] }],
  ];
  test.each(nonsense)("%s is no reply", (_, wire) => {
    expect(thrown(() => response.parse(wire, lawReadContext)).kind).toBe("upstream_protocol_error");
  });

  test("errors in disguise are errors", () => {
    for (const name of ["error-404.json", "vllm-error.json"]) {
      expect(thrown(() => parseFixture(name))).toBeInstanceOf(GatewayError);
    }
    const gaveUp = { choices: [{ text: "", finish_reason: "error", error: { message: "no GPU", code: 503 } }] };
    expect(thrown(() => response.parse(gaveUp, lawReadContext)).kind).toBe("upstream_overloaded");
  });

  test("an error within a stream ends it", () => {
    const events = readFixture("error-midstream.sse");
    expect(events.map((event) => event.type)).toEqual(["start", "block-start", "text", "error"]);
  });

  test("a stream that stops before its end is an error, whatever came", () => {
    const frames = fixtureFrames("text.sse");
    for (let count = 0; count < 4; count++) {
      expect(readAll(openaiCompletions, frames.slice(0, count)).at(-1)?.type).toBe("error");
    }
    // The finish reason has been said: only usage and the mark are missing.
    expect(readAll(openaiCompletions, frames.slice(0, 4)).at(-1)?.type).toBe("finish");
  });

  test("an index that no request can have asked for is nonsense", () => {
    for (const index of [-1, 0.5, 16_384, 1e9]) {
      const frame = { data: JSON.stringify({ choices: [{ index, text: "a" }] }) };
      expect(readAll(openaiCompletions, [frame]).at(-1)?.type).toBe("error");
    }
  });
});

describe("for a client", () => {
  test("a whole reply, with the ids that are missing made up", () => {
    const wire = response.render({ ...answer("end"), id: "", usage }, writing({}));
    expect(wire).toEqual({
      id: "made-1",
      object: "text_completion",
      created: 7,
      model: "m",
      choices: [{ text: "hi", index: 0, logprobs: null, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 5,
        completion_tokens: 7,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  const stops: [FinishReason["kind"], string][] = [
    ["end", "stop"],
    ["stop-sequence", "stop"],
    ["pause", "stop"],
    ["tool-use", "stop"],
    ["length", "length"],
    ["context-full", "length"],
    ["refusal", "content_filter"],
    ["filter", "content_filter"],
  ];
  test.each(stops)("%s is told as %s, whole and streamed", (stop, label) => {
    expect(response.render(answer(stop), writing({})).choices).toMatchObject([{ finish_reason: label }]);
    expect(written(streamEventsOf(answer(stop))).at(-2)).toMatchObject({ choices: [{ finish_reason: label }] });
  });

  test("thinking and calls are no text, a refusal is", () => {
    const mixed: ChatResponse = {
      ...answer("refusal"),
      choices: [
        {
          index: 0,
          blocks: [
            { type: "thinking", text: "hmm" },
            { type: "text", text: "a" },
            { type: "tool-call", id: "c", name: "f", kind: "function", input: "{}" },
            { type: "refusal", text: "no" },
          ],
          finishReason: { kind: "refusal" },
        },
      ],
    };
    expect(response.render(mixed, writing({})).choices).toMatchObject([{ text: "ano" }]);
    expect(textsOf(written(streamEventsOf(mixed)), 0)).toBe("ano");
  });

  test("a stream: one shape for all records, the finish reason last, then the mark", () => {
    expect(written(readFixture("text.sse"))).toEqual([
      ...["\n\nThis", " is indeed", " a test"].map((text) => record({ text, finish_reason: null })),
      record({ text: "", finish_reason: "length" }),
      "[DONE]",
    ]);
  });

  test("usage comes in a record of its own, to who asked", () => {
    const records = written(readFixture("text.sse"), { stream_options: { include_usage: true } });
    expect(records.at(0)).toMatchObject({ usage: null });
    expect(records.at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
    });
    expect(written([...streamEventsOf(answer("end"))], { stream_options: { include_usage: true } })).toHaveLength(3);
  });

  test("an error is the last record, without a mark", () => {
    const records = written(readFixture("error-midstream.sse"));
    expect(records).toHaveLength(2);
    expect(records.at(-1)).toMatchObject({ error: { type: "upstream_error", param: null } });
  });

  test("nothing follows the end", () => {
    const events: StreamEvent[] = [...streamEventsOf(answer("end"))];
    expect(written([...events, ...events])).toEqual(written(events));
  });
});

describe("echo", () => {
  const two: ChatResponse = {
    ...answer("end"),
    choices: [0, 1, 2, 3].map((index) => ({
      index,
      blocks: [{ type: "text", text: ` ${index}` }],
      finishReason: { kind: "end" },
    })),
  };
  const wire: JsonObject = { prompt: ["a", "b"], n: 2, echo: true };

  test("each choice begins with its own prompt: prompt by prompt, n for each", () => {
    const choices = response.render(two, writing(wire)).choices as JsonObject[];
    expect(choices.map(({ text }) => text)).toEqual(["a 0", "a 1", "b 2", "b 3"]);
  });

  test("in a stream the prompt is the first record of its index", () => {
    const records = written(streamEventsOf(two), wire);
    for (const index of [0, 1, 2, 3]) expect(textsOf(records, index)).toBe(`${index < 2 ? "a" : "b"} ${index}`);
    expect(records[0]).toMatchObject({ choices: [{ text: "a", index: 0, finish_reason: null }] });
  });

  test("a choice that says nothing has its prompt all the same", () => {
    expect(
      textsOf(
        written(
          streamEventsOf({
            ...answer("length", ""),
            choices: [{ index: 0, blocks: [], finishReason: { kind: "length" } }],
          }),
          {
            echo: true,
          },
        ),
        0,
      ),
    ).toBe("Say hi");
  });

  test("without it there is none", () => {
    expect(response.render(answer("end"), writing({ echo: false })).choices).toMatchObject([{ text: "hi" }]);
  });
});

test("the heartbeat is a comment", () => {
  expect(openaiCompletions.stream?.heartbeat(false)).toBe(": keep-alive\n\n");
  expect(framesOf([Buffer.from(`: keep-alive\n\n${wireText("openai-completions/text.sse")}`)])).toHaveLength(6);
});

function record(choice: JsonObject): JsonObject {
  return {
    id: "cmpl-B9t1xQ2sVbnS6k0y",
    object: "text_completion",
    created: 1760000000,
    model: "gpt-3.5-turbo-instruct:20230824-v2",
    choices: [{ index: 0, logprobs: null, ...choice }],
  };
}
