// What compatible servers answer, through a real socket: read by the dialect, repaired where that is not enough.
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { openaiChat, openaiCompletions } from "../../src/dialects/index.ts";
import type { HttpResponse } from "../../src/providers/transport/response.ts";
import { says, wireJson } from "../support/fixtures.ts";
import { upstream } from "../support/upstream.ts";
import { ask, framesIn, providerAt, read } from "./helpers.ts";

const up = await upstream();
afterAll(() => up.stop());
afterEach(() => up.clear());

async function streamed(name: string, file: string) {
  up.on("*", says(`providers/${name}/${file}.sse`));
  const provider = providerAt(name, up.url);
  return read(await framesIn(await ask(provider, true)), provider.kind.origin);
}

async function whole(name: string, file: string) {
  up.on("*", says(`providers/${name}/${file}.json`));
  const provider = providerAt(name, up.url);
  return openaiChat.response.parse(await (await ask(provider, false)).json(), { origin: provider.kind.origin });
}

describe("streams", () => {
  test("openrouter: comments are skipped, thinking keeps the state of its maker", async () => {
    const { answer } = await streamed("openrouter", "reasoning");
    const [thinking, text] = answer?.choices[0]?.blocks ?? [];
    expect(thinking).toMatchObject({
      type: "thinking",
      text: "The user says hi.",
      signature: { origin: "openrouter" },
    });
    expect(thinking?.type === "thinking" && thinking.signature?.data).toContain("EqQBCkYIBxgC");
    expect(text).toEqual({ type: "text", text: "Hello!" });
    expect(answer?.usage).toMatchObject({ inputTokens: 38, outputTokens: 12, reasoningTokens: 9 });
  });

  test("openrouter: an error within is an error, though its status was 200", async () => {
    const { deltas } = await streamed("openrouter", "error-midstream");
    expect(deltas.at(-1)).toMatchObject({ type: "error", error: { kind: "upstream_failed" } });
  });

  test("groq: usage in a member of its own", async () => {
    const { answer } = await streamed("groq", "usage");
    expect(answer?.usage).toMatchObject({ inputTokens: 12, outputTokens: 5 });
    expect(answer?.choices[0]?.blocks.map(({ type }) => type)).toEqual(["thinking", "text"]);
  });

  test("moonshot: usage inside the choice", async () => {
    expect((await streamed("moonshot", "usage")).answer?.usage).toMatchObject({ inputTokens: 19, outputTokens: 13 });
  });

  test("mistral: content parts are a string and thinking apart, for clients of the same format, too", async () => {
    up.on("*", says("providers/mistral/thinking.sse"));
    const frames = await framesIn(await ask(providerAt("mistral", up.url), true));
    const { answer } = read(frames, "mistral");
    expect(answer?.choices[0]?.blocks).toEqual([
      { type: "thinking", text: "The user says hi." },
      { type: "text", text: "Hello!" },
    ]);
    expect(frames.filter(({ data }) => data.includes('"thinking"'))).toEqual([]);
    expect(frames).toHaveLength(6);
  });

  test("ollama: calls that come whole, one in each chunk", async () => {
    const { answer } = await streamed("ollama", "tools");
    expect(answer?.choices[0]).toMatchObject({
      blocks: [
        { type: "tool-call", id: "call_qhv8xk0o", name: "get_time", input: '{"zone":"UTC"}' },
        { type: "tool-call", id: "call_4bk2m1zz", name: "get_day", input: "{}" },
      ],
      finishReason: { kind: "tool-use" },
    });
  });
});

describe("whole replies", () => {
  test("deepseek: thinking, a call, cached input", async () => {
    const canonicalResponse = await whole("deepseek", "reasoning");
    expect(canonicalResponse.choices[0]?.blocks).toMatchObject([
      { type: "thinking", text: "Look it up." },
      { type: "tool-call" },
    ]);
    expect(canonicalResponse.usage).toMatchObject({
      inputTokens: 36,
      cacheReadTokens: 64,
      outputTokens: 28,
      reasoningTokens: 12,
    });
  });

  test("mistral: content parts", async () => {
    const canonicalResponse = await whole("mistral", "thinking");
    expect(canonicalResponse.choices[0]?.blocks.map(({ type }) => type)).toEqual(["thinking", "text"]);
    up.on("*", says("providers/mistral/thinking.json"));
    const response = await ask(providerAt("mistral", up.url), false);
    expect(response.headers.get("content-length")).toBeNull();
    const body = await response.json();
    expect(body).toMatchObject({
      choices: [{ message: { content: "Hello!", reasoning_content: "The user says hi." } }],
    });
  });

  test("xai: thinking is counted beside the completion", async () => {
    expect((await whole("xai", "usage")).usage).toMatchObject({
      outputTokens: 1,
      reasoningTokens: 151,
      inputTokens: 36,
    });
  });

  test("zhipu: a stop of its own", async () => {
    expect((await whole("zhipu", "sensitive")).choices[0]?.finishReason.kind).toBe("filter");
  });

  test("vllm: thinking under two names, the stop that matched", async () => {
    const [choice] = (await whole("vllm", "reasoning")).choices;
    expect(choice?.blocks).toEqual([
      { type: "thinking", text: "Short." },
      { type: "text", text: "Hi" },
    ]);
    expect(choice?.finishReason).toEqual({ kind: "stop-sequence", sequence: "</s>" });
  });

  test("fireworks: a text completion", () => {
    const wire = wireJson("providers/fireworks/completion.json");
    const canonicalResponse = openaiCompletions.response.parse(wire, { origin: "fireworks" });
    expect(canonicalResponse.choices).toEqual([
      { index: 0, blocks: [{ type: "text", text: " world" }], finishReason: { kind: "length" } },
    ]);
  });
});

describe("the repair", () => {
  const bytesOf = async (response: HttpResponse) => Buffer.from(await response.bytes()).toString();

  test("bytes without the sign go by as they are, comments and line ends too", async () => {
    const wire = ': PROCESSING\r\n\r\ndata: {"choices":[],  "odd": 1}\r\n\r\ndata: [DONE]\n\n';
    up.on("*", { text: wire, headers: { "content-type": "text/event-stream" } });
    expect(await bytesOf(await ask(providerAt("groq", up.url), true))).toBe(wire);
    up.on("*", { text: '{ "choices": [ ] }', headers: { "content-type": "application/json" } });
    expect(await bytesOf(await ask(providerAt("groq", up.url), false))).toBe('{ "choices": [ ] }');
  });

  test("the cut of the bytes does not matter", async () => {
    const expected = (await streamed("mistral", "thinking")).answer;
    up.on("*", says("providers/mistral/thinking.sse", { cutAt: "byte" }));
    const provider = providerAt("mistral", up.url);
    expect(read(await framesIn(await ask(provider, true)), "mistral").answer).toEqual(expected);
  });

  test("what holds the sign but is no JSON goes by", async () => {
    const wire = 'data: "x_groq" is not an object\n\n';
    up.on("*", { text: wire, headers: { "content-type": "text/event-stream" } });
    expect(await bytesOf(await ask(providerAt("groq", up.url), true))).toBe(wire);
  });

  test("a refusal keeps its status and words", async () => {
    up.on("*", {
      status: 429,
      text: '{"error":{"message":"x_groq"}}',
      headers: { "content-type": "application/json" },
    });
    const response = await ask(providerAt("groq", up.url), false);
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({ error: { message: "x_groq" } });
  });

  test("a caller that goes away ends the request upstream", async () => {
    up.on("*", { frames: ['data: {"choices":[]}\n\n'], ending: "hang" });
    const caller = new AbortController();
    const response = await ask(providerAt("groq", up.url), true, caller.signal);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    caller.abort();
    expect(await (await up.seen(0)).aborted).toBeGreaterThan(0);
    expect(await reader?.read().catch(() => "broken")).toBe("broken");
  });
});
