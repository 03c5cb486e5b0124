// What the sandbox answers: always the same, by its own name, with tools, schemas, thinking and vectors.
import { describe, expect, test } from "bun:test";
import { answerSchema, claudeClockTool, clockTool } from "../scenarios/bodies.ts";
import { at, collectChat, collectMessage } from "../support/chat-stream-reader.ts";
import { ledgerRows } from "../support/ledger.ts";
import { prompt, sandbox } from "./setting.ts";

const { world, say, chat, messages } = await sandbox();

describe("answers", () => {
  test("the same request gets the same bytes but for the time, another one another reply", async () => {
    const timeless = (text = "") => text.replaceAll(/"created":\d+/g, "");
    const [first, second, other] = [await chat("hi"), await chat("hi"), await chat("ho")];
    expect(timeless(second?.text)).toBe(timeless(first?.text));
    expect(Math.abs(Number(at(first?.json, "created")) - Date.now() / 1000)).toBeLessThan(60);
    expect(at(other?.json, "id")).not.toBe(at(first?.json, "id"));
    const [streamed, again] = [await chat("hi", { stream: true }), await chat("hi", { stream: true })];
    expect(timeless(again?.text)).toBe(timeless(streamed?.text));
  });

  test("every reply says that it is the sandbox", async () => {
    const received = await chat("hi");
    expect(received.headers.get("x-turnpike-provider")).toBe("sandbox");
    expect(received.json).toMatchObject({ model: "sandbox/chat", id: expect.stringContaining("sandbox") });
    expect(collectChat(received).text).toContain("Sandbox");
    const row = ledgerRows(world.gateway.dataFolder).at(-1);
    expect(row).toMatchObject({ provider: "sandbox", upstreamModel: "chat", model: "sandbox/chat" });
  });

  test("a stream tells the same as the whole, in both dialects", async () => {
    const tools = [clockTool];
    const { usage: _one, ...whole } = collectChat(await chat("get_time", { tools }));
    const { usage: _two, ...stream } = collectChat(await chat("get_time", { tools, stream: true }));
    expect(stream).toEqual(whole);
    const thinking = { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 2000 };
    const wholeMessage = collectMessage(await messages("hi", thinking));
    const streamMessage = collectMessage(await messages("hi", { ...thinking, stream: true }));
    expect(streamMessage).toEqual(wholeMessage);
    expect(wholeMessage).toMatchObject({ thinking: expect.stringMatching(/\w/), signature: expect.any(String) });
  });

  test("a tool is called when it is forced or named, and only then", async () => {
    const tools = [clockTool, { type: "function", function: { name: "get_day" } }];
    const names = async (content: string, more: object) =>
      collectChat(await chat(content, { tools, ...more })).calls.map(({ name }) => name);
    expect(await names("hi", {})).toEqual([]);
    expect(await names("GET_DAY please", {})).toEqual(["get_day"]);
    expect(await names("get_time and get_day", {})).toEqual(["get_time", "get_day"]);
    expect(await names("get_time and get_day", { parallel_tool_calls: false })).toEqual(["get_time"]);
    expect(await names("hi", { tool_choice: "required" })).toEqual(["get_time"]);
    expect(await names("get_time", { tool_choice: "none" })).toEqual([]);
    const forced = { type: "function", function: { name: "get_day" } };
    expect(await names("hi", { tool_choice: forced })).toEqual(["get_day"]);
  });

  test("a tool is called when the prompt is a question or a request for what its name or description says", async () => {
    const tool = (name: string, description?: string) => ({
      type: "function",
      function: { name, description, parameters: { type: "object", properties: { place: { type: "string" } } } },
    });
    const tools = [
      tool("get_weather", "Current conditions at a place"),
      tool("sendEmail", "Delivers a message to somebody's inbox"),
      tool("f1", "Converts an amount from one currency to another"),
    ];
    const names = async (content: string, more: object = {}) =>
      collectChat(await chat(content, { tools, ...more })).calls.map(({ name }) => name);
    expect(await names("What's the weather in Paris?")).toEqual(["get_weather"]);
    expect(await names("tell me the weather in Paris, please")).toEqual(["get_weather"]);
    expect(await names("Send an email to Ann")).toEqual(["sendEmail"]);
    expect(await names("Convert this amount into another currency")).toEqual(["f1"]);
    expect(await names("I like this weather.")).toEqual([]);
    expect(await names("What is the capital of France?")).toEqual([]);
    expect(await names("How are you?")).toEqual([]);
    expect(await names("What's the weather in Paris?", { tool_choice: "none" })).toEqual([]);
  });

  test("a tool of free text is called with text, whole and streamed", async () => {
    const tools = [clockTool, { type: "custom", custom: { name: "apply_patch" } }];
    const forced = { tools, tool_choice: { type: "custom", custom: { name: "apply_patch" } } };
    const { json } = await chat("hi", forced);
    const call = { type: "custom", custom: { name: "apply_patch", input: expect.stringMatching(/\w/) } };
    expect(at(json, "choices", 0, "message", "tool_calls")).toMatchObject([call]);
    expect(at(json, "choices", 0, "finish_reason")).toBe("tool_calls");
    expect((await chat("hi", { ...forced, stream: true })).text).toContain('"apply_patch"');
  });

  test("results of tools are told, and no tool is called again", async () => {
    const calls = [{ id: "call_a", type: "function", function: { name: "get_time", arguments: "{}" } }];
    const turns = [
      ...prompt("get_time"),
      { role: "assistant", content: null, tool_calls: calls },
      { role: "tool", tool_call_id: "call_a", content: "noon" },
    ];
    const result = collectChat(await chat("", { messages: turns, tools: [clockTool] }));
    expect(result).toMatchObject({ calls: [], text: "Sandbox reply: Tool results: noon", stop: "stop" });
  });

  test("a schema is filled with values that fit", async () => {
    const schema = {
      type: "object",
      properties: {
        ...answerSchema.properties,
        kind: { enum: ["a", "b"] },
        when: { type: "string", format: "date-time" },
        list: { type: "array", items: { type: "number", minimum: 5 }, minItems: 2 },
        deep: { $ref: "#/$defs/deep" },
        maybe: { type: ["boolean", "null"] },
      },
      $defs: { deep: { type: "object", properties: { fixed: { const: 7 } } } },
    };
    const format = { type: "json_schema", json_schema: { name: "at", schema } };
    expect(JSON.parse(collectChat(await chat("hi", { response_format: format })).text)).toEqual({
      hour: 1,
      kind: "a",
      when: "2025-01-01T00:00:00Z",
      list: [5, 5],
      deep: { fixed: 7 },
      maybe: true,
    });
  });

  test("a schema that refers to itself comes to an end", async () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const schema = { $ref: "#/$defs/node", $defs: { node } };
    const format = { type: "json_schema", json_schema: { name: "at", schema } };
    expect(JSON.parse(collectChat(await chat("hi", { response_format: format })).text)).toHaveProperty(
      "next.next.next",
    );
  });

  test("a schema that refers to itself as a whole is filled too", async () => {
    const schema = { type: "object", properties: { next: { $ref: "#" } } };
    const format = { type: "json_schema", json_schema: { name: "at", schema } };
    expect(JSON.parse(collectChat(await chat("hi", { response_format: format })).text)).toHaveProperty(
      "next.next.next",
    );
  });

  test("a stop text and the bound on tokens cut the reply", async () => {
    expect(collectChat(await chat("one two three", { stop: " two" }))).toMatchObject({
      text: 'Sandbox reply: you said "one',
      stop: "stop",
    });
    expect(collectChat(await chat("one two three", { max_tokens: 2 }))).toMatchObject({
      text: "Sandbox ",
      stop: "length",
    });
    const stopped = collectMessage(await messages("one two", { stop_sequences: [" two"] }));
    expect(stopped.stop).toBe("stop_sequence");
  });

  test("several choices differ", async () => {
    const received = await chat("hi", { n: 3 });
    const texts = (at(received.json, "choices") as object[]).map((choice) => at(choice, "message", "content"));
    expect(new Set(texts).size).toBe(3);
  });

  test("a messages client with a tool gets its own words", async () => {
    const result = collectMessage(await messages("hi", { tools: [claudeClockTool], tool_choice: { type: "any" } }));
    expect(result).toMatchObject({ stop: "tool_use", calls: [{ name: "get_time", input: { zone: "sandbox" } }] });
  });
});

describe("vectors", () => {
  async function vectors(input: string[], more: object = {}): Promise<number[][]> {
    const received = await say({ to: "embeddings", body: { model: "sandbox/embed", input, ...more } });
    return (at(received.json, "data") as { embedding: number[] }[]).map(({ embedding }) => embedding);
  }
  const cosine = (left: number[], right: number[]) =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);

  test("they are unit vectors, the same for the same text, closer for shared words", async () => {
    const texts = [
      "the red house on the hill",
      "a red house on a hill",
      "seventeen purple submarines",
      "The RED house on the hill!",
    ];
    const [red, near, far, same] = (await vectors(texts)) as [number[], number[], number[], number[]];
    for (const vector of [red, near, far]) expect(cosine(vector, vector)).toBeCloseTo(1, 9);
    expect(cosine(red, same)).toBeCloseTo(1, 9);
    expect(cosine(red, near)).toBeGreaterThan(cosine(red, far) + 0.3);
  });

  test("dimensions are kept, 256 by default; token ids work", async () => {
    expect((await vectors(["hi"]))[0]).toHaveLength(256);
    expect((await vectors(["hi"], { dimensions: 3 }))[0]).toHaveLength(3);
    expect(await vectors([], { input: [[1, 2], [3]] })).toHaveLength(2);
  });
});
