// Log probabilities: token by token to the client as they came from the upstream, whole and streamed, with their bytes.
import { describe, expect, test } from "bun:test";
import type { TokenLogprob } from "../../../src/canonical/chat.ts";
import { collectEvents, streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import { lawReadContext, readAll, streamEqualsWhole, writeAll, writeContextOf } from "../../support/laws.ts";
import { baseAsk, render } from "./helpers.ts";

const reply = wireJson<JsonObject>("openai-chat/logprobs.json");
const choiceOf = (body: Json | undefined) => (body as { choices: { logprobs: Json }[] }).choices[0];

describe("log probabilities", () => {
  test("are asked for in this format's words", () => {
    expect(render({ logprobs: 0 }).call.body).toMatchObject({ logprobs: true, top_logprobs: 0 });
    expect(render({ logprobs: 5 }).call.body).toMatchObject({ logprobs: true, top_logprobs: 5 });
    expect(render({}).call.body).not.toHaveProperty("logprobs");
  });

  test("come back as they were, with the bytes of tokens that are no text by themselves", () => {
    const response = openaiChat.response.parse(reply, lawReadContext);
    const tokens = response.choices[0]?.blocks[0];
    expect(tokens).toMatchObject({ logprobs: [{ token: "Hi" }, { bytes: [32, 240, 159, 153] }, { bytes: [130] }] });
    expect(tokens?.type === "text" && tokens.logprobs?.[0]).not.toHaveProperty("bytes");
    const back = openaiChat.response.render(response, writeContextOf(baseAsk));
    expect(choiceOf(back)?.logprobs).toEqual(choiceOf(reply)?.logprobs as Json);
  });

  test("streamed they are the same, and come with their own text", () => {
    streamEqualsWhole(openaiChat, wireText("openai-chat/logprobs.sse"), reply, []);
    const events = [...streamEventsOf(openaiChat.response.parse(reply, lawReadContext))];
    const frames = writeAll(openaiChat, events, { ...baseAsk, stream: true });
    expect(collectEvents(readAll(openaiChat, frames))?.choices).toEqual(collectEvents(events)?.choices);
    const result = frames.flatMap(({ data }) => (data === "[DONE]" ? [] : [choiceOf(JSON.parse(data) as Json)]));
    expect(result.filter((choice) => choice?.logprobs)).toHaveLength(1);
  });

  test("a token without text of its own is told too", () => {
    const half: TokenLogprob = { token: "\\xf0", bytes: [240], logprob: -1, top: [] };
    const at = { choice: 0, block: 0 } as const;
    const frames = writeAll(
      openaiChat,
      [
        { type: "start", id: "a", model: "m" },
        { type: "block-start", ...at, open: { kind: "text" } },
        { type: "text", ...at, text: "", logprobs: [half] },
        { type: "text", ...at, text: "" },
        { type: "block-end", ...at },
        { type: "finish", finishReasons: [{ kind: "end" }] },
      ],
      { ...baseAsk, stream: true },
    );
    const contents = frames.flatMap(({ data }) => (data.includes('"logprobs":{') ? [JSON.parse(data) as Json] : []));
    expect(contents.map((chunk) => choiceOf(chunk)?.logprobs)).toEqual([
      { content: [{ token: "\\xf0", logprob: -1, bytes: [240], top_logprobs: [] }], refusal: null },
    ]);
  });

  test.each([
    ["no list", "x"],
    ["an empty list", []],
    ["entries that are none", [null, 1, { token: 1 }, { token: "a", logprob: "b" }]],
  ])("%s is none", (_, content) => {
    const message = { role: "assistant", content: "a" };
    const wire = {
      id: "c",
      model: "m",
      choices: [{ index: 0, message, logprobs: { content }, finish_reason: "stop" }],
    };
    const response = openaiChat.response.parse(wire, lawReadContext);
    expect(response.choices[0]?.blocks).toEqual([{ type: "text", text: "a" }]);
    expect(choiceOf(openaiChat.response.render(response, writeContextOf(baseAsk)))?.logprobs).toBeNull();
  });

  test.each([
    ["no byte", ["x"]],
    ["too large", [256]],
    ["not whole", [1.5]],
    ["those of its text", [97]],
  ])("bytes that are %s are not kept", (_, bytes) => {
    const message = { role: "assistant", content: "a" };
    const logprobs = { content: [{ token: "a", logprob: -1, bytes }] };
    const wire = { id: "c", model: "m", choices: [{ index: 0, message, logprobs, finish_reason: "stop" }] };
    const [block] = openaiChat.response.parse(wire, lawReadContext).choices[0]?.blocks ?? [];
    expect(block).toEqual({ type: "text", text: "a", logprobs: [{ token: "a", logprob: -1, top: [] }] });
  });
});
