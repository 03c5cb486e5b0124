// The schema of a request: every bound from both sides, every type, and the path that a fault names.
import { describe, expect, test } from "bun:test";
import { Compile } from "typebox/compile";
import { compactSchema } from "../../../src/dialects/openai-responses/compact.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { dialect, hello } from "./helpers.ts";

const validator = Compile(dialect.request.schema);
const compact = Compile(compactSchema);
const passes = (more: JsonObject): boolean => validator.Check({ ...hello, ...more });
const faultPath = (more: JsonObject): string | undefined => validator.Errors({ ...hello, ...more })[0]?.instancePath;

test("the smallest request, and an agent's", () => {
  expect(passes({})).toBe(true);
  expect(validator.Check(wireJson("openai-responses/agent-request.json"))).toBe(true);
  expect(passes({ tomorrow: { a: 1 }, input: [{ type: "tomorrow_call", stuff: [1] }] })).toBe(true);
});

test("the model is required and no empty text", () => {
  expect(validator.Check({ input: "hi" })).toBe(false);
  for (const model of ["", 3, null]) expect(passes({ model })).toBe(false);
});

describe("bounds", () => {
  test.each<[string, unknown[], unknown[]]>([
    ["temperature", [0, 2, null], [-0.1, 2.1, "1"]],
    ["top_p", [0, 1, null], [-0.1, 1.1, "1"]],
    ["top_logprobs", [0, 20, null], [-1, 21, 1.5]],
    ["max_output_tokens", [1, 1e6, null], [0, 1.5, "9"]],
    ["max_tool_calls", [0, 9, null], [-1, 1.5]],
    ["truncation", ["auto", "disabled", null], ["none", 1]],
    ["service_tier", ["auto", "default", "flex", "scale", "priority", "fast", "ultrafast", null], ["slow", 1]],
    ["stream", [true, false, null], ["true", 1]],
    ["store", [true, false, null], ["true"]],
    ["background", [true, null], [1]],
    ["parallel_tool_calls", [true, null], ["no"]],
    ["instructions", ["x", "", null], [["x"], 1]],
    ["previous_response_id", ["resp_1", null], [1]],
    ["conversation", ["c", { id: "c" }, null], [1]],
    ["metadata", [{ a: "b" }, {}, null], [{ a: 1 }, "x"]],
    ["user", ["u", null], [1]],
    ["include", [[], ["reasoning.encrypted_content"], null], [["x"], "x"]],
    ["reasoning", [{}, { effort: "xhigh", summary: "anything" }, null], [{ effort: "huge" }, { summary: 1 }, "low"]],
    [
      "text",
      [{}, { format: { type: "text" }, verbosity: "low" }, null],
      [{ verbosity: "x" }, { format: { type: "xml" } }],
    ],
    [
      "tools",
      [[], [{ type: "web_search", filters: {} }], null],
      ["x", [{}], [{ type: 1 }], [{ type: "function", name: "" }]],
    ],
    ["tool_choice", ["auto", { type: "function", name: "f" }, null], [1, { type: 1 }, { type: "x", mode: "y" }]],
    ["input", ["", "x", [], null], [1, {}, ["x"]]],
    ["prompt", [{ id: "p" }, null], ["p"]],
    ["stream_options", [{ include_obfuscation: false }, null], [{ include_obfuscation: 1 }]],
  ])("%s", (field, good, bad) => {
    for (const value of good)
      expect({ value, passes: passes({ [field]: value as never }) }).toEqual({ value, passes: true });
    for (const value of bad)
      expect({ value, passes: passes({ [field]: value as never }) }).toEqual({ value, passes: false });
  });
});

describe("items", () => {
  test.each<[JsonObject, string]>([
    [{ role: "user", content: [{ type: 1 }] }, "/input/0/content/0/type"],
    [{ role: "user", content: [{}] }, "/input/0/content/0"],
    [{ role: "user", content: 1 }, "/input/0/content"],
    [{ role: "user", content: [{ type: "input_image", image_url: { url: "x" } }] }, "/input/0/content/0/image_url"],
    [{ role: "user", content: [{ type: "input_image", detail: "huge" }] }, "/input/0/content/0/detail"],
    [{ type: "function_call", call_id: 1 }, "/input/0/call_id"],
    [{ type: "function_call", name: 1 }, "/input/0/name"],
    [{ type: "reasoning", encrypted_content: 1 }, "/input/0/encrypted_content"],
    [{ type: "reasoning", summary: "x" }, "/input/0/summary"],
    [{ type: 1 }, "/input/0/type"],
  ])("%j is at fault at %s", (item, path) => {
    expect(faultPath({ input: [item] })).toBe(path);
  });
});

test("the body of a compaction", () => {
  expect(compact.Check({ model: "m" })).toBe(true);
  const agent = wireJson<JsonObject>("openai-responses/agent-request.json");
  expect(compact.Check(agent)).toBe(true);
  expect(compact.Check({ model: "m", input: "x", instructions: null, previous_response_id: null })).toBe(true);
  for (const wire of [{}, { model: null }, { model: "" }, { model: "m", input: 3 }, { model: "m", instructions: 1 }])
    expect(compact.Check(wire)).toBe(false);
});
