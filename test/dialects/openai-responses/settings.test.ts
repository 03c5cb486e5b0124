// Settings of a request in canon, and what has no place there.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/lib/json.ts";
import { baseAsk, parse } from "./helpers.ts";

describe("settings", () => {
  test("every field that canon holds", () => {
    const request = parse({
      stream: true,
      max_output_tokens: 99,
      temperature: 0.5,
      top_p: 0.9,
      tools: [{ type: "function", name: "f", strict: true, parameters: { type: "object" }, description: "d" }],
      parallel_tool_calls: false,
      reasoning: { effort: "high", summary: "auto" },
      text: { verbosity: "low", format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true } },
      service_tier: "flex",
      user: "u",
      safety_identifier: "s",
    });
    expect(request).toEqual({
      ...baseAsk,
      stream: true,
      maxOutputTokens: 99,
      sampling: { temperature: 0.5, topP: 0.9 },
      tools: [{ kind: "function", name: "f", description: "d", parameters: { type: "object" }, strict: true }],
      parallelToolCalls: false,
      reasoning: { effort: "high", show: true },
      verbosity: "low",
      format: { type: "schema", name: "n", schema: { type: "object" }, strict: true },
      tier: "flex",
      endUser: "s",
    });
  });

  test("null and empty fields say nothing", () => {
    const nothing = [
      "tools",
      "tool_choice",
      "text",
      "reasoning",
      "include",
      "metadata",
      "temperature",
      "store",
      "user",
    ];
    expect(parse(Object.fromEntries(nothing.map((name) => [name, null])))).toEqual(baseAsk);
    expect(parse({ tools: [], text: {}, reasoning: {}, metadata: {}, include: [] })).toEqual(baseAsk);
  });

  test("log probabilities are wanted by either of their fields", () => {
    expect(parse({ include: ["message.output_text.logprobs"] }).logprobs).toBe(0);
    expect(parse({ top_logprobs: 3 }).logprobs).toBe(3);
    expect(parse({ top_logprobs: 0 }).logprobs).toBeUndefined();
  });

  test.each<[JsonObject, string, string]>([
    [{ previous_response_id: "resp_1" }, "previous_response_id", "ignore"],
    [{ store: true }, "store", "ignore"],
    [{ background: true }, "background", "ignore"],
    [{ include: ["reasoning.encrypted_content"] }, "include", "ignore"],
    [{ metadata: { a: "b" } }, "metadata", "ignore"],
    [{ prompt_cache_key: "k" }, "prompt_cache_key", "ignore"],
    [{ truncation: "disabled" }, "truncation", "ignore"],
    [{ truncation: "auto" }, "truncation", "warn"],
    [{ stream_options: { include_obfuscation: false } }, "stream_options.include_obfuscation", "ignore"],
    [{ conversation: "conv_1" }, "conversation", "reject"],
    [{ prompt: { id: "p" } }, "prompt", "reject"],
    [{ service_tier: "ultrafast" }, "service_tier", "warn"],
    [{ max_tool_calls: 3 }, "max_tool_calls", "warn"],
    [{ context_management: [{ type: "compaction" }] }, "context_management", "warn"],
    [{ reasoning: { mode: "pro" } }, "reasoning.mode", "warn"],
    [{ tomorrow: 1 }, "tomorrow", "warn"],
  ])("%j is an extra", (field, path, rule) => {
    expect(parse(field).unmappedFields).toEqual([{ path, rule: rule as "warn" }]);
  });
});
