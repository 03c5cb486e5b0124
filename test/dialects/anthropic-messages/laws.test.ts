// The laws of every dialect, for this one.
import { describe, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../../src/lib/json.ts";
import { formatFrame } from "../../../src/lib/sse.ts";
import { answers, asks, type Can, streams } from "../../support/arbitraries.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import * as laws from "../../support/laws.ts";
import { askOf, dialect } from "./bench.ts";

const can: Can = {
  thinking: true,
  signature: true,
  choices: false,
  createdAt: false,
  cacheWrite: true,
  reasoningTokens: true,
  stops: ["end", "length", "stop-sequence", "context-full", "refusal", "pause", "tool-use"],
};

/** One of temperature and top_p: models refuse both. */
const sayable = asks.map((request) => {
  const { temperature, topP } = request.sampling;
  return { ...request, sampling: topP === 1 ? { temperature: temperature ?? 0 } : { topP: topP ?? 0 } };
});

const thinkingAsk = askOf({ reasoning: { adaptive: true } });

/** This wire tells usage at the start too. */
const startUsage = { inputTokens: 9, cacheReadTokens: 1, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
const result = streams(can).map((events) =>
  events.map((event) => (event.type === "start" ? { ...event, usage: startUsage } : event)),
);

test("requests round trip", () => laws.requestsRoundTrip(dialect, sayable));
test("answers round trip", () => laws.answersRoundTrip(dialect, answers(can), thinkingAsk));
test("streams round trip", () => laws.streamsRoundTrip(dialect, result, thinkingAsk));

test("the cut of the bytes does not matter", () => {
  const written = result.map((deltas) => laws.writeAll(dialect, deltas, thinkingAsk).map(formatFrame).join(""));
  const fixtures = ["unicode", "thinking", "server-tools"].map((name) => wireText(`anthropic-messages/${name}.sse`));
  laws.cutsDoNotMatter(dialect, fc.oneof(written, fc.constantFrom(...fixtures)), { numRuns: 40 });
});

describe("stream equals whole", () => {
  test.each(["text", "tools", "thinking", "redacted", "server-tools", "refusal", "stop-sequence"])("%s", (name) => {
    const whole = wireJson<JsonObject>(`anthropic-messages/${name}.json`);
    laws.streamEqualsWhole(dialect, wireText(`anthropic-messages/${name}.sse`), whole, []);
  });
});

test.each(["text", "thinking", "server-tools"])("%s cut anywhere is no finish", (name) => {
  const frames = laws.framesOf([Buffer.from(wireText(`anthropic-messages/${name}.sse`))]);
  laws.cutStreamIsNoFinish(dialect, frames, frames.length);
});
