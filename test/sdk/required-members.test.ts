// Translated replies and lists of models hold every member that the types of the official SDKs require, whole and streamed.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { at, list } from "../support/chat-stream-reader.ts";
import { lacking, requiredMembers, undeclared } from "../support/declared.ts";
import { clearUpstreams, startUpstreams, startWorld, stopWorld } from "../support/fixture-gateway.ts";
import { type Call, make, type Surface } from "../support/http-client.ts";
import type { Received } from "../support/response-oracle.ts";
import type { Reply } from "../support/upstream.ts";

const upstreams = await startUpstreams();
const world = await startWorld(upstreams);
beforeEach(() => clearUpstreams(upstreams));
afterAll(() => stopWorld(world));

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const call = { index: 0, id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };
const assistantMessage = { role: "assistant", content: "hi", tool_calls: [call] };
const chunk = (more: object) => ({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...more });
const frames = (...data: (object | string)[]): Reply => ({
  frames: data.map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`),
});
/** Words and a call, as an OpenAI-compatible server says them. */
const chatReply = (stream: boolean): Reply =>
  stream
    ? frames(
        chunk({ choices: [{ index: 0, delta: assistantMessage, finish_reason: null }] }),
        chunk({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], usage }),
        "[DONE]",
      )
    : { json: chunk({ choices: [{ index: 0, message: assistantMessage, finish_reason: "tool_calls" }], usage }) };

const message = {
  ...{ id: "m", type: "message", role: "assistant", model: "m", stop_reason: null, stop_sequence: null },
  usage: { input_tokens: 3, output_tokens: 4 },
};
const input = { a: 1 };
/** The same, as a Messages API says them. */
const messageReply = (stream: boolean): Reply =>
  stream
    ? frames(
        { type: "message_start", message: { ...message, content: [] } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
        { type: "content_block_stop", index: 0 },
        { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "c1", name: "f", input } },
        { type: "content_block_stop", index: 1 },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 4 } },
        { type: "message_stop" },
      )
    : {
        json: {
          ...message,
          stop_reason: "tool_use",
          content: [
            { type: "text", text: "hi" },
            { type: "tool_use", id: "c1", name: "f", input },
          ],
        },
      };

/** A value of a reply, and the type that it must have. */
type Typed = readonly [value: unknown, type: string];

const messagesFile = "@anthropic-ai/sdk/resources/messages/messages.d.ts";
const chatFile = "openai/resources/chat/completions/completions.d.ts";
const responsesFile = "openai/resources/responses/responses.d.ts";

const dataOf = (received: Received, type: string): unknown[] =>
  received.frames.flatMap(({ data }) => (at(data, "type") === type ? [data] : []));
const block = (value: unknown): Typed => [value, at(value, "type") === "text" ? "TextBlock" : "ToolUseBlock"];
const messageTypes = (value: unknown): Typed[] => [
  [value, "Message"],
  [at(value, "usage"), "Usage"],
  ...list(value, "content").map(block),
];
const itemTypes: Readonly<Record<string, string>> = {
  message: "ResponseOutputMessage",
  function_call: "ResponseFunctionToolCall",
};
const responseTypes = (value: unknown): Typed[] => [
  [value, "Response"],
  ...(at(value, "usage") ? ([[at(value, "usage"), "ResponseUsage"]] as const) : []),
  ...list(value, "output").map((item): Typed => [item, itemTypes[String(at(item, "type"))] ?? ""]),
  ...list(value, "output")
    .flatMap((item) => list(item, "content"))
    .map((part): Typed => [part, "ResponseOutputText"]),
];

const googleFile = "@google/genai/dist/genai.d.ts";
const googleTypes = (value: unknown): Typed[] => [
  [value, "GenerateContentResponse"],
  ...(at(value, "usageMetadata")
    ? ([[at(value, "usageMetadata"), "GenerateContentResponseUsageMetadata"]] as const)
    : []),
  ...list(value, "candidates").flatMap((candidate): Typed[] => [
    [candidate, "Candidate"],
    [at(candidate, "content"), "Content"],
    ...list(candidate, "content", "parts").flatMap((part): Typed[] => [
      [part, "Part"],
      ...(at(part, "functionCall") ? ([[at(part, "functionCall"), "FunctionCall"]] as const) : []),
    ]),
  ]),
];

interface Row {
  readonly client: Surface;
  readonly model: string;
  readonly says: (stream: boolean) => Reply;
  readonly file: string;
  readonly whole: (body: unknown) => Typed[];
  readonly streamed: (reply: Received) => Typed[];
}

const rows: readonly Row[] = [
  {
    client: "messages",
    model: "gpt-x",
    says: chatReply,
    file: messagesFile,
    whole: messageTypes,
    streamed: (received) => [
      ...dataOf(received, "message_start").flatMap((event) => messageTypes(at(event, "message"))),
      ...dataOf(received, "content_block_start").map((event) => block(at(event, "content_block"))),
      ...dataOf(received, "message_delta").flatMap((event): Typed[] => [
        [event, "RawMessageDeltaEvent"],
        [at(event, "delta"), "RawMessageDeltaEvent.Delta"],
        [at(event, "usage"), "MessageDeltaUsage"],
      ]),
    ],
  },
  {
    client: "chat",
    model: "claude-x",
    says: messageReply,
    file: chatFile,
    whole: (body) => [
      [body, "ChatCompletion"],
      [at(body, "choices", 0), "ChatCompletion.Choice"],
      [at(body, "choices", 0, "message"), "ChatCompletionMessage"],
      [at(body, "choices", 0, "message", "tool_calls", 0), "ChatCompletionMessageFunctionToolCall"],
    ],
    streamed: (received) =>
      received.frames
        .slice(0, -1)
        .flatMap(({ data }): Typed[] => [
          [data, "ChatCompletionChunk"],
          ...list(data, "choices").map((choice): Typed => [choice, "ChatCompletionChunk.Choice"]),
        ]),
  },
  {
    client: "responses",
    model: "claude-x",
    says: messageReply,
    file: responsesFile,
    whole: responseTypes,
    streamed: (received) => [
      ...dataOf(received, "response.created").map((event): Typed => [event, "ResponseCreatedEvent"]),
      ...dataOf(received, "response.output_item.added").map((event): Typed => [event, "ResponseOutputItemAddedEvent"]),
      ...dataOf(received, "response.output_text.delta").map((event): Typed => [event, "ResponseTextDeltaEvent"]),
      ...dataOf(received, "response.function_call_arguments.done").map(
        (event): Typed => [event, "ResponseFunctionCallArgumentsDoneEvent"],
      ),
      ...["response.created", "response.completed"].flatMap((type) =>
        dataOf(received, type).flatMap((event) => responseTypes(at(event, "response"))),
      ),
    ],
  },
  {
    client: "completions",
    model: "claude-x",
    says: messageReply,
    file: "openai/resources/completions.d.ts",
    whole: (body) => [
      [body, "Completion"],
      [at(body, "choices", 0), "CompletionChoice"],
      [at(body, "usage"), "CompletionUsage"],
    ],
    streamed: (received) => received.frames.slice(0, -1).map(({ data }): Typed => [data, "Completion"]),
  },
  {
    client: "gemini",
    model: "claude-x",
    says: messageReply,
    file: googleFile,
    whole: googleTypes,
    streamed: (received) => received.frames.flatMap(({ data }) => googleTypes(data)),
  },
];

/** The SDK itself adds these to what it gets. */
const addedBySdk = ["Response.output_text"];

async function ask(call: Call): Promise<Received> {
  const { received } = await make(call, world);
  if (received?.status !== 200) throw new Error(`no reply: ${received?.text}`);
  return received;
}

const lacks = (values: readonly Typed[], file: string): string[] =>
  values.flatMap(([value, type]) => lacking(value, file, type)).filter((name) => !addedBySdk.includes(name));

describe.each(rows)("$client", ({ client, model, says, file, whole, streamed }) => {
  test("a whole reply", async () => {
    upstreams[model === "gpt-x" ? "alpha" : "claude"].on("*", says(false));
    const values = whole((await ask({ to: client, body: { model } })).json);
    expect(values.length).toBeGreaterThan(1);
    expect(lacks(values, file)).toEqual([]);
  });

  test("a stream", async () => {
    upstreams[model === "gpt-x" ? "alpha" : "claude"].on("*", says(true));
    const values = streamed(await ask({ to: client, body: { model, stream: true } }));
    expect(values.length).toBeGreaterThan(1);
    expect(lacks(values, file)).toEqual([]);
  });
});

describe("models", () => {
  const get = async (headers: Record<string, string>, path = "/v1/models?limit=100"): Promise<unknown> =>
    (await fetch(`${world.gateway.url}${path}`, {
      headers: { authorization: `Bearer ${world.gateway.key}`, ...headers },
    }).then((answer) => answer.json())) as unknown;

  test.each([
    ["@anthropic-ai/sdk/resources/models.d.ts", "ModelInfo", { "anthropic-version": "2023-06-01" }],
    ["openai/resources/models.d.ts", "Model", {}],
  ])("%s", async (file, type, headers) => {
    const models = list(await get(headers as Record<string, string>), "data");
    expect(models.length).toBeGreaterThan(2);
    expect(models.flatMap((model) => lacking(model, file, type))).toEqual([]);
  });
});

// Google's declarations require nothing: a member that they do not name would be lost in its SDK.
describe.each([false, true])("a Gemini reply, streamed: %p", (stream) => {
  test.each([
    ["gpt-x", "alpha", chatReply],
    ["claude-x", "claude", messageReply],
  ] as const)("from %s, has only members that the SDK declares", async (model, upstream, says) => {
    upstreams[upstream].on("*", says(stream));
    const received = await ask({ to: "gemini", body: { model, stream } });
    const values = (stream ? received.frames.map(({ data }) => data) : [received.json]).flatMap(googleTypes);
    expect(values.map(([, type]) => type)).toContain("FunctionCall");
    expect(values.flatMap(([value, type]) => undeclared(value, googleFile, type))).toEqual([]);
  });
});

test("the declarations are understood", () => {
  expect(undeclared({ text: "", texts: "" }, googleFile, "Part")).toEqual(["Part.texts"]);
  expect(requiredMembers(messagesFile, "ThinkingBlock").sort()).toEqual(["signature", "thinking", "type"]);
});
