// Tools of a request: declarations, the choice among them, and the schemas of both kinds.
import { describe, expect, test } from "bun:test";
import type { ChatRequest, FunctionTool, Tool, ToolChoice } from "../../../src/canonical/chat.ts";
import { inJsonSubset } from "../../../src/dialects/gemini/json-schema.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { call, messageOf, refusal, rendered } from "./bench.ts";

const tool = (name: string, more: Partial<FunctionTool> = {}): FunctionTool => ({ kind: "function", name, ...more });
const two = [tool("a"), tool("b")];
const toolsOf = (ask: Partial<ChatRequest>, model?: string) => {
  const { body, warnings } = rendered(ask, model);
  return { tools: body.tools, config: body.toolConfig, warnings };
};
const schema = { type: "object", properties: { zone: { type: "string" } } };

describe("declarations", () => {
  test("newer models get JSON Schema, older ones the subset of OpenAPI", () => {
    const tools = [tool("a", { description: "A.", parameters: schema })];
    expect(toolsOf({ tools }).tools).toEqual([
      { functionDeclarations: [{ name: "a", description: "A.", parametersJsonSchema: schema }] },
    ]);
    expect(toolsOf({ tools }, "gemini-2.0-flash").tools).toEqual([
      {
        functionDeclarations: [
          {
            name: "a",
            description: "A.",
            parameters: { type: "OBJECT", properties: { zone: { type: "STRING" } } },
          },
        ],
      },
    ]);
  });

  test.each([undefined, {}, { type: "object" }, { type: "object", properties: {} }])(
    "no schema for %j",
    (parameters) => {
      const tools = [tool("a", parameters === undefined ? {} : { parameters })];
      expect(toolsOf({ tools })).toMatchObject({ tools: [{ functionDeclarations: [{ name: "a" }] }], warnings: [] });
    },
  );

  test("names outside the alphabet are changed in declarations, choice and history alike", () => {
    const made = rendered({
      tools: [tool("1 two"), tool("ns:ok.x")],
      toolChoice: { type: "tool", name: "1 two" },
      messages: [messageOf("user", "hi"), messageOf("assistant", call("c1", "1 two"))],
    });
    expect(made.body.tools).toEqual([{ functionDeclarations: [{ name: "_1_two" }, { name: "ns:ok.x" }] }]);
    expect(made.body.toolConfig).toEqual({ functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["_1_two"] } });
    expect(made.body.contents).toMatchObject([
      {},
      { parts: [{ functionCall: { name: "_1_two" } }] },
      { parts: [{ functionResponse: { name: "_1_two" } }] },
    ]);
  });

  test("a free-text tool becomes a function of one string (bug 15)", () => {
    const custom: Tool = {
      kind: "custom",
      name: "patch",
      description: "Patch.",
      path: "tools[0]",
      format: { type: "text" },
    };
    expect(toolsOf({ tools: [custom] })).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            { name: "patch", parametersJsonSchema: { properties: { input: { type: "string" } }, required: ["input"] } },
          ],
        },
      ],
      warnings: ["emulated tools[0]"],
    });
  });

  test("tools of servers: its own pass, others are refused", () => {
    const own: Tool = { kind: "hosted", origin: "gemini", wire: { googleSearch: {} }, path: "tools[0].googleSearch" };
    expect(toolsOf({ tools: [own, tool("a")] }).tools).toEqual([
      { functionDeclarations: [{ name: "a" }] },
      { googleSearch: {} },
    ]);
    const other: Tool = { ...own, origin: "openai-chat", path: "tools[0].type" };
    expect(refusal(() => rendered({ tools: [other] }))?.param).toBe("tools[0].type");
  });
});

describe("the choice", () => {
  const rows: [ToolChoice | undefined, object | undefined, string[]][] = [
    [undefined, undefined, []],
    [{ type: "auto" }, { mode: "AUTO" }, []],
    [{ type: "none" }, { mode: "NONE" }, []],
    [{ type: "required" }, { mode: "ANY" }, []],
    [{ type: "tool", name: "a" }, { mode: "ANY", allowedFunctionNames: ["a"] }, []],
    [{ type: "allowed", names: ["a", "b"], required: true }, { mode: "ANY", allowedFunctionNames: ["a", "b"] }, []],
    [
      { type: "allowed", names: ["a"], required: false },
      { mode: "VALIDATED", allowedFunctionNames: ["a"] },
      ["approximated client.tools"],
    ],
  ];
  test.each(rows)("%j", (toolChoice, config, warnings) => {
    const made = toolsOf({ tools: two, ...(toolChoice ? { toolChoice } : {}) });
    expect(made.config).toEqual((config === undefined ? undefined : { functionCallingConfig: config }) as never);
    expect(made.warnings).toEqual(warnings);
  });

  test.each([undefined, { type: "auto" } as const])("strict tools are checked calls, choice %j", (toolChoice) => {
    const made = toolsOf({ tools: [tool("a", { strict: true })], ...(toolChoice ? { toolChoice } : {}) });
    expect(made.config).toEqual({ functionCallingConfig: { mode: "VALIDATED" } });
    expect(made.warnings).toEqual(["approximated client.tools"]);
  });

  test("a choice without tools is noise", () => {
    expect(toolsOf({ toolChoice: { type: "required" } })).toEqual({
      tools: undefined,
      config: undefined,
      warnings: [],
    });
  });

  test("one call at most is told as emulated", () => {
    expect(toolsOf({ tools: two, parallelToolCalls: false }).warnings).toEqual(["emulated client.parallelToolCalls"]);
  });
});

describe("JSON Schema for the server (bug 18)", () => {
  const rows: [string, JsonObject, JsonObject, boolean][] = [
    [
      "as it is",
      { type: ["string", "null"], enum: ["a"], title: "T" },
      { type: ["string", "null"], enum: ["a"], title: "T" },
      true,
    ],
    [
      "remarks go",
      { $schema: "x", type: "string", default: "a", examples: ["a"], $comment: "c" },
      { type: "string" },
      true,
    ],
    ["a constant is a list of one", { const: 5 }, { enum: [5] }, true],
    [
      "properties named like keywords stay",
      {
        type: "object",
        properties: { format: { type: "string" }, default: { type: "string" }, not: { type: "string" } },
      },
      {
        type: "object",
        properties: { format: { type: "string" }, default: { type: "string" }, not: { type: "string" } },
      },
      true,
    ],
    [
      "constraints are told",
      { type: "string", description: "D.", minLength: 2, format: "email" },
      { type: "string", description: 'D. (minLength: 2, format: "email")' },
      false,
    ],
    [
      "native constraints stay",
      { type: "integer", minimum: 1, format: "int32" },
      { type: "integer", minimum: 1, format: "int32" },
      true,
    ],
    ["one of them is any of them", { oneOf: [{ type: "string" }] }, { anyOf: [{ type: "string" }] }, false],
    [
      "all of them are one",
      {
        allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { required: ["b"] }],
        type: "object",
        properties: { b: {} },
      },
      { type: "object", properties: { b: {}, a: { type: "string" } }, required: ["a", "b"] },
      true,
    ],
    [
      "definitions find their place, references stand alone",
      { properties: { a: { $ref: "#/definitions/a", description: "gone" } }, definitions: { a: { const: 1 } } },
      { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { enum: [1] } } },
      true,
    ],
    [
      "additional properties",
      { additionalProperties: { oneOf: [{}] } },
      { additionalProperties: { anyOf: [{}] } },
      false,
    ],
  ];
  test.each(rows)("%s", (_, before, after, exact) => {
    const made = inJsonSubset(before);
    expect(made.schema).toEqual(after);
    expect(made.exact).toBe(exact);
  });

  test("what has no counterpart is named", () => {
    expect(inJsonSubset({ not: {}, properties: { a: { patternProperties: {} } } }).lost).toEqual([
      "not",
      "patternProperties",
    ]);
  });

  test("a schema that loses something is told once", () => {
    const tools = [
      tool("a", { parameters: { ...schema, minProperties: 1 } }),
      tool("b", { parameters: { ...schema, not: {} } }),
    ];
    expect(toolsOf({ tools }).warnings).toEqual(["approximated client.tools"]);
  });
});
