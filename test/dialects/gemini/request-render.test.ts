// Canonical requests as calls of this dialect.
import { describe, expect, test } from "bun:test";
import type { ChatRequest, Tool } from "../../../src/canonical/chat.ts";
import { askOf, clientContext, dialect, refusal, rendered } from "./bench.ts";

const old = "gemini-2.5-flash";
const tool: Tool = {
  kind: "function",
  name: "get_time",
  description: "Time.",
  parameters: { type: "object", properties: { zone: { type: "string" } } },
};
/** Rows name a model only where it matters. */
const current = clientContext.model;
const refused = (ask: Partial<ChatRequest>, model?: string) => refusal(() => rendered(ask, model));

describe("the path", () => {
  const rows: [string, boolean, string][] = [
    ["gemini-2.5-pro", false, "v1beta/models/gemini-2.5-pro:generateContent"],
    ["gemini-2.5-pro", true, "v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
    ["models/gemini-2.5-pro", false, "v1beta/models/gemini-2.5-pro:generateContent"],
    ["tunedModels/my one", false, "v1beta/tunedModels/my%20one:generateContent"],
    ["a?key=b#c:d", false, "v1beta/models/a%3Fkey%3Db%23c%3Ad:generateContent"],
  ];
  test.each(rows)("%s, stream %p", (model, stream, path) => {
    expect(rendered({ stream }, model).path).toBe(path);
  });

  test.each(["../secret", "a/../../b", "a//b", ""])("'%s' leads nowhere", (model) => {
    expect(refused({}, model)).toEqual({ kind: "model_not_found", param: "model", status: 404 });
  });
});

test("nothing is said that was not asked", () => {
  expect(rendered()).toEqual({
    path: "v1beta/models/gemini-3-flash-preview:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    warnings: [],
  });
});

describe("generationConfig", () => {
  const rows: [Partial<ChatRequest>, object, string[], string?][] = [
    [
      { sampling: { temperature: 2, topP: 0.9, topK: 5, seed: 1, presencePenalty: 1, frequencyPenalty: 0.5 } },
      { temperature: 2, topP: 0.9, topK: 5, seed: 1, presencePenalty: 1, frequencyPenalty: 0.5 },
      [],
    ],
    [
      { sampling: { temperature: 0, presencePenalty: 1, frequencyPenalty: 0 } },
      { temperature: 0 },
      ["dropped client.presencePenalty"],
      old,
    ],
    [{ maxOutputTokens: 10, stopSequences: ["a", " "] }, { maxOutputTokens: 10, stopSequences: ["a", " "] }, []],
    [{ choices: 8 }, { candidateCount: 8 }, [], old],
    [{ logprobs: 0 }, { responseLogprobs: true }, []],
    [{ logprobs: 3 }, { responseLogprobs: true, logprobs: 3 }, []],
    [{ format: { type: "text" } }, { responseMimeType: "text/plain" }, []],
    [{ format: { type: "json" } }, { responseMimeType: "application/json" }, []],
    [
      { format: { type: "schema", name: "x", schema: { type: "object", additionalProperties: false }, strict: true } },
      {
        responseMimeType: "application/json",
        responseJsonSchema: { type: "object", additionalProperties: false },
      },
      [],
    ],
    [
      { format: { type: "schema", schema: { type: "string", const: "a" } } },
      { responseMimeType: "application/json", responseSchema: { type: "STRING", format: "enum", enum: ["a"] } },
      [],
      "gemini-2.0-flash",
    ],
    [
      { format: { type: "schema", schema: { type: "string", pattern: "^a" } } },
      { responseMimeType: "application/json", responseJsonSchema: { type: "string", description: '(pattern: "^a")' } },
      ["approximated client.format"],
    ],
  ];
  const full = rows.map(([ask, config, lost, model = current]) => [ask, config, lost, model] as const);
  test.each(full)("%j", (ask, generationConfig, warnings, model) => {
    const { body, warnings: given } = rendered(ask, model);
    expect(body.generationConfig).toEqual(generationConfig as never);
    expect(given).toEqual([...warnings]);
  });

  test("a bound over the model's own is lowered", () => {
    const { call, warnings } = dialect.request.render(askOf({ maxOutputTokens: 100 }), {
      ...clientContext,
      maxOutputTokens: 50,
    });
    expect(call.body.generationConfig).toEqual({ maxOutputTokens: 50 });
    expect(warnings).toEqual([{ code: "approximated", path: "client.maxOutputTokens" }]);
  });
});

describe("what would make the reply say something false is refused", () => {
  const rows: [Partial<ChatRequest>, string, string?][] = [
    [{ sampling: { logitBias: { "1": 5 } } }, "logitBias"],
    [{ stopSequences: ["1", "2", "3", "4", "5", "6"] }, "stopSequences"],
    [{ choices: 2 }, "choices"],
    [{ choices: 2, stream: true }, "choices", old],
    [{ choices: 9 }, "choices", old],
    [{ format: { type: "json" }, tools: [tool] }, "format", old],
    [{ format: { type: "schema", schema: { not: {} }, strict: true } }, "format"],
    [{ tools: [tool], toolChoice: { type: "tool", name: "other" } }, "toolChoice"],
    [{ messages: [] }, "messages"],
  ];
  test.each(rows.map(([ask, field, model = current]) => [ask, field, model] as const))("%j", (ask, field, model) => {
    expect(refused(ask, model)?.param).toBe(`client.${field}`);
  });

  test("JSON beside tools is fine with newer models", () => {
    expect(rendered({ format: { type: "json" }, tools: [tool] }).warnings).toEqual([]);
  });
});

test.each([
  ["default", "standard", []],
  ["flex", "flex", []],
  ["priority", "priority", []],
  ["fast", undefined, ["dropped client.tier"]],
] as const)("tier %s", (tier, serviceTier, warnings) => {
  const made = rendered({ tier });
  expect(made.body.serviceTier).toBe(serviceTier);
  expect(made.warnings).toEqual([...warnings]);
});

test("verbosity is dropped, the end user goes quietly", () => {
  expect(rendered({ verbosity: "low", endUser: "u" }).warnings).toEqual(["dropped client.verbosity"]);
});
