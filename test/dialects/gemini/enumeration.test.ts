// A choice among given words: a schema for others, the bare word for the client.
import { describe, expect, test } from "bun:test";
import type { ChatResponse } from "../../../src/canonical/chat.ts";
import { type StreamEvent, streamEventsOf } from "../../../src/canonical/stream-event.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { writeContextOf } from "../../support/laws.ts";
import { dialect, extrasOf, parsed, partsOf, written } from "./bench.ts";

const config = (responseSchema: JsonObject | undefined, type = "text/x.enum") => ({
  generationConfig: { responseMimeType: type, ...(responseSchema === undefined ? {} : { responseSchema }) },
});
const words = { type: "STRING", enum: ["red", "blue"] };
const request = parsed(config(words));
const answerOf = (text: string): ChatResponse => ({
  operation: "chat",
  id: "r",
  model: "m",
  choices: [{ index: 0, blocks: [{ type: "text", text }], finishReason: { kind: "end" } }],
});

describe("the request", () => {
  const schema = {
    type: "object",
    properties: { value: { type: "string", enum: ["red", "blue"] } },
    required: ["value"],
    additionalProperties: false,
  };

  test("asks others for an object with the word in it", () => {
    expect(request.format).toEqual({ type: "schema", name: "choice", schema, strict: true, bare: "value" });
    const { responseSchema: _, ...other } = config(undefined).generationConfig as JsonObject;
    const json = parsed({
      generationConfig: { ...other, responseJsonSchema: { type: "string", enum: ["red", "blue"] } },
    });
    expect(json.format).toMatchObject({ schema });
    expect(extrasOf(config(words))).toEqual([]);
  });

  test.each<[string, JsonObject | undefined]>([
    ["no schema", undefined],
    ["a schema without words", { type: "STRING" }],
    ["no word", { type: "STRING", enum: [] }],
    ["words that are none", { type: "INTEGER", enum: [1, 2] }],
  ])("is refused elsewhere with %s", (_, responseSchema) => {
    expect(extrasOf(config(responseSchema))).toEqual(["reject generationConfig.responseMimeType"]);
  });

  test("so is any other type", () => {
    expect(extrasOf(config(words, "text/csv"))).toEqual(["reject generationConfig.responseMimeType"]);
  });
});

const rows: [string, string, string][] = [
  ["the word", '{"value":"red"}', "red"],
  ["the word, with space around", ' {"value": "blue"}\n', "blue"],
  ["words that are no JSON", "I cannot say.", "I cannot say."],
  ["a cut text", '{"value":"r', '{"value":"r'],
  ["another shape", '{"value":1}', '{"value":1}'],
];

describe("the reply", () => {
  test.each(rows)("%s, whole and streamed", (_, deltas, text) => {
    const whole = dialect.response.render(answerOf(deltas), writeContextOf(request));
    expect(whole).toMatchObject({ candidates: [{ content: { parts: [{ text }] } }] });
    const pieces = [...streamEventsOf(answerOf(deltas))].flatMap((event): StreamEvent[] =>
      event.type === "text" ? [...event.text].map((piece) => ({ ...event, text: piece })) : [event],
    );
    const parts = partsOf(written(pieces, request)) as { text: string }[];
    expect(parts.map((part) => part.text).join("")).toBe(text);
  });

  test("thought and calls go by, and so does every text where no word was asked for", () => {
    const response: ChatResponse = {
      ...answerOf(""),
      choices: [
        {
          index: 0,
          blocks: [
            { type: "thinking", text: "Hm." },
            { type: "text", text: '{"value":"red"}' },
            { type: "tool-call", id: "c", name: "f", kind: "function", input: "{}" },
          ],
          finishReason: { kind: "tool-use" },
        },
      ],
    };
    expect(partsOf(written(streamEventsOf(response), request))).toMatchObject([
      { text: "Hm.", thought: true },
      { text: "red" },
      { functionCall: { name: "f" } },
    ]);
    expect(partsOf(written(streamEventsOf(response)))).toMatchObject([{}, { text: '{"value":"red"}' }, {}]);
  });
});
