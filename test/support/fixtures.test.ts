// The fixtures are what providers send: the official SDKs read them, and the oracle of the scenarios agrees with the SDKs.
import { afterAll, expect, test } from "bun:test";
import { collectChat, collectMessage } from "./chat-stream-reader.ts";
import { anthropicClient, openaiClient } from "./clients.ts";
import { says } from "./fixtures.ts";
import { transcribe } from "./response-oracle.ts";
import { upstream } from "./upstream.ts";

const up = await upstream();
const openai = openaiClient(up.url, "none");
const anthropic = anthropicClient(up.url, "none");
afterAll(() => up.stop());

const hello = [{ role: "user" as const, content: "hi" }];
const receive = async () => await transcribe(await fetch(up.url, { method: "POST", body: "{}" }));

const chatStreams = [
  "text",
  "text-without-usage",
  "tools",
  "reasoning",
  "unicode",
  "unknown-fields",
  "azure-first-chunk",
];

test.each(chatStreams)("openai-chat/%s.sse reads the same for SDK and oracle", async (name) => {
  up.on("*", says(`openai-chat/${name}.sse`));
  const { choices } = await openai.chat.completions.stream({ model: "m", messages: hello }).finalChatCompletion();
  const result = collectChat(await receive());
  expect({ text: result.text, stop: result.stop, isEnded: result.isEnded }).toEqual({
    text: choices[0]?.message.content ?? "",
    stop: choices[0]?.finish_reason,
    isEnded: true,
  });
  const calls = (choices[0]?.message.tool_calls ?? []).flatMap((call) => ("function" in call ? [call] : []));
  const written = calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    input: JSON.parse(call.function.arguments),
  }));
  expect(result.calls).toEqual(written);
});

const messageStreams = ["text", "tools", "thinking", "unicode", "unknown-events"];

test.each(messageStreams)("anthropic-messages/%s.sse reads the same for SDK and oracle", async (name) => {
  up.on("*", says(`anthropic-messages/${name}.sse`));
  const final = await anthropic.messages.stream({ model: "m", max_tokens: 9, messages: hello }).finalMessage();
  const result = collectMessage(await receive());
  const blocks = final.content;
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  const thinking = blocks.map((block) => (block.type === "thinking" ? block.thinking : "")).join("");
  const calls = blocks.flatMap((block) =>
    block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
  );
  expect(result).toMatchObject({ text, thinking, calls, stop: final.stop_reason as string, isEnded: true });
  expect(result.usage).toMatchObject({
    output_tokens: final.usage.output_tokens,
    input_tokens: final.usage.input_tokens,
  });
});

const wholes = ["text", "tools", "reasoning", "thinking"];

test.each(wholes)("whole and stream of %s tell the same", async (name) => {
  const collectors = { "openai-chat": collectChat, "anthropic-messages": collectMessage };
  for (const [folder, result] of Object.entries(collectors)) {
    const [json, sse] = ["json", "sse"].map((kind) => `${folder}/${name}.${kind}`);
    if (!(await exists(json)) || !(await exists(sse))) continue;
    up.next(says(json ?? ""), says(sse ?? ""));
    const { usage: _whole, ...whole } = result(await receive());
    const { usage: _stream, ...stream } = result(await receive());
    expect(stream).toEqual(whole);
  }
});

test.each(["openai-chat", "anthropic-messages"])(
  "%s/error-midstream.sse throws in the SDK and is an error to the oracle",
  async (folder) => {
    up.on("*", says(`${folder}/error-midstream.sse`));
    const reading =
      folder === "openai-chat"
        ? openai.chat.completions.stream({ model: "m", messages: hello }).finalChatCompletion()
        : anthropic.messages.stream({ model: "m", max_tokens: 9, messages: hello }).finalMessage();
    expect(
      await reading.then(
        () => "read",
        () => "thrown",
      ),
    ).toBe("thrown");
    const result = (folder === "openai-chat" ? collectChat : collectMessage)(await receive());
    expect(result).toMatchObject({ text: "Hello", isEnded: false, error: { message: expect.stringMatching(/\S/) } });
  },
);

function exists(path: string | undefined): Promise<boolean> {
  return Bun.file(`${import.meta.dir}/../fixtures/${path}`).exists();
}
