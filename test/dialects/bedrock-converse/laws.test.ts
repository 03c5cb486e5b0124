// The laws of every dialect, for this one.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { formatFrame } from "../../../src/lib/sse.ts";
import { answers, asks, type Can, streams } from "../../support/arbitraries.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import * as laws from "../../support/laws.ts";
import { askOf, dialect, envelope, streamOf } from "./bench.ts";

const can: Can = {
  thinking: true,
  signature: true,
  choices: false,
  createdAt: false,
  cacheWrite: true,
  reasoningTokens: false,
  stops: ["end", "length", "stop-sequence", "context-full", "tool-use"],
};

/** This wire tells neither an id nor a model. */
const nameless = answers(can).map((response) => ({ ...response, id: "", model: "" }));
const told = streams(can).map((events) =>
  events.map((event) => (event.type === "start" ? { ...event, id: "", model: "" } : event)),
);

const thinking = askOf({ reasoning: { adaptive: true } });

const pairs = ["text", "unicode", "tools", "thinking", "length", "filter", "content-filter", "context-full"];
const more = ["stop-sequence", "citations"];
const all = [...pairs, ...more, "server-tools", "without-usage", "malformed", "error-midstream"];

test("requests round trip", () => laws.requestsRoundTrip(dialect, asks, { envelope: envelope() }));
test("answers round trip", () => laws.answersRoundTrip(dialect, nameless, thinking));
test("streams round trip", () => laws.streamsRoundTrip(dialect, told, thinking));

test("the cut of the bytes does not matter", () => {
  const written = told.map((deltas) => laws.writeAll(dialect, deltas, thinking).map(formatFrame).join(""));
  const fixtures = all.map((name) => wireText(`bedrock-converse/${name}.sse`));
  laws.cutsDoNotMatter(dialect, fc.oneof(written, fc.constantFrom(...fixtures)), { numRuns: 40 });
});

describe("stream equals whole", () => {
  test.each([...pairs, ...more])("%s", (name) => {
    const whole = wireJson<JsonObject>(`bedrock-converse/${name}.json`);
    laws.streamEqualsWhole(dialect, wireText(`bedrock-converse/${name}.sse`), whole, []);
  });
});

test.each(all)("%s keeps the grammar", (name) => {
  expect(firstStreamViolation(streamOf(name))).toBeNull();
});

test.each(["text", "tools", "thinking"])("%s cut before its reason to stop is no finish", (name) => {
  const frames = laws.framesOf([Buffer.from(wireText(`bedrock-converse/${name}.sse`))]);
  laws.cutStreamIsNoFinish(dialect, frames, frames.length - 1);
});
