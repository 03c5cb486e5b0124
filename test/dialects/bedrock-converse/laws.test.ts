// The laws of every dialect, for this one.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import * as laws from "../../support/laws.ts";
import { dialect, streamOf } from "./bench.ts";

const pairs = ["text", "unicode", "tools", "thinking", "length", "filter", "content-filter", "context-full"];
const more = ["stop-sequence", "citations"];
const all = [...pairs, ...more, "server-tools", "without-usage", "malformed", "error-midstream"];

test("the cut of the bytes does not matter", () => {
  const fixtures = all.map((name) => wireText(`bedrock-converse/${name}.sse`));
  laws.cutsDoNotMatter(dialect, fc.constantFrom(...fixtures), { numRuns: 40 });
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
