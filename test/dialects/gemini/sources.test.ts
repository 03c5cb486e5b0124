// Sources of a reply: ranges in bytes become ranges in characters.
import { describe, expect, test } from "bun:test";
import { collectEvents } from "../../../src/canonical/stream-event.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { parsedReply as parse, readChunks, readFixture, reply, sealedBy, wholeFixture } from "./bench.ts";

describe("sources", () => {
  const zurich = "Zürich hat 👋 viele Brücken.";
  const chars = Array.from(zurich).length;

  test.each(["whole", "stream"])(
    "byte ranges become character ranges, one citation for each source: %s (bug 54)",
    (how) => {
      const response = how === "whole" ? wholeFixture("grounding") : collectEvents(readFixture("grounding"));
      const [block] = response?.choices[0]?.blocks ?? [];
      const first = { url: "https://vertexaisearch.cloud.google.com/r/AUZ1", title: "zuerich.com" };
      const second = { url: "https://vertexaisearch.cloud.google.com/r/AUZ2", title: "wikipedia.org" };
      expect(block).toMatchObject({
        citations: [
          { ...first, start: 0, end: chars },
          { ...first, start: chars + 1, end: chars + 1 + 28 },
          { ...second, start: chars + 1, end: chars + 1 + 28 },
        ],
      });
    },
  );

  const cited = (parts: JsonObject[], segment: JsonObject) => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://x.test" } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0, 9] }],
    };
    const block = parse(reply(parts, "STOP", { groundingMetadata })).choices[0]?.blocks.find(
      ({ type }) => type === "text",
    );
    return block?.type === "text" ? block.citations : undefined;
  };
  const parts = [{ text: "Hm.", thought: true }, { text: "One. " }, { text: "Two." }];
  const rows: [string, JsonObject, object][] = [
    ["from the start of its part", { partIndex: 2, startIndex: 0, endIndex: 4, text: "Two." }, { start: 5, end: 9 }],
    ["from the start of the text", { startIndex: 5, endIndex: 9, text: "Two." }, { start: 5, end: 9 }],
    ["without words", { partIndex: 2, startIndex: 0, endIndex: 3 }, { start: 5, end: 8 }],
    ["found by its words", { partIndex: 7, startIndex: 1, endIndex: 5, text: "Two." }, { start: 5, end: 9 }],
    ["found nowhere", { startIndex: 0, endIndex: 4, text: "Six." }, {}],
    ["without an end", { startIndex: 3 }, {}],
  ];
  test.each(rows)("a segment counted %s", (_, segment, range) => {
    expect(cited(parts, segment)).toEqual([{ url: "https://x.test", ...range }]);
  });

  test("recitation with an address is a citation too", () => {
    const citationMetadata = {
      citationSources: [{ startIndex: 0, endIndex: 3, uri: "https://x.test" }, { license: "MIT" }],
    };
    expect(parse(reply([{ text: "One." }], "STOP", { citationMetadata })).choices[0]?.blocks).toMatchObject([
      { citations: [{ url: "https://x.test", start: 0, end: 3 }] },
    ]);
  });

  test("sources that come behind a signature still belong to the text", () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://x.test" } }],
      groundingSupports: [{ segment: { endIndex: 2 }, groundingChunkIndices: [0] }],
    };
    const chunks = [
      reply([{ text: "Hi" }], null),
      reply([{ text: "", thoughtSignature: "S" }], null),
      reply([], "STOP", { groundingMetadata }),
    ];
    expect(collectEvents(readChunks(chunks))?.choices[0]?.blocks).toMatchObject([
      { citations: [{ start: 0, end: 2 }] },
      sealedBy("gemini", "S"),
    ]);
  });
});
