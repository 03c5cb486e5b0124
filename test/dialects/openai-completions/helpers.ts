// What the tests of this dialect share: a body that passes, contexts, and what a client sees.
import type { ChatRequest, ChatResponse } from "../../../src/canonical/chat.ts";
import type { StreamEvent } from "../../../src/canonical/stream-event.ts";
import type { RenderContext, WriteContext } from "../../../src/dialects/dialect.ts";
import { openaiCompletions } from "../../../src/dialects/openai-completions/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { type Frame, formatFrame } from "../../../src/lib/sse.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import { envelopeOf, framesOf, lawReadContext, readAll, renderContextOf } from "../../support/laws.ts";

export const hello: JsonObject = { model: "m", prompt: "Say hi" };

export const parse = (more: JsonObject = {}): ChatRequest =>
  openaiCompletions.request.parse({ ...hello, ...more }, envelopeOf());

export const context = (more: Partial<RenderContext> = {}): RenderContext =>
  renderContextOf(openaiCompletions as never, more);

export const fixtureFrames = (name: string): Frame[] => framesOf([Buffer.from(wireText(`openai-completions/${name}`))]);

export const readFixture = (name: string): StreamEvent[] => readAll(openaiCompletions, fixtureFrames(name));

export const parseFixture = (name: string): ChatResponse =>
  openaiCompletions.response.parse(wireJson(`openai-completions/${name}`), lawReadContext);

/** What a writer knows of a client that sent this wire. */
export function writing(wire: JsonObject): WriteContext {
  return { request: parse(wire), wire: { ...hello, ...wire }, id: "made-1", createdAt: 7, inputEstimate: 1 };
}

/** What a client of these deltas sees, record by record; `[DONE]` stays text. */
export function written(events: Iterable<StreamEvent>, wire: JsonObject = {}): Json[] {
  const writer = openaiCompletions.stream?.writer(writing({ stream: true, ...wire }));
  const frames = [...events].flatMap((event) => writer?.write(event) ?? []);
  return framesOf([Buffer.from(frames.map(formatFrame).join(""))]).map((frame) =>
    frame.data === "[DONE]" ? frame.data : (JSON.parse(frame.data) as Json),
  );
}

interface Seen {
  choices?: { index: number; text: string; logprobs: { tokens: string[]; text_offset: number[] } | null }[];
}

/** The choices of all records, in the order in which they came. */
export function choicesOf(records: readonly Json[]) {
  return records.flatMap((each) => (each as Seen).choices ?? []);
}

/** The text of one choice. */
export function textsOf(records: readonly Json[], index: number): string {
  return choicesOf(records)
    .filter((choice) => choice.index === index)
    .map((choice) => choice.text)
    .join("");
}

export { thrown } from "../../support/sample-requests.ts";
