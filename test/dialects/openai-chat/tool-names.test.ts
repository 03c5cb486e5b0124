// Tools as chat servers take them: names in their alphabet, a function for free text, and both put back in the reply.
import { describe, expect, test } from "bun:test";
import type { ChatRequest, Tool } from "../../../src/canonical/chat.ts";
import { collectEvents } from "../../../src/canonical/stream-event.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { plainAsk } from "../../support/sample-requests.ts";
import { call, chunk, end, messagesOf, render, result } from "./helpers.ts";

const fn = (name: string): Tool => ({ kind: "function", name });
const longest = "n".repeat(64);
const tooLong = "n".repeat(65);

const namesIn = (body: JsonObject) =>
  (body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);

describe("names of tools", () => {
  test.each([
    ["in the alphabet", ["get_time-2", longest], ["get_time-2", longest]],
    ["outside of it", ["ns.get:time"], ["ns_get_time"]],
    ["too long", [tooLong], [longest]],
    ["made alike", ["a_b", "a.b"], ["a_b", expect.stringMatching(/^a_b_[0-9a-f]{8}$/)]],
  ])("%s", (_case, given, sent) => {
    const ask = { tools: given.map(fn), toolChoice: { type: "tool", name: given.at(-1) ?? "" } as const };
    const { body } = render(ask).call;
    expect(namesIn(body)).toEqual(sent as string[]);
    expect(body.tool_choice).toEqual({ type: "function", function: { name: namesIn(body).at(-1) ?? "" } });
  });

  test("the same in the history", () => {
    const turns = [
      { role: "assistant", blocks: [call("a", { name: "ns.f" })] },
      { role: "tool", blocks: [result("a", [])] },
      end,
    ] as ChatRequest["messages"];
    const { messages } = messagesOf(turns);
    expect(messages).toMatchObject([{ tool_calls: [{ function: { name: "ns_f" } }] }, {}, {}]);
  });
});

const patch: Tool = {
  kind: "custom",
  name: "ns.patch",
  description: "Edits.",
  format: { type: "grammar", syntax: "lark", definition: "start: x" },
  path: "tools[0]",
};
const choice = { type: "tool", name: "ns.patch" } as const;

describe("a tool of free text", () => {
  test("is a function for most servers, and that is told", () => {
    const { call: made, warnings } = render({ tools: [patch], toolChoice: choice });
    expect(made.body.tools).toMatchObject([
      {
        type: "function",
        function: {
          name: "ns_patch",
          description: expect.stringContaining("start: x"),
          parameters: { required: ["input"] },
        },
      },
    ]);
    expect(made.body.tool_choice).toEqual({ type: "function", function: { name: "ns_patch" } });
    expect(warnings).toEqual([{ code: "emulated", path: "tools[0]" }]);
  });

  test("is itself where the server takes such, the grammar nested", () => {
    const { call: made, warnings } = render({ tools: [patch], toolChoice: choice }, { options: { customTools: true } });
    const grammar = { definition: "start: x", syntax: "lark" };
    expect(made.body.tools).toEqual([
      { type: "custom", custom: { name: "ns_patch", description: "Edits.", format: { type: "grammar", grammar } } },
    ]);
    expect(made.body.tool_choice).toEqual({ type: "custom", custom: { name: "ns_patch" } });
    expect(warnings).toEqual([]);
  });

  test.each([
    [{}, { type: "function", function: { name: "ns_patch", arguments: '{"input":"raw \\"text\\""}' } }],
    [{ options: { customTools: true } }, { type: "custom", custom: { name: "ns_patch", input: 'raw "text"' } }],
  ])("in the history, by %j", (more, wire) => {
    const blocks = [call("a", { kind: "custom", name: "ns.patch", input: 'raw "text"' })];
    const messages = [
      { role: "assistant", blocks },
      { role: "tool", blocks: [result("a", [])] },
      end,
    ] as ChatRequest["messages"];
    expect(messagesOf(messages, more).messages).toMatchObject([{ tool_calls: [{ id: "a", ...wire }] }, {}, {}]);
  });
});

const context = { origin: "maker", request: { ...plainAsk, tools: [patch, fn("ns.time")] } };
const wrapped = '{"input":"line 1\\nline 2"}';
const requested = [
  { type: "tool-call", id: "a", name: "ns.patch", kind: "custom", input: "line 1\nline 2" },
  { type: "tool-call", id: "b", name: "ns.time", kind: "function", input: '{"zone":1}' },
];
const wireCall = (index: number, id: string, name: string, json: string) => ({
  index,
  id,
  type: "function",
  function: { name, arguments: json },
});
const wireCalls = [wireCall(0, "a", "ns_patch", wrapped), wireCall(1, "b", "ns_time", '{"zone":1}')];

describe("calls in a reply are the client's own tools", () => {
  test("whole", () => {
    const message = { role: "assistant", content: null, tool_calls: wireCalls };
    const body = { id: "c", model: "m", choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
    expect(openaiChat.response.parse(body, context).choices[0]?.blocks).toEqual(requested as never);
  });

  test.each([
    ["whole in one chunk", [wireCalls]],
    [
      "character by character",
      wireCalls.flatMap(({ index, id, function: { name, arguments: json } }) => [
        [wireCall(index, id, name, "")],
        ...[...json].map((character) => [{ index, function: { arguments: character } }]),
      ]),
    ],
  ])("streamed, %s", (_case, pieces) => {
    const reader = openaiChat.stream?.reader(context);
    const chunks = [...pieces.map((calls) => chunk({ tool_calls: calls })), chunk({}, "tool_calls")];
    const events = chunks.flatMap((each) => reader?.read({ data: JSON.stringify(each) }) ?? []);
    expect(collectEvents([...events, ...(reader?.end() ?? [])])?.choices[0]?.blocks).toEqual(requested as never);
  });
});
