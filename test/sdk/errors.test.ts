// Errors as the official SDKs see them: typed classes before the stream, a throw and never a clean end within it.
import { beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { anthropicClient, openaiClient } from "../support/clients.ts";
import { says, saysOnly, wireFrames } from "../support/fixtures.ts";
import type { Script } from "../support/upstream.ts";
import { type Far, fars, setting, thrownBy } from "./setting.ts";

const { world, openai, anthropic, upstreamOf } = await setting();
const hello = [{ role: "user" as const, content: "hi" }];
const { url } = world.gateway;
const [chat, claude] = fars as [Far, Far];

const askOpenai = (model: string, stream: boolean, client = openai) =>
  stream
    ? client.chat.completions.stream({ model, messages: hello }).finalChatCompletion()
    : client.chat.completions.create({ model, messages: hello });
const askAnthropic = (model: string, stream: boolean, client = anthropic) =>
  stream
    ? client.messages.stream({ model, max_tokens: 10, messages: hello }).finalMessage()
    : client.messages.create({ model, max_tokens: 10, messages: hello });

type ErrorClass = new (...parts: never[]) => Error;

interface Row {
  name: string;
  far: Far;
  script: Script;
  model?: string;
  openai: { is: ErrorClass; says: object };
  anthropic: { is: ErrorClass; says: object };
}

const reset: Script = (line) => line.reset();

/** What the upstream does, and what each SDK throws, streaming or not. */
const rows: Row[] = [
  {
    name: "a bad request of a chat upstream",
    far: chat,
    script: says("openai-chat/error-400.json"),
    openai: {
      is: OpenAI.BadRequestError,
      says: { status: 400, param: "temperature", code: "unsupported_value", type: "invalid_request_error" },
    },
    anthropic: { is: Anthropic.BadRequestError, says: { status: 400, type: "invalid_request_error" } },
  },
  {
    name: "a bad request of an anthropic upstream",
    far: claude,
    script: says("anthropic-messages/error-400.json"),
    openai: { is: OpenAI.BadRequestError, says: { status: 400, type: "invalid_request_error" } },
    anthropic: {
      is: Anthropic.BadRequestError,
      says: { status: 400, type: "invalid_request_error", apiMessage: expect.stringContaining("maximum allowed") },
    },
  },
  ...fars.map((far) => ({
    name: `a rate limit of ${far.speaks}`,
    far,
    script: says(`${far.speaks}/error-429.json`, { headers: { "retry-after": "3" } }),
    openai: {
      is: OpenAI.RateLimitError,
      says: { status: 429, code: "upstream_rate_limited", type: "rate_limit_error", param: null },
    },
    anthropic: { is: Anthropic.RateLimitError, says: { status: 429, type: "rate_limit_error" } },
  })),
  ...fars.map((far) => ({
    name: `a refused credential of ${far.speaks}`,
    far,
    script: says(`${far.speaks}/error-401.json`),
    openai: { is: OpenAI.InternalServerError, says: { status: 502, code: "upstream_credentials" } },
    anthropic: { is: Anthropic.InternalServerError, says: { status: 502, type: "api_error" } },
  })),
  ...fars.map((far) => ({
    name: `a failure of ${far.speaks}`,
    far,
    script: says(`${far.speaks}/error-500.json`),
    openai: { is: OpenAI.InternalServerError, says: { status: 502, type: "upstream_error" } },
    anthropic: { is: Anthropic.InternalServerError, says: { status: 502, type: "api_error" } },
  })),
  {
    name: "an overload",
    far: claude,
    script: says("anthropic-messages/error-529.json"),
    openai: { is: OpenAI.InternalServerError, says: { status: 503, code: "overloaded" } },
    anthropic: { is: Anthropic.OverloadedError, says: { status: 529, type: "overloaded_error" } },
  },
  {
    name: "a prompt that is too long",
    far: chat,
    script: says("openai-chat/error-context.json", { status: 400 }),
    openai: { is: OpenAI.BadRequestError, says: { code: "context_length_exceeded", param: "messages" } },
    anthropic: {
      is: Anthropic.BadRequestError,
      says: { apiMessage: expect.stringContaining("prompt is too long") },
    },
  },
  {
    name: "a reset before the answer",
    far: chat,
    script: reset,
    openai: { is: OpenAI.InternalServerError, says: { status: 502, code: "upstream_unreachable" } },
    anthropic: { is: Anthropic.InternalServerError, says: { status: 502 } },
  },
  {
    name: "an error that is the first event of a stream",
    far: chat,
    script: says("openai-chat/error-first.sse"),
    openai: { is: OpenAI.InternalServerError, says: { type: expect.stringMatching(/_error$/) } },
    anthropic: { is: Anthropic.InternalServerError, says: {} },
  },
  {
    name: "an unknown model",
    far: chat,
    model: "nobody",
    script: reset,
    openai: { is: OpenAI.NotFoundError, says: { status: 404, code: "model_not_found", param: "model" } },
    anthropic: { is: Anthropic.NotFoundError, says: { status: 404, type: "not_found_error" } },
  },
];

describe.each(rows)("$name", (row) => {
  for (const stream of [false, true]) {
    const model = row.model ?? row.far.model;
    test(`openai SDK, stream ${stream}`, async () => {
      upstreamOf(row.far).on("*", row.script);
      const thrown = await thrownBy(askOpenai(model, stream));
      expect(thrown).toBeInstanceOf(row.openai.is);
      expect(thrown).toBeInstanceOf(OpenAI.APIError);
      expect(thrown).toMatchObject({ requestID: expect.stringMatching(/^req_/), ...row.openai.says });
    });
    test(`Anthropic SDK, stream ${stream}`, async () => {
      upstreamOf(row.far).on("*", row.script);
      const thrown = await thrownBy(askAnthropic(model, stream));
      expect(thrown).toBeInstanceOf(row.anthropic.is);
      expect(thrown).toBeInstanceOf(Anthropic.APIError);
      expect(thrown).toMatchObject({ requestID: expect.stringMatching(/^req_/), ...row.anthropic.says });
    });
  }
});

describe("a wrong key", () => {
  let wrongOpenai: OpenAI;
  let wrongAnthropic: Anthropic;
  beforeAll(() => {
    wrongOpenai = openaiClient(url, "tp-wrong");
    wrongAnthropic = anthropicClient(url, "tp-wrong");
  });

  test("openai SDK", async () => {
    const thrown = await thrownBy(askOpenai("gpt-x", false, wrongOpenai));
    expect(thrown).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(thrown).toMatchObject({ status: 401, code: "invalid_api_key", param: null, type: "authentication_error" });
  });

  test("Anthropic SDK", async () => {
    const thrown = await thrownBy(askAnthropic("claude-x", false, wrongAnthropic));
    expect(thrown).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(thrown).toMatchObject({ status: 401, type: "authentication_error" });
  });

  test("the Anthropic SDK may also give its key as a bearer token", async () => {
    upstreamOf(claude).on("*", says("anthropic-messages/text.json"));
    const bearer = new Anthropic({ baseURL: url, apiKey: null, authToken: world.gateway.key, maxRetries: 0 });
    expect((await askAnthropic("claude-x", false, bearer)).content[0]).toMatchObject({ type: "text" });
  });
});

test("a value out of range names its field, in both SDKs", async () => {
  const ofOpenai = await thrownBy(openai.chat.completions.create({ model: "gpt-x", messages: hello, temperature: 3 }));
  expect(ofOpenai).toBeInstanceOf(OpenAI.BadRequestError);
  expect(ofOpenai).toMatchObject({ param: "temperature", code: "invalid_value" });
  const ofAnthropic = await thrownBy(anthropic.messages.create({ model: "claude-x", max_tokens: 0, messages: hello }));
  expect(ofAnthropic).toBeInstanceOf(Anthropic.BadRequestError);
  expect(ofAnthropic).toMatchObject({ error: { error: { param: "max_tokens", code: "invalid_value" } } });
});

test("a base URL with /v1 twice, or without it, is told by name", async () => {
  const twice = new OpenAI({ baseURL: `${url}/v1/v1`, apiKey: world.gateway.key, maxRetries: 0 });
  expect(await thrownBy(askOpenai("gpt-x", false, twice))).toMatchObject({
    status: 404,
    message: expect.stringContaining("/v1 twice"),
  });
  const without = new OpenAI({ baseURL: url, apiKey: world.gateway.key, maxRetries: 0 });
  expect(await thrownBy(askOpenai("gpt-x", false, without))).toMatchObject({
    status: 404,
    message: expect.stringContaining("/v1 is missing"),
  });
  const doubled = anthropicClient(`${url}/v1`, world.gateway.key);
  const thrown = await thrownBy(askAnthropic("claude-x", false, doubled));
  expect(thrown).toBeInstanceOf(Anthropic.NotFoundError);
  expect(thrown).toMatchObject({ type: "not_found_error", apiMessage: expect.stringContaining("/v1 twice") });
});

describe.each(fars)("a stream of $speaks that breaks in the middle throws and never ends cleanly", (far) => {
  /** How many frames come before the fault; the last of them waits until the client has the others. */
  const count = far.speaks === "openai-chat" ? 3 : 5;
  const first = (received: Promise<void>, ending: "end" | "reset" | "cut"): Script =>
    saysOnly(count, `${far.speaks}/text.sse`, { ending, gate: received, gateAfter: count - 1 });
  const broken: [string, (reply: Promise<void>) => Script][] = [
    [
      "an error event",
      (received) => ({
        frames: wireFrames(`${far.speaks}/error-midstream.sse`),
        gate: received,
        gateAfter: far.speaks === "openai-chat" ? 2 : 3,
      }),
    ],
    ["a reset", (received) => first(received, "reset")],
    ["an end without its terminator", (received) => first(received, "end")],
    ["a cut", (received) => first(received, "cut")],
  ];

  test.each(broken)("%s, openai SDK", async (_name, script) => {
    const received = Promise.withResolvers<void>();
    upstreamOf(far).on("*", script(received.promise));
    const stream = openai.chat.completions.stream({ model: far.model, messages: hello });
    let text = "";
    stream.on("content", (piece) => {
      text += piece;
      if (text !== "") received.resolve();
    });
    const thrown = await thrownBy(stream.finalChatCompletion());
    expect(thrown).toBeInstanceOf(OpenAI.APIError);
    expect(thrown).toMatchObject({ code: expect.stringMatching(/\w/), type: expect.stringMatching(/_error$/) });
    expect(text).toStartWith("Hello");
  });

  test.each(broken)("%s, Anthropic SDK", async (_name, script) => {
    const received = Promise.withResolvers<void>();
    upstreamOf(far).on("*", script(received.promise));
    const stream = anthropic.messages.stream({ model: far.model, max_tokens: 10, messages: hello });
    let text = "";
    stream.on("text", (piece) => {
      text += piece;
      received.resolve();
    });
    const thrown = await thrownBy(stream.finalMessage());
    expect(thrown).toBeInstanceOf(Anthropic.APIError);
    expect(thrown).toMatchObject({ type: expect.stringMatching(/_error$/) });
    expect(text).toStartWith("Hello");
  });
});
