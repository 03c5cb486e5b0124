// Stop texts that the gateway watches for: found wherever the stream is cut, and nothing of them is told.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChatResponse } from "../../src/canonical/chat.ts";
import { cutAtStops, watchStops } from "../../src/canonical/stop-sequences.ts";
import { collectEvents, type StreamEvent } from "../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../src/canonical/stream-validator.ts";

const at = { choice: 0, block: 0 };

/** A reply of one text block that comes in these pieces. */
function stream(pieces: readonly string[]): StreamEvent[] {
  return [
    { type: "start", id: "a", model: "m" },
    { type: "block-start", ...at, open: { kind: "text" } },
    ...pieces.map((text): StreamEvent => ({ type: "text", ...at, text })),
    { type: "block-end", ...at },
    { type: "finish", finishReasons: [{ kind: "end" }] },
  ];
}

/** What is left of a stream: up to its finish, as the corridor reads it. */
function watched(pieces: readonly string[], sequences: readonly string[], choices = 1): StreamEvent[] {
  const adapt = watchStops(sequences, choices);
  const result: StreamEvent[] = [];
  for (const event of stream(pieces)) {
    result.push(...adapt([event]));
    if (result.at(-1)?.type === "finish") break;
  }
  return result;
}

const textOf = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("");

describe("a stream", () => {
  test("ends in front of the stop text, tells which one it was, and keeps its grammar", () => {
    const result = watched(["one tw", "o thr", "ee four"], ["three", "two "]);
    expect(textOf(result)).toBe("one ");
    expect(result.at(-1)).toEqual({ type: "finish", finishReasons: [{ kind: "stop-sequence", sequence: "two " }] });
    expect(firstStreamViolation(result)).toBeNull();
  });

  test("without a stop text comes through whole, its held end too", () => {
    const result = watched(["almost a sto", "p"], ["stop!"]);
    expect(textOf(result)).toBe("almost a stop");
    expect(result.at(-1)).toEqual({ type: "finish", finishReasons: [{ kind: "end" }] });
    expect(firstStreamViolation(result)).toBeNull();
  });

  test("one of several choices goes silent, the finish waits for all", () => {
    const result = watched(["a b", " c"], ["b"], 2);
    expect(textOf(result)).toBe("a ");
    expect(result.at(-1)).toMatchObject({ type: "finish", finishReasons: [{ kind: "stop-sequence", sequence: "b" }] });
    expect(firstStreamViolation(result)).toBeNull();
  });

  test("wherever it is cut, it says what the whole reply says", () => {
    const letters = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 24 }).map((list) => list.join(""));
    const sequences = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(letters, sequences, fc.array(fc.nat(24), { maxLength: 6 }), (text, stops, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((left, right) => left - right), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        const whole = cutAtStops(collectEvents(stream([text])) as ChatResponse, stops);
        const streamed = collectEvents(watched(pieces, stops)) as ChatResponse;
        const resultOf = (response: ChatResponse) =>
          response.choices[0]?.blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
        expect([resultOf(streamed), streamed.choices[0]?.finishReason]).toEqual([
          resultOf(whole),
          whole.choices[0]?.finishReason,
        ]);
      }),
      { numRuns: 2_000 },
    );
  });
});
