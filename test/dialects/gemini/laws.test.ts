// The laws of every dialect, for this one.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { collectEvents, type StreamEvent, streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { formatFrame, readFrame } from "../../../src/lib/sse.ts";
import { answers, asks, type Can, streams } from "../../support/arbitraries.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import * as laws from "../../support/laws.ts";
import { askOf, dialect, envelope, readFixture } from "./bench.ts";

const can: Can = {
  thinking: true,
  signature: true,
  choices: true,
  createdAt: true,
  cacheWrite: false,
  reasoningTokens: true,
  stops: ["end", "length", "filter", "tool-use"],
};

const pairs = ["text", "thinking", "tools", "calls-without-ids", "unicode", "length", "safety", "blocked", "grounding"];
const all = [...pairs, "image", "unknown-fields", "malformed", "error-midstream"];

/** Names here begin with a letter. */
const sayable = asks.map(
  (request) => JSON.parse(JSON.stringify(request).replaceAll('"name":"', '"name":"n')) as typeof request,
);
/** A stream has one candidate. */
const one: Can = { ...can, choices: false };

test("requests round trip", () => laws.requestsRoundTrip(dialect, sayable, { envelope: envelope() }));
test("answers round trip", () => laws.answersRoundTrip(dialect, answers(can), askOf()));
test("streams round trip", () => laws.streamsRoundTrip(dialect, streams(one), askOf()));

test("what is written whole and what is written as a stream read the same", () => {
  fc.assert(
    fc.property(answers(can), (response) => {
      const stream = collectEvents(
        laws.readAll(dialect, laws.writeAll(dialect, [...streamEventsOf(response)], askOf())),
      );
      const whole = dialect.response.parse(
        JSON.parse(JSON.stringify(dialect.response.render(response, laws.writeContextOf(askOf())))),
        laws.lawReadContext,
      );
      expect(stream).toEqual(whole);
    }),
  );
});

test("the cut of the bytes does not matter", () => {
  const written = streams(one).map((events) => laws.writeAll(dialect, events, askOf()).map(formatFrame).join(""));
  const fixtures = all.map((name) => wireText(`gemini/${name}.sse`));
  laws.cutsDoNotMatter(dialect, fc.oneof(written, fc.constantFrom(...fixtures)), { numRuns: 40 });
});

describe("stream equals whole", () => {
  test.each(pairs)("%s", (name) => {
    const whole = wireJson<JsonObject>(`gemini/${name}.json`);
    laws.streamEqualsWhole(dialect, wireText(`gemini/${name}.sse`), whole, []);
  });
});

test.each(all)("%s keeps the grammar", (name) => {
  expect(firstStreamViolation(readFixture(name))).toBeNull();
});

test.each(["text", "thinking", "tools", "grounding"])("%s cut anywhere is no finish", (name) => {
  const frames = laws.framesOf([Buffer.from(wireText(`gemini/${name}.sse`))]);
  laws.cutStreamIsNoFinish(dialect, frames, frames.length);
});

test("skimming counts the text of what it lets by, and nothing else", () => {
  const reader = dialect.stream?.reader(laws.lawReadContext);
  for (const name of all) {
    for (const frame of laws.framesOf([Buffer.from(wireText(`gemini/${name}.sse`))])) {
      const skimmed = reader?.peekText?.(frame.data) ?? null;
      if (skimmed === null) continue;
      const events: StreamEvent[] = dialect.stream?.reader(laws.lawReadContext).read(frame) ?? [];
      const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
      expect(events.map((event) => event.type)).toEqual(["start", "block-start", "text"]);
      expect(skimmed).toBe(JSON.stringify(text).slice(1, -1));
    }
  }
  expect(reader?.peekText?.(readFrame(wireText("gemini/text.sse").split("\r\n")[0] ?? "")?.data ?? "")).toBe("Hello");
});
