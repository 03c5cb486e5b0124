// The official openai SDK in front of both upstream dialects: whole and streamed, tools over two turns, thinking, images.
import { describe, expect, test } from "bun:test";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { answerSchema, clockTool, pixel } from "../scenarios/bodies.ts";
import { at, list } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { type Far, fars, setting } from "./setting.ts";

const { openai, upstreamOf, world } = await setting();
const hello: ChatCompletionMessageParam[] = [{ role: "user", content: "Say hello." }];
const tools = [clockTool, { type: "function", function: { name: "get_day" } }] as never[];
const withUsage = { stream_options: { include_usage: true } };

const upstreamRequest = (far: Far, index = 0) => upstreamOf(far).requests[index]?.json as Record<string, unknown>;
/** The names of the two calls of `tools.json`, with the ids that the upstream gave them. */
const calls = (far: Far) => {
  const prefix = far.speaks === "openai-chat" ? "call" : "toolu";
  return [
    { id: `${prefix}_time`, type: "function", function: { name: "get_time", arguments: '{"zone":"UTC"}' } },
    { id: `${prefix}_day`, type: "function", function: { name: "get_day", arguments: "{}" } },
  ];
};

describe.each(fars)("openai SDK, upstream speaks $speaks", (far) => {
  const { model, speaks } = far;
  const up = upstreamOf(far);
  const reply = (name: string) => up.on("*", says(`${speaks}/${name}`));

  test("a whole reply", async () => {
    reply("text.json");
    const ask = openai.chat.completions.create({ model, messages: hello });
    const { data, response, request_id } = await ask.withResponse();
    expect(data).toMatchObject({
      object: "chat.completion",
      model: expect.stringContaining(model),
      choices: [
        { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello there, traveller." } },
      ],
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    });
    expect(request_id).toBe(response.headers.get("x-request-id"));
  });

  test("a stream: pieces in order, then the same reply with its usage", async () => {
    reply("text.sse");
    const stream = openai.chat.completions.stream({ model, messages: hello, ...withUsage });
    const pieces: string[] = [];
    stream.on("content", (piece) => pieces.push(piece));
    const final = await stream.finalChatCompletion();
    expect(pieces.filter((piece) => piece !== "")).toEqual(["Hello", " there", ", traveller."]);
    expect(final.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "Hello there, traveller." },
    });
    expect(final.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 });
  });

  test("a raw stream: every chunk has the shape of a chunk, and ids do not change", async () => {
    reply("unicode.sse");
    const stream = await openai.chat.completions.create({ model, messages: hello, stream: true });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toContain("世界 👩‍👩‍👧");
    expect(new Set(chunks.map(({ id, object, model: name }) => `${id} ${object} ${name}`)).size).toBe(1);
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(["stop"]);
    expect(chunks.every((chunk) => !chunk.usage)).toBe(true);
  });

  test.each(["json", "sse"])("parallel tool calls and a second turn with their results (%s)", async (kind) => {
    up.next(says(`${speaks}/tools.${kind}`), says(`${speaks}/text.${kind}`));
    const turn = async (messages: ChatCompletionMessageParam[]) =>
      kind === "json"
        ? await openai.chat.completions.create({ model, messages, tools })
        : await openai.chat.completions.stream({ model, messages, tools, ...withUsage }).finalChatCompletion();
    const first = await turn(hello);
    const message = first.choices[0]!.message;
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    expect(message.tool_calls as unknown).toEqual(calls(far));
    expect(first.usage).toMatchObject({
      prompt_tokens: 100,
      completion_tokens: 30,
      prompt_tokens_details: { cached_tokens: 60 },
    });
    const results = message.tool_calls!.map((call, index) => ({
      role: "tool" as const,
      tool_call_id: call.id,
      content: `result ${index}`,
    }));
    const second = await turn([...hello, message, ...results]);
    expect(second.choices[0]?.message.content).toBe("Hello there, traveller.");
    expect(upstreamRequest(far, 1)["messages"] as object).toMatchObject(secondTurn(far));
  });

  test("runTools calls both functions and goes on by itself", async () => {
    up.next(says(`${speaks}/tools.json`), says(`${speaks}/text.json`));
    const called: string[] = [];
    const tool = (name: string) => ({
      type: "function" as const,
      function: {
        name,
        description: name,
        parameters: { type: "object", properties: {} },
        function: (input: string) => {
          called.push(`${name} ${input}`);
          return "noon";
        },
      },
    });
    const runner = openai.chat.completions.runTools({
      model,
      messages: hello,
      tools: [tool("get_time"), tool("get_day")],
    });
    expect(await runner.finalContent()).toBe("Hello there, traveller.");
    expect(called).toEqual(['get_time {"zone":"UTC"}', "get_day {}"]);
  });

  test("structured output is asked for in the upstream's words and parsed", async () => {
    reply("text.json");
    await openai.chat.completions.create({
      model,
      messages: hello,
      response_format: { type: "json_schema", json_schema: { name: "at", strict: true, schema: answerSchema } },
    });
    expect(upstreamRequest(far)).toMatchObject(
      speaks === "openai-chat"
        ? { response_format: { json_schema: { name: "at", strict: true, schema: answerSchema } } }
        : { output_config: { format: { type: "json_schema", schema: answerSchema } } },
    );
  });

  test("an image arrives", async () => {
    reply("text.json");
    const url = `data:image/png;base64,${pixel}`;
    await openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
    });
    const source = { type: "base64", media_type: "image/png", data: pixel };
    const part = speaks === "openai-chat" ? { type: "image_url", image_url: { url } } : { type: "image", source };
    expect(upstreamRequest(far)["messages"]).toEqual([{ role: "user", content: [part] }]);
  });
});

/** The second turn as the far side must hear it: the calls, and behind them each result under its own id. */
function secondTurn(far: Far): object[] {
  const [time, day] = calls(far);
  if (far.speaks === "openai-chat")
    return [
      { role: "user" },
      { role: "assistant", tool_calls: calls(far) },
      { role: "tool", tool_call_id: time?.id, content: "result 0" },
      { role: "tool", tool_call_id: day?.id, content: "result 1" },
    ];
  return [
    { role: "user" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me check." },
        { type: "tool_use", id: time?.id, name: "get_time", input: { zone: "UTC" } },
        { type: "tool_use", id: day?.id, name: "get_day", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: time?.id },
        { type: "tool_result", tool_use_id: day?.id },
      ],
    },
  ];
}

const claude = fars[1] as Far;

test.each(["json", "sse"])(
  "thinking of an anthropic upstream, and its proof back in the second turn (%s)",
  async (kind) => {
    upstreamOf(claude).next(says(`anthropic-messages/thinking.${kind}`), says("anthropic-messages/text.json"));
    const ask = { model: claude.model, messages: hello, tools, reasoning_effort: "high" as const };
    const first =
      kind === "json"
        ? await openai.chat.completions.create(ask)
        : await openai.chat.completions.stream(ask).finalChatCompletion();
    const message = first.choices[0]!.message;
    if (kind === "json") expect(message).toMatchObject({ reasoning_content: "Need two lookups." });
    const results = message.tool_calls!.map((call) => ({
      role: "tool" as const,
      tool_call_id: call.id,
      content: "noon",
    }));
    await openai.chat.completions.create({ ...ask, messages: [...hello, message, ...results] });
    const sent = upstreamRequest(claude, 1)["messages"] as { content: object[] }[];
    expect(sent[1]?.content[0]).toEqual({
      type: "thinking",
      thinking: "Need two lookups.",
      signature: "EqQBCkYIBBgCKkDk3h0Zx1mTnQ==",
    });
  },
);

test("thinking of an anthropic upstream arrives piece by piece", async () => {
  upstreamOf(claude).on("*", says("anthropic-messages/thinking.sse"));
  const stream = await openai.chat.completions.create({ model: claude.model, messages: hello, stream: true });
  const chunks = await Array.fromAsync(stream);
  const thought = chunks.map(
    (chunk) => (chunk.choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content,
  );
  expect(thought.filter(Boolean)).toEqual(["Need two", " lookups."]);
});

test("a call that a gemini upstream signs: every piece of it has its function, and the signature goes back", async () => {
  const { google } = world.upstreams;
  google.on("*", says("gemini/tools.sse"), says("gemini/text.sse"));
  const ask = { model: "gemini-x", messages: hello, tools };
  const stream = openai.chat.completions.stream(ask);
  const pieces: object[] = [];
  stream.on("chunk", (chunk) => pieces.push(...(chunk.choices[0]?.delta.tool_calls ?? [])));
  const { message } = (await stream.finalChatCompletion()).choices[0]!;
  expect(pieces.every((piece) => "function" in piece)).toBe(true);
  const results = message.tool_calls!.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "noon" }));
  await openai.chat.completions.stream({ ...ask, messages: [...hello, message, ...results] }).finalChatCompletion();
  const parts = list(google.requests[1]?.json, "contents", 1, "parts");
  const signatures = parts.filter((part) => at(part, "functionCall")).map((part) => at(part, "thoughtSignature"));
  expect(signatures).toEqual(["EsQDCsEDAXLI2nzToolSignature/+ab==", undefined]);
});

const stops = [
  { speaks: "openai-chat", fixture: "length.json", reason: "length" },
  { speaks: "openai-chat", fixture: "length-call.sse", reason: "length" },
  { speaks: "openai-chat", fixture: "refusal.json", reason: "stop" },
  { speaks: "anthropic-messages", fixture: "length.json", reason: "length" },
  { speaks: "anthropic-messages", fixture: "stop-sequence.json", reason: "stop" },
  { speaks: "anthropic-messages", fixture: "stop-sequence.sse", reason: "stop" },
  { speaks: "anthropic-messages", fixture: "refusal.json", reason: "content_filter" },
  { speaks: "anthropic-messages", fixture: "refusal.sse", reason: "content_filter" },
  { speaks: "anthropic-messages", fixture: "length-call.sse", reason: "length" },
];

test.each(stops)("$speaks/$fixture stops with $reason", async ({ speaks, fixture, reason }) => {
  const far = fars.find((each) => each.speaks === speaks) as Far;
  upstreamOf(far).on("*", says(`${speaks}/${fixture}`));
  const ask = { model: far.model, messages: hello };
  const answer = fixture.endsWith("json")
    ? await openai.chat.completions.create(ask)
    : await openai.chat.completions.stream(ask).finalChatCompletion();
  expect(answer.choices[0]?.finish_reason as string).toBe(reason);
});

test("two choices come apart", async () => {
  upstreamOf(fars[0] as Far).on("*", says("openai-chat/two-choices.sse"));
  const final = await openai.chat.completions.stream({ model: "gpt-x", messages: hello, n: 2 }).finalChatCompletion();
  expect(final.choices.map(({ message }) => message.content)).toEqual(["Heads!", "Tails."]);
});

test("cache writes of an anthropic upstream are part of the prompt", async () => {
  upstreamOf(claude).on("*", says("anthropic-messages/redacted.json"));
  const { usage } = await openai.chat.completions.create({ model: "claude-x", messages: hello });
  expect(usage).toMatchObject({ prompt_tokens: 130, completion_tokens: 25, total_tokens: 155 });
  expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(20);
});
