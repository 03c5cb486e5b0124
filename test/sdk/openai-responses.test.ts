// The official openai SDK asking for responses of all upstream dialects: events, tools, a chain by id, what is stored.
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { says } from "../support/fixtures.ts";
import { fars } from "../translation-matrix/upstreams.ts";
import { setting, thrownBy } from "./setting.ts";

const { openai, world } = await setting();
const tools: OpenAI.Responses.Tool[] = ["get_time", "get_day"].map((name) => ({
  type: "function",
  name,
  parameters: { type: "object", properties: {} },
  strict: false,
}));

describe.each([...fars])("responses, upstream speaks $speaks", ({ speaks, at, model, replies }) => {
  const up = world.upstreams[at];
  const { text } = replies.text;

  test("a stream: events numbered from 0 without a gap, first created, last completed", async () => {
    up.on("*", says(`${speaks}/tools.sse`));
    const stream = await openai.responses.create({ model, input: "hi", tools, stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect([events[0]?.type, events[1]?.type, events.at(-1)?.type]).toEqual([
      "response.created",
      "response.in_progress",
      "response.completed",
    ]);
    const added = events.flatMap((event) => (event.type === "response.output_item.added" ? [event.output_index] : []));
    const done = events.flatMap((event) => (event.type === "response.output_item.done" ? [event.output_index] : []));
    expect(added).toEqual(done);
    expect(added).toEqual(added.map((_, index) => index));
  });

  test("parallel calls, then their results by the id of the response before", async () => {
    up.on("*", says(`${speaks}/tools.json`));
    const first = await openai.responses.create({ model, input: "What time is it?", tools });
    const calls = first.output.filter((item) => item.type === "function_call");
    expect(calls.map(({ name }) => name)).toEqual(["get_time", "get_day"]);
    up.on("*", says(`${speaks}/text.json`));
    const input = calls.map(({ call_id }, index) => ({
      type: "function_call_output" as const,
      call_id,
      output: `result ${index + 1}`,
    }));
    const second = await openai.responses.create({ model, input, tools, previous_response_id: first.id });
    expect(second).toMatchObject({ output_text: text, previous_response_id: first.id, status: "completed" });
    const wire = up.requests.at(-1)?.text ?? "";
    const places = ["What time is it?", "get_time", "result 1", "result 2"].map((part) => wire.indexOf(part));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(wire).not.toContain("previous_response_id");
  });

  test("a stored response is told again, listed and forgotten", async () => {
    up.on("*", says(`${speaks}/text.json`));
    const made = await openai.responses.create({ model, input: "Say hello." });
    const again = await openai.responses.retrieve(made.id);
    expect(again).toMatchObject({ id: made.id, output_text: text, status: "completed" });
    const items = await Array.fromAsync(openai.responses.inputItems.list(made.id));
    expect(items).toMatchObject([{ type: "message", role: "user" }]);
    await openai.responses.delete(made.id);
    expect(await thrownBy(openai.responses.retrieve(made.id))).toBeInstanceOf(OpenAI.NotFoundError);
    const thrown = await thrownBy(openai.responses.create({ model, input: "on", previous_response_id: made.id }));
    expect(thrown).toBeInstanceOf(OpenAI.BadRequestError);
    expect(thrown).toMatchObject({ code: "previous_response_not_found", param: "previous_response_id" });
  });

  test("what is not to be stored is not there", async () => {
    up.on("*", says(`${speaks}/text.json`));
    const made = await openai.responses.create({ model, input: "Say hello.", store: false });
    expect(made).toMatchObject({ store: false });
    expect(await thrownBy(openai.responses.retrieve(made.id))).toBeInstanceOf(OpenAI.NotFoundError);
  });
});
