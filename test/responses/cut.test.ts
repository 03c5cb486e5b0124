// Responses that were cut: what is continued with, by their id and by references to their items.
import { describe, expect, test } from "bun:test";
import { wireFrames, wireText } from "../support/fixtures.ts";
import { type Far, fars, setting } from "./setting.ts";

const { mine, allSay, send, upstreamRequest, receivedBy, make, world } = await setting();
const [alpha, , responder] = fars as readonly [Far, Far, Far];

/** A whole reply or an event, as it reads when the output limit ended it. */
function cut(text: string): string {
  return text
    .replaceAll(/("finish_reason":\s*)"stop"/g, '$1"length"')
    .replaceAll(/("stop_reason":\s*)"end_turn"/g, '$1"max_tokens"')
    .replaceAll("response.completed", "response.incomplete")
    .replaceAll(/("incomplete_details":\s*)null/g, '$1{"reason":"max_output_tokens"}')
    .replaceAll(/("status":\s*)"completed"/g, '$1"incomplete"');
}

describe.each(fars)("an upstream at $at", (far) => {
  test.each([false, true])("a message that was cut is continued (stream %p)", async (stream) => {
    const whole = cut(wireText(`${far.folder}/text.json`));
    const frames = wireFrames(`${far.folder}/text.sse`).map(cut);
    const headers = { "content-type": "application/json" };
    world.upstreams[far.at].on("*", stream ? { frames } : { text: whole, headers });
    const first = await make(far, "one", undefined, stream);
    expect(first.status).toBe("incomplete");
    expect(first.output_text).toStartWith("Hello there");
    allSay("text.json");
    await make(far, "two", first.id);
    expect(receivedBy(far, 1)).toEqual(["one", first.output_text, "two"]);
    const reference = { type: "item_reference" as const, id: String(first.output[0]?.id) };
    await mine.responses.create({
      model: far.model,
      input: [{ role: "user", content: "zero" }, reference, { role: "user", content: "three" }],
    });
    expect(receivedBy(far, 2)).toEqual(["zero", first.output_text, "three"]);
  });
});

test("an incomplete response: only what it completed", async () => {
  world.upstreams.alpha.clear();
  allSay("length.json");
  const made = await make(alpha, "one");
  expect(made.status).toBe("incomplete");
  allSay("text.json");
  await make(alpha, "two", made.id);
  expect(receivedBy(alpha, 1)).toEqual(["one", "two"]);
});

test("a call and reasoning that were cut are left out, the finished items stay", async () => {
  const message = (status: string, text: string) => ({
    ...{ id: `msg_${text}`, type: "message", role: "assistant", status },
    content: text === "" ? [] : [{ type: "output_text", text, annotations: [] }],
  });
  const call = (status: string, id: string) => ({
    ...{ id: `fc_${id}`, type: "function_call", status, call_id: id, name: "get_time", arguments: "{}" },
  });
  const thought = (id: string) => ({ id: `rs_${id}`, type: "reasoning", summary: [], encrypted_content: "x" });
  const sequences: [object[], string[]][] = [
    [[message("completed", "said"), thought("a"), call("incomplete", "1")], ["msg_said"]],
    [
      [thought("b"), message("incomplete", "half")],
      ["rs_b", "msg_half"],
    ],
    [[message("incomplete", "")], []],
    [
      [thought("c"), call("completed", "2"), call("incomplete", "3")],
      ["rs_c", "fc_2"],
    ],
    [[{ ...thought("d"), status: "incomplete" }], []],
  ];
  for (const [output, expected] of sequences) {
    world.upstreams.responder.clear();
    const response = { ...JSON.parse(wireText("openai-responses/text.json")), status: "incomplete", output };
    world.upstreams.responder.on("*", { json: response });
    const made = await make(responder, "one");
    await make(responder, "two", made.id);
    const sent = (index: number) =>
      (upstreamRequest(responder, index)["input"] as { id: string }[]).map(({ id }) => id);
    expect(sent(1).slice(1, -1)).toEqual(expected);
    const input = output.map((item) => ({ type: "item_reference" as const, id: (item as { id: string }).id }));
    const next = { role: "user" as const, content: "two" };
    await mine.responses.create({ model: responder.model, input: [...input, next] });
    expect(sent(2).slice(0, -1)).toEqual(expected);
  }
});

describe("a stream that breaks after its beginning ends in a failed response of its own", () => {
  /** The events for a client that has the first of them before the upstream sends more than two frames. */
  const failed = async (far: Far, frames: string[]): Promise<Record<string, unknown>[]> => {
    const begun = Promise.withResolvers<void>();
    world.upstreams[far.at].on("*", { frames, gate: begun.promise, gateAfter: 2 });
    const response = await send("/v1/responses", {
      method: "POST",
      body: JSON.stringify({ model: far.model, input: "hi", stream: true, metadata: { a: "b" } }),
    });
    begun.resolve();
    const events = (await response.text()).match(/(?<=^data: ).*$/gm) ?? [];
    return events.map((event) => JSON.parse(event) as Record<string, unknown>);
  };

  test.each([...fars])("from $at", async (far) => {
    const events = await failed(far, wireFrames(`${far.folder}/text.sse`).slice(0, 4));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const [first, last] = [events[0]?.["response"], events.at(-1)?.["response"]] as Record<string, unknown>[];
    expect(events.at(-1)?.["type"]).toBe("response.failed");
    expect(last).toMatchObject({ status: "failed", metadata: { a: "b" }, error: { code: "server_error" } });
    for (const name of ["id", "created_at", "model"]) expect(last?.[name]).toEqual(first?.[name] as never);
    expect(last?.["model"]).toMatch(/\S/);
    expect(last?.["created_at"]).toBeGreaterThan(1_000_000_000);
  });

  interface Item {
    type: string;
    status?: string;
    content?: { text: string }[];
  }

  const streamedOf = async (frames: string[]): Promise<Item[]> => {
    const last = (await failed(responder, frames)).at(-1)?.["response"] as { output: Item[] };
    return last.output;
  };

  test("with what was streamed until then, also where the frames went by unread", async () => {
    const frames = wireFrames("openai-responses/text.sse");
    const deltas = frames.filter((frame) => frame.includes("response.output_text.delta"));
    const first = frames.indexOf(deltas[0] ?? "");
    const more = Array.from({ length: 300 }, () => deltas[0] ?? "");
    const output = await streamedOf([...frames.slice(0, first), ...deltas, ...more]);
    expect(output).toMatchObject([{ type: "message", status: "incomplete" }]);
    expect(output[0]?.content?.[0]?.text).toBe(`Hello there, how can I help?${"Hello".repeat(300)}`);
  });

  test("with the items that were complete", async () => {
    const frames = wireFrames("openai-responses/reasoning.sse");
    const whole = JSON.parse(/^data: (.*)$/m.exec(frames.at(-1) ?? "")?.[1] ?? "") as { response: { output: Item[] } };
    expect(await streamedOf(frames.slice(0, -1))).toEqual(whole.response.output);
  });

  test("also where an error event takes the place of the end", async () => {
    const events = await failed(responder, wireFrames("openai-responses/error-midstream.sse"));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { model: expect.stringMatching(/\S/) } });
  });
});
