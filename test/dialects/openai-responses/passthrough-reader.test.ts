// A stream that is passed through: which frames change, under whose identity, and what a failed response holds of it.
import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../../src/canonical/error.ts";
import type { PassthroughReader, ResponseIdentity } from "../../../src/dialects/dialect.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import type { Frame } from "../../../src/lib/sse.ts";
import { dialect, fixtureFrames, writeContext } from "./helpers.ts";

const stored: ResponseIdentity = { id: "resp_own", isStored: true, isBackground: false, previousId: "resp_before" };

function readerFor(identity: ResponseIdentity): PassthroughReader {
  const reader = dialect.passthrough.reader?.({ origin: "maker" }, writeContext({ stored: identity }));
  if (reader === undefined) throw new Error("this dialect has no reader for streams that are passed through");
  return reader;
}

/** The frames for the client: peeked where that is enough, as the gateway does it. */
function shown(reader: PassthroughReader, frames: readonly Frame[]) {
  return frames.flatMap((frame) => {
    if (reader.peekText?.(frame.data) == null) reader.read(frame);
    return reader.shown(frame) ?? [];
  });
}

const eventOf = ({ data }: Frame): JsonObject => JSON.parse(data) as JsonObject;
const frameOf = (event: JsonObject): Frame => ({ event: String(event.type), data: JSON.stringify(event) });
const failure = new GatewayError("upstream_truncated", "Cut.");

/** The output of the failed response behind these events. */
function failedOutput(...events: JsonObject[]): unknown {
  const reader = readerFor(stored);
  shown(reader, events.map(frameOf));
  return reader.error(failure)[0]?.response?.output;
}

test("only the frames that hold the response change, and they hold it as a value", () => {
  const frames = fixtureFrames("text.sse");
  const all = shown(readerFor(stored), frames);
  const changed = all.filter((frame, index) => frame.data !== frames[index]?.data);
  expect(changed.map(({ event }) => event)).toEqual(["response.created", "response.in_progress", "response.completed"]);
  for (const frame of changed) {
    expect(frame.response).toMatchObject({ id: "resp_own", store: true, previous_response_id: "resp_before" });
    expect(eventOf(frame).response).toEqual(frame.response as JsonObject);
  }
  const [last] = all.slice(-1);
  expect(eventOf(last?.withResponse?.({ id: "other" }) as Frame)).toMatchObject({
    type: "response.completed",
    sequence_number: frames.length - 1,
    response: { id: "other" },
  });
  expect(all.filter(({ item }) => item !== undefined)).toHaveLength(1);
});

test("in the background the opening event is left out, and the others are numbered behind it", () => {
  const frames = fixtureFrames("text.sse").map((frame) => frameOf({ ...eventOf(frame), sequence_number: 7 }));
  const reader = readerFor({ ...stored, isBackground: true });
  const events = shown(reader, frames).map(eventOf);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index + 1));
  expect(events[0]).toMatchObject({ type: "response.in_progress", response: { background: true } });
  expect(eventOf(reader.error(failure)[0] as Frame).sequence_number).toBe(events.length + 1);
});

describe("a failed response holds", () => {
  const at = { output_index: 0, item_id: "x" };

  test("a call as far as its input came", () => {
    const item = { type: "function_call", id: "fc_1", call_id: "c", name: "f", status: "in_progress", arguments: "" };
    const delta = { type: "response.function_call_arguments.delta", ...at };
    expect(
      failedOutput(
        { type: "response.output_item.added", output_index: 0, item },
        { ...delta, delta: '{"a"' },
        { ...delta, delta: ":1" },
      ),
    ).toEqual([{ ...item, status: "incomplete", arguments: '{"a":1' }]);
  });

  test("thoughts and text in their parts, with escapes read", () => {
    const message = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
    const thought = { type: "reasoning", id: "rs_1", summary: [] };
    const text = { type: "response.output_text.delta", sequence_number: 9, output_index: 1, content_index: 0 };
    const summary = { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0 };
    expect(
      failedOutput(
        { type: "response.output_item.added", output_index: 0, item: thought },
        { ...summary, delta: "Hm" },
        { ...summary, delta: "." },
        { type: "response.output_item.added", output_index: 1, item: message },
        ...["a\n", "é", "b\\c"].map((delta) => ({ ...text, delta })),
      ),
    ).toEqual([
      { ...thought, summary: [{ type: "summary_text", text: "Hm." }] },
      { ...message, status: "incomplete", content: [{ type: "output_text", annotations: [], text: "a\néb\\c" }] },
    ]);
  });

  test("nothing where nothing came", () => {
    expect(failedOutput()).toEqual([]);
  });
});
