// Log probabilities: how they are asked for, and where the events and items of a response tell them.
import { describe, expect, test } from "bun:test";
import { streamEventsOf } from "../../../src/canonical/stream-event.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import * as laws from "../../support/laws.ts";
import { dialect, parse, readEvents, render, writeContext, written } from "./helpers.ts";

const reply = wireJson<JsonObject>("openai-responses/logprobs.json");
const partOf = (response: JsonObject): JsonObject =>
  (response as unknown as { output: { content: JsonObject[] }[] }).output[0]?.content[0] ?? {};
const tokens = partOf(reply).logprobs as Json[];

describe("log probabilities", () => {
  test("are asked for by both of their fields", () => {
    const include = ["message.output_text.logprobs"];
    expect(render({ logprobs: 3 }).call.body).toMatchObject({ top_logprobs: 3, include });
    expect(render({ logprobs: 0 }).call.body).toMatchObject({ include });
    expect(render({ logprobs: 0 }).call.body).not.toHaveProperty("top_logprobs");
    for (const logprobs of [0, 3]) expect(parse(render({ logprobs }).call.body)).toMatchObject({ logprobs });
  });

  test("beside the state of thought", () => {
    const { include } = render({ logprobs: 1, reasoning: { effort: "low" } }).call.body;
    expect(include).toEqual(["reasoning.encrypted_content", "message.output_text.logprobs"]);
  });

  test("come back as they were, whole and streamed", () => {
    const response = dialect.response.parse(reply, { origin: "maker" });
    expect(partOf(dialect.response.render(response, writeContext())).logprobs).toEqual(tokens);
    laws.streamEqualsWhole(dialect, wireText("openai-responses/logprobs.sse"), reply, []);
    const events = written(streamEventsOf(response));
    expect(events.find(({ type }) => type === "response.output_text.delta")?.logprobs).toEqual(tokens);
    expect(events.find(({ type }) => type === "response.output_text.done")?.logprobs).toEqual(tokens);
    expect(events.find(({ type }) => type === "response.content_part.done")?.part).toMatchObject({ logprobs: tokens });
  });

  test("a whole part tells what its deltas left out, and nothing twice", () => {
    const delta = (logprobs: Json[]) => ({
      type: "response.output_text.delta",
      output_index: 0,
      content_index: 0,
      delta: "Hi 🙂",
      logprobs,
    });
    const part = { type: "output_text", text: "Hi 🙂", annotations: [], logprobs: tokens };
    const done = { type: "response.content_part.done", output_index: 0, content_index: 0, part };
    const end = { type: "response.completed", response: { status: "completed", output: [] } };
    const resultOf = (first: Json[]) =>
      readEvents(delta(first), done, end).flatMap((each) => (each.type === "text" ? [each.logprobs ?? []] : []));
    expect(resultOf([]).map((each) => each.length)).toEqual([0, 3]);
    expect(resultOf(tokens).map((each) => each.length)).toEqual([3]);
  });
});
