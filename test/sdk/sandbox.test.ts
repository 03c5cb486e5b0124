// Both official SDKs against the built-in sandbox: what somebody without an account tries first.
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { answerSchema, claudeClockTool, clockTool } from "../scenarios/bodies.ts";
import { setting, thrownBy } from "./setting.ts";

const { openai, anthropic } = await setting();
const model = "sandbox/chat";
const say = (content: string) => [{ role: "user" as const, content }];
const expected = 'Sandbox reply: you said "Hello"';

test("openai SDK: whole and stream are the same reply", async () => {
  const whole = await openai.chat.completions.create({ model, messages: say("Hello") });
  const stream = openai.chat.completions.stream({
    model,
    messages: say("Hello"),
    stream_options: { include_usage: true },
  });
  const gathered = await stream.finalChatCompletion();
  expect(whole.choices[0]?.message.content).toBe(expected);
  expect(gathered.choices[0]?.message.content).toBe(expected);
  expect({ id: gathered.id, model: gathered.model, usage: gathered.usage }).toEqual({
    id: whole.id,
    model: whole.model,
    usage: whole.usage,
  });
});

test("Anthropic SDK: whole and stream are the same reply", async () => {
  const ask = { model, max_tokens: 100, messages: say("Hello") };
  const whole = await anthropic.messages.create(ask);
  const gathered = await anthropic.messages.stream(ask).finalMessage();
  expect(whole.content).toMatchObject([{ type: "text", text: expected }]);
  expect(gathered).toMatchObject({ id: whole.id, content: whole.content, usage: { ...whole.usage } });
});

test("openai SDK: a named tool is called, its result comes back in the next reply", async () => {
  const ask = { model, tools: [clockTool] as never[] };
  const first = await openai.chat.completions.stream({ ...ask, messages: say("Use get_time.") }).finalChatCompletion();
  const message = first.choices[0]!.message;
  expect(first.choices[0]?.finish_reason).toBe("tool_calls");
  expect(message.tool_calls).toMatchObject([{ function: { name: "get_time", arguments: '{"zone":"sandbox"}' } }]);
  const result = { role: "tool" as const, tool_call_id: message.tool_calls![0]!.id, content: "noon" };
  const messages = [...say("Use get_time."), message, result];
  const second = await openai.chat.completions.create({ ...ask, messages });
  expect(second.choices[0]?.message.content).toBe("Sandbox reply: Tool results: noon");
});

test("Anthropic SDK: two tools at once, thinking before them", async () => {
  const message = await anthropic.messages
    .stream({
      model,
      max_tokens: 2000,
      thinking: { type: "enabled", budget_tokens: 1024 },
      tools: [claudeClockTool, { name: "get_day", input_schema: { type: "object" } }] as never[],
      messages: say("Use get_time and get_day."),
    })
    .finalMessage();
  expect(message.content.map(({ type }) => type)).toEqual(["thinking", "tool_use", "tool_use"]);
  expect(message.stop_reason).toBe("tool_use");
});

test("a schema is filled, in both SDKs", async () => {
  const format = { type: "json_schema" as const, json_schema: { name: "at", schema: answerSchema } };
  const chat = await openai.chat.completions.create({ model, messages: say("When?"), response_format: format });
  expect(JSON.parse(chat.choices[0]?.message.content ?? "")).toEqual({ hour: 1 });
  const output_config = { format: { type: "json_schema" as const, schema: answerSchema } };
  const message = await anthropic.messages.create({ model, max_tokens: 100, messages: say("When?"), output_config });
  expect(JSON.parse((message.content[0] as { text: string }).text)).toEqual({ hour: 1 });
});

test("directives become typed errors, in both SDKs", async () => {
  const limited = say("[sandbox rate-limit=2] Hello");
  const ofOpenai = await thrownBy(openai.chat.completions.create({ model, messages: limited }));
  expect(ofOpenai).toBeInstanceOf(OpenAI.RateLimitError);
  expect((ofOpenai as InstanceType<typeof OpenAI.APIError>).headers?.get("retry-after")).toBe("2");
  const ofAnthropic = await thrownBy(anthropic.messages.create({ model, max_tokens: 9, messages: limited }));
  expect(ofAnthropic).toBeInstanceOf(Anthropic.RateLimitError);
});

test("a cut stream throws, in both SDKs", async () => {
  const cut = { model: "sandbox/cut", messages: say("Hello") };
  expect(await thrownBy(openai.chat.completions.stream(cut).finalChatCompletion())).toBeInstanceOf(OpenAI.APIError);
  const ofAnthropic = await thrownBy(anthropic.messages.stream({ ...cut, max_tokens: 100 }).finalMessage());
  expect(ofAnthropic).toBeInstanceOf(Anthropic.APIError);
});

test("openai SDK: embeddings in the SDK's own base64 and as numbers are the same vector", async () => {
  const ask = { model: "sandbox/embed", input: "a small red house", dimensions: 64 };
  const packed = (await openai.embeddings.create(ask)).data[0]!.embedding;
  const plain = (await openai.embeddings.create({ ...ask, encoding_format: "float" })).data[0]!.embedding;
  expect(packed).toHaveLength(64);
  expect(Array.from(packed)).toEqual(plain.map(Math.fround));
});

test("a conversation of responses goes on by references to items, whose ids are their own", async () => {
  const ask = (text: string, items: object[] = []) =>
    openai.responses.create({ model: "sandbox/chat", input: [...items, { role: "user", content: text }] as never });
  const [first, second] = [await ask("one"), await ask("one")];
  const ids = [first, second].flatMap(({ output }) => output.map(({ id }) => String(id)));
  expect(new Set(ids).size).toBe(ids.length);
  const next = await ask("two", [{ type: "item_reference", id: ids[0] }]);
  expect(next.output_text).toContain("two");
  for (const { created_at, completed_at, status } of [first, second, next]) {
    expect(status).toBe("completed");
    expect(completed_at).toBeGreaterThanOrEqual(created_at);
    expect(Math.abs(created_at - Date.now() / 1000)).toBeLessThan(60);
  }
});
