// The request schema of this dialect: its bounds from both sides.
import { describe, expect, test } from "bun:test";
import { Compile } from "typebox/compile";
import type { JsonObject } from "../../../src/lib/json.ts";
import { dialect } from "./bench.ts";

const validator = Compile(dialect.request.schema);
const passes = (more: JsonObject) =>
  validator.Check({ messages: [{ role: "user", content: [{ text: "hi" }] }], ...more });
const saying = (block: JsonObject) => passes({ messages: [{ role: "user", content: [block] }] });

test("the least, and fields of tomorrow", () => {
  expect(passes({})).toBe(true);
  expect(passes({ tomorrow: { kept: 1 }, inferenceConfig: { tomorrow: 1 } })).toBe(true);
});

describe("bounds", () => {
  test.each([
    [{ inferenceConfig: { maxTokens: 1 } }, { inferenceConfig: { maxTokens: 0 } }],
    [{ inferenceConfig: { temperature: 1 } }, { inferenceConfig: { temperature: 1.1 } }],
    [{ inferenceConfig: { topP: 0 } }, { inferenceConfig: { topP: -0.1 } }],
    [{ inferenceConfig: { stopSequences: ["x"] } }, { inferenceConfig: { stopSequences: [""] } }],
    [{ toolConfig: { tools: [{}] } }, { toolConfig: { tools: [] } }],
    [{ serviceTier: { type: "flex" } }, { serviceTier: { type: "cheap" } }],
    [{ performanceConfig: { latency: "standard" } }, { performanceConfig: { latency: "slow" } }],
    [{ system: [{ text: "x" }] }, { system: "x" }],
    [{ messages: [] }, { messages: [{ role: "system", content: [] }] }],
  ] as [JsonObject, JsonObject][])("%j, but not %j", (good, bad) => {
    expect([passes(good), passes(bad)]).toEqual([true, false]);
  });
});

test("blocks are checked by what they hold", () => {
  expect(saying({ toolUse: { toolUseId: "a", name: "b", input: {} } })).toBe(true);
  expect(saying({ toolUse: { toolUseId: "a" } })).toBe(false);
  expect(saying({ toolResult: { toolUseId: "a", content: [{ json: {} }] } })).toBe(true);
  expect(saying({ toolResult: { toolUseId: "a", content: "x" } })).toBe(false);
  expect(saying({ text: 5 })).toBe(false);
});
