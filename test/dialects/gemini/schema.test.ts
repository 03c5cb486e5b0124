// The schema's bounds, from both sides and in both spellings.
import { expect, test } from "bun:test";
import { Compile } from "typebox/compile";
import { countSchema } from "../../../src/dialects/gemini/token-count-dialect.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { dialect, hello } from "./bench.ts";

const schema = Compile(dialect.request.schema);
const counting = Compile(countSchema);
const faults = (wire: unknown) =>
  schema.Errors(JSON.parse(JSON.stringify(wire))).map((error) => `${error.instancePath} ${error.keyword}`);
const part = (value: Json): JsonObject => ({ contents: [{ role: "user", parts: [value] }] });
const config = (value: JsonObject): JsonObject => ({ ...hello, generationConfig: value });

const good: [string, Json[]][] = [
  ["systemInstruction", ["be brief", { parts: [{ text: "x" }] }, { role: "system", parts: [] }, null]],
  ["system_instruction", ["be brief", { parts: [{ text: "x" }] }]],
  ["tools", [[], null, [{ functionDeclarations: [{ name: "a" }] }], [{ googleSearch: {} }]]],
  ["tools", [[{ function_declarations: [{ name: "a", parameters_json_schema: {} }] }]]],
  ["toolConfig", [{ functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["a"] } }, {}, null]],
  ["tool_config", [{ function_calling_config: { mode: "validated" } }]],
  ["safetySettings", [[{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }], null]],
  ["cachedContent", ["cachedContents/1", null]],
  ["serviceTier", ["standard", "flex", "PRIORITY", null]],
  ["labels", [{ team: "a" }, null]],
  ["store", [true, null]],
  ["generationConfig", [{}, null, { responseModalities: ["TEXT", "Image"], imageConfig: { aspectRatio: "16:9" } }]],
  ["generation_config", [{ response_modalities: ["IMAGE"], image_config: { image_size: "2K" } }]],
  ["tomorrow", [{ kept: true }]],
];

test.each(good)("%s passes", (field, values) => {
  for (const value of values) expect(faults({ ...hello, [field]: value })).toEqual([]);
});

const goodConfigs: JsonObject[] = [
  { temperature: 0 },
  { temperature: 2, topP: 1, topK: 1, seed: -5 },
  { candidateCount: 8, maxOutputTokens: 1, stopSequences: ["1", "2", "3", "4", "5"] },
  { presencePenalty: -2, frequencyPenalty: 2, responseLogprobs: true, logprobs: 20 },
  { responseMimeType: "application/json", responseSchema: { type: "OBJECT" } },
  { response_mime_type: "application/json", response_json_schema: {} },
  { thinkingConfig: { includeThoughts: true, thinkingBudget: -1 } },
  { thinking_config: { thinking_level: "low" } },
  { temperature: null, stopSequences: null, thinkingConfig: null, responseSchema: null },
];
test.each(goodConfigs)("generationConfig %j passes", (value) => {
  expect(faults(config(value))).toEqual([]);
});

const bad: [JsonObject, string][] = [
  [{}, " required"],
  [{ contents: [] }, "/contents minItems"],
  [{ contents: "hi" }, "/contents type"],
  [{ contents: [{ role: 1, parts: [] }] }, "/contents/0/role type"],
  [{ contents: [{ parts: "hi" }] }, "/contents/0/parts type"],
  [part("hi"), "/contents/0/parts/0 type"],
  [part({ text: 1 }), "/contents/0/parts/0/text type"],
  [part({ thought: "yes" }), "/contents/0/parts/0/thought type"],
  [part({ inlineData: { mimeType: 1 } }), "/contents/0/parts/0/inlineData/mimeType type"],
  [part({ inline_data: { mime_type: 1 } }), "/contents/0/parts/0/inline_data/mime_type type"],
  [part({ functionCall: { name: "a", args: "x" } }), "/contents/0/parts/0/functionCall/args type"],
  [part({ functionResponse: { response: [] } }), "/contents/0/parts/0/functionResponse/response type"],
  [{ ...hello, tools: {} }, "/tools type"],
  [{ ...hello, tools: [{ functionDeclarations: [{}] }] }, "/tools/0/functionDeclarations/0 required"],
  [
    { ...hello, toolConfig: { functionCallingConfig: { mode: "SOME" } } },
    "/toolConfig/functionCallingConfig/mode enum",
  ],
  [{ ...hello, serviceTier: "gold" }, "/serviceTier enum"],
  [config({ temperature: -0.01 }), "/generationConfig/temperature minimum"],
  [config({ temperature: 2.01 }), "/generationConfig/temperature maximum"],
  [config({ temperature: "1" }), "/generationConfig/temperature type"],
  [config({ topP: 1.01 }), "/generationConfig/topP maximum"],
  [config({ top_p: 1.01 }), "/generationConfig/top_p maximum"],
  [config({ topK: 0 }), "/generationConfig/topK minimum"],
  [config({ topK: 1.5 }), "/generationConfig/topK type"],
  [config({ candidateCount: 0 }), "/generationConfig/candidateCount minimum"],
  [config({ candidateCount: 9 }), "/generationConfig/candidateCount maximum"],
  [config({ maxOutputTokens: 0 }), "/generationConfig/maxOutputTokens minimum"],
  [config({ stopSequences: ["1", "2", "3", "4", "5", "6"] }), "/generationConfig/stopSequences maxItems"],
  [config({ stopSequences: [1] }), "/generationConfig/stopSequences/0 type"],
  [config({ presencePenalty: -2.1 }), "/generationConfig/presencePenalty minimum"],
  [config({ frequencyPenalty: 2.1 }), "/generationConfig/frequencyPenalty maximum"],
  [config({ logprobs: 21 }), "/generationConfig/logprobs maximum"],
  [config({ responseModalities: "IMAGE" }), "/generationConfig/responseModalities type"],
  [config({ responseModalities: [1] }), "/generationConfig/responseModalities/0 type"],
  [config({ imageConfig: { aspectRatio: 1 } }), "/generationConfig/imageConfig/aspectRatio type"],
  [config({ imageConfig: { imageSize: 2 } }), "/generationConfig/imageConfig/imageSize type"],
  [config({ thinkingConfig: { thinkingBudget: -2 } }), "/generationConfig/thinkingConfig/thinkingBudget minimum"],
  [config({ thinkingConfig: { thinkingLevel: "HUGE" } }), "/generationConfig/thinkingConfig/thinkingLevel enum"],
];
test.each(bad)("%j is refused", (wire, fault) => {
  expect(faults(wire)).toContain(fault);
});

test("a request of an agent passes", () => {
  expect(faults(wireJson("gemini/agent-request.json"))).toEqual([]);
});

test.each([
  { contents: [{ parts: [{ text: "hi" }] }] },
  { generateContentRequest: { model: "models/m", ...hello } },
  { generate_content_request: { ...hello, system_instruction: "be brief" } },
])("%j can be counted", (wire) => {
  expect(counting.Check(wire)).toBe(true);
});

test.each([{ contents: "hi" }, { generateContentRequest: {} }, { generateContentRequest: { contents: [] } }])(
  "%j cannot be counted",
  (wire) => {
    expect(counting.Check(wire)).toBe(false);
  },
);
