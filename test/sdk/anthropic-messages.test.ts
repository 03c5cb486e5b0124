// The official Anthropic SDK in front of both upstream dialects: whole and streamed, tools over two turns, thinking, images.
import { describe, expect, test } from "bun:test";
import type { MessageParam, Tool } from "@anthropic-ai/sdk/resources/messages";
import { answerSchema, claudeClockTool, pixel } from "../scenarios/bodies.ts";
import { says } from "../support/fixtures.ts";
import { type Far, fars, setting } from "./setting.ts";

const { anthropic, upstreamOf } = await setting();
const hello: MessageParam[] = [{ role: "user", content: "Say hello." }];
const tools = [claudeClockTool, { name: "get_day", input_schema: { type: "object" } }] as Tool[];
const [chat, claude] = fars as [Far, Far];

const upstreamRequest = (far: Far, index = 0) => upstreamOf(far).requests[index]?.json as Record<string, unknown>;
/** The two calls of `tools.json`, with the ids that the upstream gave them. */
const calls = (far: Far) => {
  const isTranslated = far.speaks === "openai-chat";
  const prefix = isTranslated ? "call" : "toolu";
  const more = isTranslated ? { caller: { type: "direct" } } : {};
  return [
    { type: "tool_use", id: `${prefix}_time`, name: "get_time", input: { zone: "UTC" }, ...more },
    { type: "tool_use", id: `${prefix}_day`, name: "get_day", input: {}, ...more },
  ];
};

describe.each(fars)("Anthropic SDK, upstream speaks $speaks", (far) => {
  const { model, speaks } = far;
  const up = upstreamOf(far);
  const reply = (name: string) => up.on("*", says(`${speaks}/${name}`));
  const ask = { model, max_tokens: 100, messages: hello };

  test("a whole reply", async () => {
    reply("text.json");
    const { data, response, request_id } = await anthropic.messages.create(ask).withResponse();
    expect(data).toMatchObject({
      type: "message",
      role: "assistant",
      model: expect.stringContaining(model),
      content: [{ type: "text", text: "Hello there, traveller." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
    expect(request_id).toBe(response.headers.get("x-request-id"));
  });

  test("a stream: pieces in order, then the same reply with its usage", async () => {
    reply("text.sse");
    const stream = anthropic.messages.stream(ask);
    const pieces: string[] = [];
    stream.on("text", (piece) => pieces.push(piece));
    const final = await stream.finalMessage();
    expect(pieces).toEqual(["Hello", " there", ", traveller."]);
    expect(final).toMatchObject({
      content: [{ type: "text", text: "Hello there, traveller." }],
      stop_reason: "end_turn",
      usage: { input_tokens: 12, output_tokens: 5 },
    });
  });

  test("a raw stream: every event names its type, blocks are numbered from 0", async () => {
    reply("tools.sse");
    const stream = await anthropic.messages.create({ ...ask, tools, stream: true });
    const events = await Array.fromAsync(stream);
    expect(events[0]?.type).toBe("message_start");
    expect(events.at(-1)?.type).toBe("message_stop");
    const opened = events.flatMap((event) => (event.type === "content_block_start" ? [event.index] : []));
    const closed = events.flatMap((event) => (event.type === "content_block_stop" ? [event.index] : []));
    expect([opened, closed]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });

  test.each(["json", "sse"])("parallel tool calls and a second turn with their results (%s)", async (kind) => {
    up.next(says(`${speaks}/tools.${kind}`), says(`${speaks}/text.${kind}`));
    const turn = async (messages: MessageParam[]) =>
      kind === "json"
        ? await anthropic.messages.create({ ...ask, messages, tools })
        : await anthropic.messages.stream({ ...ask, messages, tools }).finalMessage();
    const first = await turn(hello);
    expect(first.stop_reason).toBe("tool_use");
    expect(first.content.slice(1) as unknown).toEqual(calls(far));
    expect(first.usage).toMatchObject({ input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 30 });
    const results = first.content.flatMap((block, index) =>
      block.type === "tool_use"
        ? [{ type: "tool_result" as const, tool_use_id: block.id, content: `result ${index}`, is_error: index === 2 }]
        : [],
    );
    const second = await turn([
      ...hello,
      { role: "assistant", content: first.content },
      { role: "user", content: results },
    ]);
    expect(second.content[0]).toMatchObject({ type: "text", text: "Hello there, traveller." });
    expect(upstreamRequest(far, 1)["messages"] as object).toMatchObject(secondTurn(far));
  });

  test("the beta path with its tool runner works too", async () => {
    up.next(says(`${speaks}/tools.json`), says(`${speaks}/text.json`));
    const called: unknown[] = [];
    const tool = (name: string) => ({
      name,
      input_schema: { type: "object" as const },
      parse: (input: unknown) => input,
      run: (input: unknown) => {
        called.push([name, input]);
        return "noon";
      },
    });
    const runnable = [tool("get_time"), tool("get_day")];
    const final = await anthropic.beta.messages.toolRunner({ ...ask, tools: runnable, thread: false });
    expect(final.content[0]).toMatchObject({ text: "Hello there, traveller." });
    expect(called).toEqual([
      ["get_time", { zone: "UTC" }],
      ["get_day", {}],
    ]);
  });

  test("structured output is asked for in the upstream's words", async () => {
    reply("text.json");
    await anthropic.messages.create({
      ...ask,
      output_config: { format: { type: "json_schema", schema: answerSchema } },
    });
    expect(upstreamRequest(far)).toMatchObject(
      speaks === "openai-chat"
        ? { response_format: { type: "json_schema", json_schema: { schema: answerSchema } } }
        : { output_config: { format: { type: "json_schema", schema: answerSchema } } },
    );
  });

  test("an image arrives", async () => {
    reply("text.json");
    const source = { type: "base64" as const, media_type: "image/png" as const, data: pixel };
    await anthropic.messages.create({ ...ask, messages: [{ role: "user", content: [{ type: "image", source }] }] });
    const url = `data:image/png;base64,${pixel}`;
    const part = speaks === "openai-chat" ? { type: "image_url", image_url: { url } } : { type: "image", source };
    expect(upstreamRequest(far)["messages"] as object).toMatchObject([{ role: "user", content: [part] }]);
  });

  test("a system prompt arrives", async () => {
    reply("text.json");
    await anthropic.messages.create({ ...ask, system: [{ type: "text", text: "Be brief." }] });
    const { system, messages } = upstreamRequest(far);
    expect(JSON.stringify(speaks === "openai-chat" ? messages : system)).toContain("Be brief.");
  });
});

/** The runner asks for state held by the server and goes on without it where the refusal says so: remove `.failing` when ours does. */
test("the tool runner as it comes, in front of a chat upstream", async () => {
  upstreamOf(chat).next(says("openai-chat/tools.json"), says("openai-chat/text.json"));
  const runnable = ["get_time", "get_day"].map((name) => ({
    name,
    input_schema: { type: "object" as const },
    parse: (input: unknown) => input,
    run: () => "noon",
  }));
  const ask = { model: chat.model, max_tokens: 100, messages: hello, tools: runnable };
  expect((await anthropic.beta.messages.toolRunner(ask)).stop_reason).toBe("end_turn");
});

/** The second turn as the far side must hear it: the calls, and behind them each result under its own id. */
function secondTurn(far: Far): object[] {
  const [time, day] = calls(far);
  if (far.speaks === "anthropic-messages")
    return [
      { role: "user" },
      { role: "assistant", content: [{ type: "text" }, ...calls(far)] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: time?.id, content: "result 1" },
          { type: "tool_result", tool_use_id: day?.id, content: "result 2", is_error: true },
        ],
      },
    ];
  const call = (made: typeof time) => ({ id: made?.id, function: { name: made?.name } });
  return [
    { role: "user" },
    { role: "assistant", content: "Let me check.", tool_calls: [call(time), call(day)] },
    { role: "tool", tool_call_id: time?.id, content: "result 1" },
    { role: "tool", tool_call_id: day?.id, content: expect.stringContaining("result 2") },
  ];
}

const proof = { type: "thinking", thinking: "Need two lookups.", signature: "EqQBCkYIBBgCKkDk3h0Zx1mTnQ==" };

test.each(["json", "sse"])("thinking with its signature, and back in the second turn (%s)", async (kind) => {
  upstreamOf(claude).next(says(`anthropic-messages/thinking.${kind}`), says("anthropic-messages/text.json"));
  const ask = { model: claude.model, max_tokens: 2000, messages: hello, tools };
  const thinking = { type: "enabled" as const, budget_tokens: 1024 };
  const first =
    kind === "json"
      ? await anthropic.messages.create({ ...ask, thinking })
      : await anthropic.messages.stream({ ...ask, thinking }).finalMessage();
  expect(first.content[0] as unknown).toEqual(proof);
  await anthropic.messages.create({ ...ask, messages: [...hello, { role: "assistant", content: first.content }] });
  expect((upstreamRequest(claude, 1)["messages"] as { content: unknown[] }[])[1]?.content[0]).toEqual(proof);
});

test("redacted thinking stays as it is, with cache writes in the usage", async () => {
  upstreamOf(claude).on("*", says("anthropic-messages/redacted.sse"));
  const final = await anthropic.messages.stream({ model: "claude-x", max_tokens: 100, messages: hello }).finalMessage();
  expect(final.content.map(({ type }) => type)).toEqual(["redacted_thinking", "thinking", "text"]);
  expect(final.usage).toMatchObject({ cache_creation_input_tokens: 100, input_tokens: 30, output_tokens: 25 });
});

test.each(["json", "sse"])("reasoning of a chat upstream is thinking (%s)", async (kind) => {
  upstreamOf(chat).on("*", says(`openai-chat/reasoning.${kind}`));
  const ask = { model: chat.model, max_tokens: 2000, messages: hello };
  const thinking = { type: "enabled" as const, budget_tokens: 1024 };
  const final =
    kind === "json"
      ? await anthropic.messages.create({ ...ask, thinking })
      : await anthropic.messages.stream({ ...ask, thinking }).finalMessage();
  expect(final.content).toMatchObject([
    { type: "thinking", thinking: "Need the clock." },
    { type: "text", text: "It is noon." },
  ]);
});

const stops = [
  { speaks: "anthropic-messages", fixture: "length.json", reason: "max_tokens" },
  { speaks: "anthropic-messages", fixture: "stop-sequence.json", reason: "stop_sequence" },
  { speaks: "anthropic-messages", fixture: "stop-sequence.sse", reason: "stop_sequence" },
  { speaks: "anthropic-messages", fixture: "refusal.json", reason: "refusal" },
  { speaks: "anthropic-messages", fixture: "length-call.sse", reason: "max_tokens" },
  { speaks: "openai-chat", fixture: "length.json", reason: "max_tokens" },
  { speaks: "openai-chat", fixture: "length-call.sse", reason: "max_tokens" },
  { speaks: "openai-chat", fixture: "refusal.json", reason: "refusal" },
  { speaks: "openai-chat", fixture: "refusal.sse", reason: "refusal" },
  { speaks: "openai-chat", fixture: "function-call.json", reason: "tool_use" },
];

test.each(stops)("$speaks/$fixture stops with $reason", async ({ speaks, fixture, reason }) => {
  const far = fars.find((each) => each.speaks === speaks) as Far;
  upstreamOf(far).on("*", says(`${speaks}/${fixture}`));
  const ask = { model: far.model, max_tokens: 100, messages: hello };
  const final = fixture.endsWith("json")
    ? await anthropic.messages.create(ask)
    : await anthropic.messages.stream(ask).finalMessage();
  expect(final.stop_reason as string).toBe(reason);
});
