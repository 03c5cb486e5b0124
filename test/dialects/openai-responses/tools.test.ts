// Tools and the choice among them, both ways: strictness, free text, namespaces, and what only the provider can run.
import { describe, expect, test } from "bun:test";
import type { ChatRequest, Tool } from "../../../src/canonical/chat.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { parse, render, thrown } from "./helpers.ts";

const f: JsonObject = { type: "function", name: "f" };
const patch: JsonObject = { type: "custom", name: "patch" };
const docs: JsonObject = { type: "namespace", name: "docs", tools: [{ type: "function", name: "find" }, { ...patch }] };
const search: JsonObject = { type: "web_search" };

const parsed = (tools: JsonObject[], tool_choice?: Json) => {
  const {
    toolChoice,
    unmappedFields: extras,
    ...ask
  } = parse({ tools, ...(tool_choice === undefined ? {} : { tool_choice }) });
  return { tools: ask.tools, toolChoice, extras };
};
const choice = (tool_choice: Json, tools = [f, patch, docs]) => parsed(tools, tool_choice).toolChoice;

describe("definitions in", () => {
  test("functions, free text with its grammar, tools of a namespace under one name", () => {
    const grammar = { type: "grammar", syntax: "lark", definition: "start: /x/" };
    const { tools } = parsed([{ ...f, description: "", parameters: null }, { ...patch, format: grammar }, docs]);
    expect(tools).toEqual([
      { kind: "function", name: "f" },
      { kind: "custom", name: "patch", format: grammar, path: "tools[1]" },
      { kind: "function", name: "docs__find" },
      { kind: "custom", name: "docs__patch", path: "tools[2].tools[1]" },
    ]);
  });

  test("only an explicit promise is strict", () => {
    const strict = (value: Json) => parsed([{ ...f, strict: value }]).tools[0];
    expect(strict(true)).toEqual({ kind: "function", name: "f", strict: true });
    for (const value of [false, null]) expect(strict(value)).toEqual({ kind: "function", name: "f" });
  });

  test("members and tools without a counterpart go with a word, or without where nothing is lost", () => {
    const { extras } = parsed([
      { ...f, defer_loading: true, output_schema: { type: "object" } },
      { type: "tool_search" },
      search,
    ]);
    expect(extras).toEqual([
      { path: "tools[0].defer_loading", rule: "ignore" },
      { path: "tools[0].output_schema", rule: "warn" },
      { path: "tools[1].type", rule: "ignore" },
      { path: "tools[2].type", rule: "warn" },
    ]);
  });

  test("a function needs a name", () => {
    expect(thrown(() => parsed([{ type: "function" }]))).toMatchObject({ param: "tools[0].name" });
    expect(thrown(() => parsed([{ ...docs, tools: [{ type: "function" }] }]))).toMatchObject({
      param: "tools[0].tools[0].name",
    });
  });
});

describe("choice in", () => {
  test.each<[Json, ChatRequest["toolChoice"]]>([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "required" }],
    [{ type: "auto" }, { type: "auto" }],
    [
      { type: "function", name: "f" },
      { type: "tool", name: "f" },
    ],
    [
      { type: "function", function: { name: "f" } },
      { type: "tool", name: "f" },
    ],
    [
      { type: "function", name: "find", namespace: "docs" },
      { type: "tool", name: "docs__find" },
    ],
    [
      { type: "custom", name: "patch" },
      { type: "tool", name: "patch" },
    ],
    [
      { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "f" }, { type: "web_search" }] },
      { type: "allowed", names: ["f"], required: true },
    ],
    [
      { type: "allowed_tools", mode: "auto", tools: [{ type: "namespace", name: "docs" }] },
      { type: "allowed", names: ["docs__find", "docs__patch"], required: false },
    ],
    [{ type: "allowed_tools", mode: "auto", tools: [{ type: "web_search" }] }, { type: "none" }],
  ])("%j", (wire, expected) => {
    expect(choice(wire)).toEqual(expected);
  });

  test("without tools there is nothing to choose", () => {
    expect(choice("required", [])).toBeUndefined();
    expect(parse({ tools: [], tool_choice: "auto", parallel_tool_calls: true }).parallelToolCalls).toBeUndefined();
  });

  test("a tool that the provider runs may be left out, but not when it must be called", () => {
    const reject = { path: "tool_choice", rule: "reject" };
    const forced: Json[] = [
      { type: "web_search" },
      { type: "mcp", server_label: "x" },
      { type: "allowed_tools", mode: "required", tools: [{ type: "web_search" }] },
    ];
    for (const wire of forced) expect(parsed([f, search], wire).extras).toContainEqual(reject as never);
    expect(parsed([search], "required").extras).toContainEqual(reject as never);
    expect(parsed([f, search], "required").toolChoice).toEqual({ type: "required" });
  });

  test("a choice that makes no sense is refused", () => {
    expect(thrown(() => choice("maybe"))).toMatchObject({ kind: "invalid_value", param: "tool_choice" });
    expect(thrown(() => choice("maybe", []))).toMatchObject({ kind: "invalid_value", param: "tool_choice" });
    expect(thrown(() => choice({ type: "function" }))).toMatchObject({ param: "tool_choice.name" });
    expect(thrown(() => choice({ type: "allowed_tools", mode: "auto" }))).toMatchObject({ param: "tool_choice.tools" });
    expect(thrown(() => choice({ name: "f" }))).toMatchObject({ param: "tool_choice.type" });
  });
});

describe("out", () => {
  const tools: Tool[] = [
    { kind: "function", name: "f" },
    { kind: "function", name: "g", strict: true, parameters: { type: "object" }, description: "d" },
    {
      kind: "custom",
      name: "patch",
      path: "tools[2]",
      format: { type: "grammar", grammar: { syntax: "lark", definition: "x" } },
    },
  ];

  test("strictness is always said (bug 20), a schema is always there, a grammar is flat", () => {
    expect(render({ tools }).call.body.tools).toEqual([
      { type: "function", name: "f", parameters: { type: "object", properties: {} }, strict: false },
      { type: "function", name: "g", description: "d", parameters: { type: "object" }, strict: true },
      { type: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "x" } },
    ]);
  });

  test("the choice in all its forms", () => {
    const out = (toolChoice: NonNullable<ChatRequest["toolChoice"]>) =>
      render({ tools, toolChoice }).call.body.tool_choice;
    expect(out({ type: "required" })).toBe("required");
    expect(out({ type: "tool", name: "patch" })).toEqual({ type: "custom", name: "patch" });
    expect(out({ type: "allowed", names: ["f", "patch"], required: true })).toEqual({
      type: "allowed_tools",
      mode: "required",
      tools: [
        { type: "function", name: "f" },
        { type: "custom", name: "patch" },
      ],
    });
  });

  test("a choice without tools is dropped with a word", () => {
    const { call, warnings } = render({ tools: [], toolChoice: { type: "required" }, parallelToolCalls: true });
    expect(Object.keys(call.body)).not.toContain("tool_choice");
    expect(warnings).toEqual([{ code: "dropped", path: "their.toolChoice" }]);
  });

  test("another provider's hosted tool is refused by its path", () => {
    const hosted: Tool = {
      kind: "hosted",
      origin: "anthropic-messages",
      wire: { type: "bash" },
      path: "tools[0].type",
    };
    expect(thrown(() => render({ tools: [hosted] }))).toMatchObject({
      kind: "unsupported_parameter",
      param: "tools[0].type",
    });
  });
});
