// The schema: bounds of every field from both sides, what counts as absent, and where a fault is found.
import { describe, expect, test } from "bun:test";
import { Compile } from "typebox/compile";
import { openaiCompletions } from "../../../src/dialects/openai-completions/index.ts";
import type { Json } from "../../../src/lib/json.ts";

const validator = Compile(openaiCompletions.request.schema);
const faults = (more: { [field: string]: Json }): string[] =>
  [...new Set(validator.Errors({ model: "m", prompt: "p", ...more }).map((fault) => fault.instancePath))].sort();

const good: Record<string, Json[]> = {
  prompt: ["", "a", ["a", "b"], [1, 2], [[1], [2, 3]], null],
  max_tokens: [0, 16, null],
  temperature: [0, 2, null],
  top_p: [0, 1],
  n: [1, 128, null],
  stream: [true, false, null],
  stop: ["a", ["a", "b"], [], null],
  suffix: ["", "a", null],
  echo: [true, false, null],
  best_of: [1, 20, null],
  logprobs: [0, 5, null],
  presence_penalty: [-2, 2],
  frequency_penalty: [-2, 2],
  seed: [1, null],
  logit_bias: [{}, { "50256": -100 }, null],
  user: ["u", null],
  stream_options: [{ include_usage: true }, null],
  tomorrow: [{ any: 1 }],
};

const bad: Record<string, Json[]> = {
  model: ["", 1, null],
  prompt: [1, true, {}, [true], [null], [1.5], [-1], [["a"]]],
  max_tokens: [-1, 1.5, "16"],
  temperature: [-0.1, 2.1, "1"],
  top_p: [-0.1, 1.1],
  n: [0, 129, 1.5, "2"],
  stream: ["true", 1],
  stop: [1, [1]],
  suffix: [1],
  echo: ["yes", 1],
  best_of: [0, 21],
  logprobs: [-1, 6, true, 1.5],
  presence_penalty: [-2.1, 2.1],
  frequency_penalty: [-2.1, 2.1],
  seed: [1.5],
  logit_bias: [{ "1": 101 }, []],
  user: [1],
  stream_options: [{ include_usage: "yes" }, 1],
};

describe("schema", () => {
  test.each(Object.entries(good))("%s takes", (field, values) => {
    for (const value of values) expect({ value, faults: faults({ [field]: value }) }).toEqual({ value, faults: [] });
  });

  test.each(Object.entries(bad))("%s refuses", (field, values) => {
    for (const value of values) {
      const [first = ""] = faults({ [field]: value });
      expect({ value, found: first.startsWith(`/${field}`) }).toEqual({ value, found: true });
    }
  });

  test("the place of a fault inside the prompt is told", () => {
    expect(faults({ prompt: ["a", true] })).toEqual(["/prompt/1"]);
    expect(faults({ prompt: [[1], [2, "x"]] })).toEqual(["/prompt/1/1"]);
  });

  test("model and prompt are required", () => {
    expect(validator.Check({ model: "m" })).toBe(false);
    expect(validator.Check({ prompt: "p" })).toBe(false);
  });
});
