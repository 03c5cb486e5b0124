// Structured output of models that know no schemas: a tool takes the answer, and nobody sees that it was one.
import { describe, expect, test } from "bun:test";
import type { ChatRequest, FunctionTool, ToolChoice } from "../../../src/canonical/chat.ts";
import { collectEvents, type StreamEvent } from "../../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import type { Frame } from "../../../src/lib/sse.ts";
import { streamed } from "../../regressions/support.ts";
import { framesOf } from "../../support/laws.ts";
import { askOf, dialect, rendered } from "./bench.ts";

const old = { model: "claude-3-5-haiku-20241022" };
const schema = { type: "object", properties: { hour: { type: "integer" } }, required: ["hour"] };
const format = { type: "schema", schema } as const;
const tool = (name: string): FunctionTool => ({ kind: "function", name, parameters: { type: "object" } });

interface RenderedTools {
  tools: { name: string; description: string; input_schema: JsonObject }[];
  tool_choice?: JsonObject;
  system?: Json;
}

/** What is asked of an older model, and the warnings. */
function toolsOf(more: Partial<ChatRequest>, context = old): RenderedTools & { warnings: string[] } {
  const { call, warnings } = rendered({ format, ...more }, context);
  expect(call.body).not.toHaveProperty("output_config");
  return { ...(call.body as unknown as RenderedTools), warnings };
}

describe("the request", () => {
  test("a tool takes the answer and must be called", () => {
    const { tools, tool_choice, system, warnings } = toolsOf({ format: { ...format, description: "The time." } });
    expect(tools).toMatchObject([{ name: "json_answer", input_schema: schema }]);
    expect(tools[0]?.description).toContain("The answer: The time.");
    expect(tool_choice).toEqual({ type: "tool", name: "json_answer" });
    expect(system).toBeUndefined();
    expect(warnings).toEqual(["emulated client.format"]);
  });

  test("models that know schemas are asked with one", () => {
    const { body } = rendered({ format }, { model: "claude-haiku-4-5" }).call;
    expect(body).not.toHaveProperty("tools");
    expect(body).toHaveProperty("output_config");
  });

  const choices: [string, ToolChoice | undefined, JsonObject | undefined, string[]][] = [
    ["nothing said", undefined, { type: "any" }, ["f", "g", "json_answer"]],
    ["auto", { type: "auto" }, { type: "any" }, ["f", "g", "json_answer"]],
    ["none", { type: "none" }, { type: "tool", name: "json_answer" }, ["f", "g", "json_answer"]],
    ["some", { type: "allowed", names: ["f"], required: false }, { type: "any" }, ["f", "json_answer"]],
    ["a call", { type: "required" }, { type: "any" }, ["f", "g"]],
    ["one call", { type: "tool", name: "f" }, { type: "tool", name: "f" }, ["f", "g"]],
  ];
  test.each(choices)("beside tools of the client, of which it chose: %s", (_, toolChoice, choice, names) => {
    const more = { tools: [tool("f"), tool("g")], ...(toolChoice === undefined ? {} : { toolChoice }) };
    const { tools, tool_choice, warnings } = toolsOf(more);
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(tool_choice).toEqual(choice as JsonObject);
    expect(warnings).toEqual(names.includes("json_answer") ? ["emulated client.format"] : []);
  });

  test("a model that thinks cannot be forced: it is told", () => {
    const { tool_choice, system, warnings } = toolsOf(
      { reasoning: { effort: "high" }, maxOutputTokens: 8000, system: [{ type: "text", text: "Be brief." }] },
      { model: "claude-sonnet-4-20250514" },
    );
    expect(tool_choice).toEqual({ type: "auto" });
    expect(JSON.stringify(system)).toMatch(/Be brief\..*calling the tool json_answer/);
    expect(warnings).toEqual(["emulated client.format"]);
  });

  test("a name that the client uses is not taken", () => {
    const { tools } = toolsOf({ tools: [tool("json_answer"), tool("json answer_")] });
    expect(tools.map(({ name }) => name)).toEqual(["json_answer", "json_answer_", "json_answer__"]);
  });

  test("what is not an object goes under a name, its definitions stay where references find them", () => {
    const list = { type: "array", items: { $ref: "#/$defs/one" }, $defs: { one: { type: "string" } } };
    expect(toolsOf({ format: { type: "schema", schema: list } }).tools[0]?.input_schema).toEqual({
      type: "object",
      properties: { value: { type: "array", items: { $ref: "#/$defs/one" } } },
      required: ["value"],
      additionalProperties: false,
      $defs: { one: { type: "string" } },
    });
  });
});

type Block = { type: string; [name: string]: unknown };
const answer = (input: unknown): Block => ({ type: "tool_use", id: "t", name: "json_answer", input });
const words = (text: string): Block => ({ type: "text", text });
const thought: Block = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
const call: Block = { type: "tool_use", id: "u", name: "f", input: {} };

const framesFor = (content: readonly Block[], stop: string, model: string): Frame[] =>
  framesOf([
    Buffer.from((streamed(content, stop).frames ?? []).join("").replace('"model":"claude-x"', `"model":"${model}"`)),
  ]);

function read(frames: readonly Frame[], request: ChatRequest): StreamEvent[] {
  const reader = dialect.stream?.reader({ origin: "o", request, upstream: old });
  const events = [...frames.flatMap((frame) => reader?.read(frame) ?? []), ...(reader?.end() ?? [])];
  expect(firstStreamViolation(events)).toBeNull();
  return events;
}

const list = { type: "schema", schema: { type: "array" } } as const;
const replyOf = (...blocks: [type: string, text?: string][]) =>
  blocks.map(([type, text]) => (type === "tool-call" ? { type, name: "f" } : { type, text }));

const rows: [string, Partial<ChatRequest>, Block[], string, object[], string][] = [
  ["the answer alone", {}, [answer({ hour: 12 })], "tool_use", replyOf(["text", '{"hour":12}']), "end"],
  [
    "behind a thought",
    {},
    [thought, answer({ hour: 12 })],
    "tool_use",
    replyOf(["thinking", "Hm."], ["text", '{"hour":12}']),
    "end",
  ],
  ["behind idle words", {}, [words("Here:"), answer({ hour: 1 })], "tool_use", replyOf(["text", '{"hour":1}']), "end"],
  [
    "a second answer",
    {},
    [answer({ hour: 1 }), answer({ hour: 2 })],
    "tool_use",
    replyOf(["text", '{"hour":1}']),
    "end",
  ],
  [
    "what is not an object",
    { format: list },
    [answer({ value: [1, 2] })],
    "tool_use",
    replyOf(["text", "[1,2]"]),
    "end",
  ],
  ["without its name", { format: list }, [answer({ other: 1 })], "tool_use", replyOf(["text", '{"other":1}']), "end"],
  ["words and no answer", {}, [words("I cannot.")], "end_turn", replyOf(["text", "I cannot."]), "end"],
  [
    "words before a call",
    { tools: [tool("f")] },
    [words("Wait."), call],
    "tool_use",
    replyOf(["text", "Wait."], ["tool-call"]),
    "tool-use",
  ],
  ["an answer cut short", {}, [answer({ hour: 12 })], "max_tokens", replyOf(["text", '{"hour":12}']), "length"],
  [
    "a call beside the answer",
    { tools: [tool("f")] },
    [call, answer({ hour: 3 })],
    "tool_use",
    replyOf(["tool-call"], ["text", '{"hour":3}']),
    "tool-use",
  ],
];

describe("the reply", () => {
  test.each(rows)("%s, whole", (_, more, content, stop_reason, blocks, stop) => {
    const wire = { id: "m", type: "message", model: old.model, content, stop_reason } as unknown as Json;
    const reply = dialect.response.parse(wire, { origin: "o", request: askOf({ format, ...more }) });
    expect(reply.choices).toMatchObject([{ blocks, finishReason: { kind: stop } }]);
    expect(reply.choices[0]?.blocks).toHaveLength(blocks.length);
  });

  test.each(rows)("%s, streamed", (_, more, content, stopReason, blocks, stop) => {
    const reply = collectEvents(read(framesFor(content, stopReason, old.model), askOf({ format, ...more })));
    expect(reply?.choices).toMatchObject([{ blocks, finishReason: { kind: stop } }]);
    expect(reply?.choices[0]?.blocks).toHaveLength(blocks.length);
  });

  test("comes piece by piece, as the input does", () => {
    const event = (type: string, more: object): Frame => ({ event: type, data: JSON.stringify({ type, ...more }) });
    const piece = (partial_json: string) =>
      event("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json } });
    const reader = dialect.stream?.reader({ origin: "o", request: askOf({ format }), upstream: old });
    reader?.read(event("message_start", { message: { id: "m", model: old.model } }));
    reader?.read(event("content_block_start", { index: 0, content_block: { ...answer({}) } }));
    expect(reader?.read(piece('{"ho'))).toEqual([{ type: "text", choice: 0, block: 0, text: '{"ho' }]);
    expect(reader?.read(piece('ur":1}'))).toEqual([{ type: "text", choice: 0, block: 0, text: 'ur":1}' }]);
  });

  test("text of a model that knows schemas does not wait", () => {
    const [, , ...rest] = framesFor([words('{"hour":1}')], "end_turn", "claude-haiku-4-5");
    const reader = dialect.stream?.reader({
      origin: "o",
      request: askOf({ format }),
      upstream: { model: "claude-haiku-4-5" },
    });
    for (const frame of framesFor([words("")], "end_turn", "claude-haiku-4-5").slice(0, 2)) reader?.read(frame);
    expect(reader?.read(rest[0] as Frame)).toMatchObject([{ type: "text", text: '{"hour":1}' }]);
  });

  test("a tool of that name is the client's where no schema was asked for", () => {
    const wire = { content: [answer({ hour: 1 })], stop_reason: "tool_use" } as unknown as Json;
    const reply = dialect.response.parse(wire, { origin: "o", request: askOf({ tools: [tool("json_answer")] }) });
    expect(reply.choices).toMatchObject([{ blocks: [{ type: "tool-call" }], finishReason: { kind: "tool-use" } }]);
  });

  test("an error within is an error, with nothing behind it", () => {
    const frames = framesFor([words("Wait.")], "end_turn", old.model).slice(0, 3);
    const error = { event: "error", data: '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}' };
    expect(read([...frames, error], askOf({ format })).map(({ type }) => type)).toEqual(["start", "error"]);
  });
});
