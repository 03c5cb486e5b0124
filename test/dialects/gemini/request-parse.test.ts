// Requests of clients into canon.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { contentOf, dialect, envelope, extrasOf, messageOf, parsed, refusal, result } from "./bench.ts";

const { user, model } = contentOf;
const config = (generationConfig: JsonObject): JsonObject => ({ generationConfig });

test("the path names the model and the method", () => {
  expect(parsed({}, envelope("streamGenerateContent", "models/gemini-x"))).toMatchObject({
    model: "gemini-x",
    stream: true,
  });
  expect(parsed({}, envelope("generateContent", "models/models/tunedModels/a"))).toMatchObject({
    model: "tunedModels/a",
    stream: false,
  });
});

test("a request of an agent, in both spellings", () => {
  const request = dialect.request.parse(wireJson("gemini/agent-request.json"), envelope());
  expect(request).toEqual({
    operation: "chat",
    model: "model-x",
    stream: false,
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      {
        role: "user",
        blocks: [
          { type: "text", text: "What time is it? See the picture." },
          {
            type: "image",
            source: expect.objectContaining({ kind: "bytes", mediaType: "image/png" }),
            path: "contents[0].parts[1].inlineData",
          },
        ],
      },
      {
        role: "assistant",
        blocks: [
          { type: "thinking", text: "Need a lookup." },
          {
            type: "tool-call",
            id: "8f2b1a0e",
            name: "get_time",
            kind: "function",
            input: '{"zone":"UTC"}',
            signature: { origin: "gemini", data: "EsQDCsEDAXLI2nzToolSignature/+ab==" },
          },
        ],
      },
      messageOf("tool", result("8f2b1a0e", "12:00")),
    ],
    tools: [
      {
        kind: "function",
        name: "get_time",
        description: "Current time.",
        parameters: {
          type: "object",
          properties: {
            format: { type: "string", enum: ["12", "24"] },
            zone: { type: ["string", "null"], description: "Zone." },
          },
          required: ["zone"],
        },
      },
    ],
    toolChoice: { type: "auto" },
    maxOutputTokens: 1024,
    sampling: { temperature: 0.7, topP: 0.95, topK: 40 },
    stopSequences: ["END"],
    choices: 1,
    reasoning: { adaptive: true, show: true },
    unmappedFields: [{ path: "safetySettings", rule: "warn" }],
  });
});

describe("tools and the choice among them", () => {
  const tools = [
    { functionDeclarations: [{ name: "a" }, { name: "b", parametersJsonSchema: { type: "object", $defs: {} } }] },
  ];
  const choiceOf = (mode: string, allowedFunctionNames?: string[]) => {
    const functionCallingConfig = { mode, ...(allowedFunctionNames ? { allowedFunctionNames } : {}) };
    return parsed({ tools, toolConfig: { functionCallingConfig } });
  };
  const rows: [string, string[] | undefined, object | undefined][] = [
    ["AUTO", undefined, { type: "auto" }],
    ["auto", undefined, { type: "auto" }],
    ["NONE", undefined, { type: "none" }],
    ["ANY", undefined, { type: "required" }],
    ["ANY", ["a"], { type: "tool", name: "a" }],
    ["ANY", ["a", "b"], { type: "allowed", names: ["a", "b"], required: true }],
    ["VALIDATED", ["a"], { type: "allowed", names: ["a"], required: false }],
    ["MODE_UNSPECIFIED", undefined, undefined],
  ];
  test.each(rows)("%s %j", (mode, names, choice) => {
    expect(choiceOf(mode, names).toolChoice).toEqual(choice as never);
  });

  test("checked calls are strict tools", () => {
    expect(choiceOf("VALIDATED")).toMatchObject({
      toolChoice: { type: "auto" },
      tools: [{ strict: true }, { strict: true }],
    });
  });

  test("JSON Schema comes as it is", () => {
    expect(choiceOf("AUTO").tools[1]).toEqual({
      kind: "function",
      name: "b",
      parameters: { type: "object", $defs: {} },
    });
  });

  test("without tools there is nothing to choose", () => {
    expect(parsed({ toolConfig: { functionCallingConfig: { mode: "ANY" } } }).toolChoice).toBeUndefined();
  });

  test("tools of the server are told by their names", () => {
    expect(
      parsed({ tools: [{ googleSearch: {} }, { codeExecution: {}, functionDeclarations: [{ name: "a" }] }] }).tools,
    ).toEqual([
      { kind: "hosted", origin: "gemini", wire: { googleSearch: {} }, path: "tools[0].googleSearch" },
      { kind: "function", name: "a" },
      { kind: "hosted", origin: "gemini", wire: { codeExecution: {} }, path: "tools[1].codeExecution" },
    ]);
  });
});

describe("generationConfig", () => {
  const rows: [JsonObject, object][] = [
    [{ candidateCount: 3 }, { choices: 3 }],
    [
      { candidateCount: null, stopSequences: [] },
      { choices: 1, stopSequences: [] },
    ],
    [{ responseLogprobs: true, logprobs: 5 }, { logprobs: 5 }],
    [{ responseLogprobs: true }, { logprobs: 0 }],
    [
      { seed: 7, presencePenalty: 1, frequencyPenalty: -1 },
      { sampling: { seed: 7, presencePenalty: 1, frequencyPenalty: -1 } },
    ],
    [{ responseMimeType: "application/json" }, { format: { type: "json" } }],
    [{ responseMimeType: "text/plain" }, { format: { type: "text" } }],
    [
      {
        responseMimeType: "application/json",
        responseSchema: { type: "ARRAY", items: { type: "STRING" }, maxItems: "3" },
      },
      { format: { type: "schema", schema: { type: "array", items: { type: "string" }, maxItems: 3 } } },
    ],
    [
      { response_mime_type: "application/json", response_json_schema: { type: "object", additionalProperties: false } },
      { format: { type: "schema", schema: { type: "object", additionalProperties: false } } },
    ],
    [{ thinkingConfig: { thinkingBudget: 0 } }, { reasoning: { effort: "none" } }],
    [{ thinkingConfig: { thinkingBudget: -1 } }, { reasoning: { adaptive: true } }],
    [
      { thinkingConfig: { thinkingBudget: 2048, includeThoughts: false } },
      { reasoning: { budgetTokens: 2048, show: false } },
    ],
    [{ thinkingConfig: { thinkingLevel: "low" } }, { reasoning: { effort: "low" } }],
    [
      { thinkingConfig: { thinkingLevel: "MINIMAL", includeThoughts: true } },
      { reasoning: { effort: "minimal", show: true } },
    ],
  ];
  test.each(rows)("%j", (generationConfig, ask) => {
    expect(parsed({ generationConfig })).toMatchObject(ask);
  });

  test("a budget and a level at once are refused", () => {
    const both = { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "LOW" } };
    expect(refusal(() => parsed(config(both)))).toEqual({
      kind: "invalid_value",
      param: "generationConfig.thinkingConfig",
      status: 400,
    });
  });
});

test.each([
  ["standard", "default"],
  ["flex", "flex"],
  ["PRIORITY", "priority"],
  ["unspecified", undefined],
])("service tier %s", (serviceTier, tier) => {
  expect(parsed({ serviceTier }).tier).toBe(tier as never);
});

test("the instruction may be bare text", () => {
  expect(parsed({ system_instruction: "Be brief." }).system).toEqual([{ type: "text", text: "Be brief." }]);
  expect(parsed({ systemInstruction: { parts: [{ text: "a" }, { text: "" }, { text: "b" }] } }).system).toHaveLength(2);
});

describe("what canon has no place for", () => {
  const rows: [JsonObject, string[]][] = [
    [{ safetySettings: [{}] }, ["warn safetySettings"]],
    [{ safetySettings: [] }, []],
    [{ cachedContent: "c" }, ["reject cachedContent"]],
    [{ continuationToken: "t" }, ["reject continuationToken"]],
    [{ store: false, labels: { a: "b" }, model: "models/x" }, ["ignore store", "warn labels"]],
    [{ tomorrow: 1 }, ["warn tomorrow"]],
    [config({ responseModalities: ["TEXT"] }), []],
    [config({ responseModalities: ["TEXT", "Image"] }), []],
    [config({ responseModalities: ["TEXT", "VIDEO"] }), ["reject generationConfig.responseModalities"]],
    [config({ speechConfig: { voiceConfig: {} } }), ["warn generationConfig.speechConfig"]],
    [
      config({
        responseModalities: ["AUDIO"],
        speechConfig: { languageCode: "de", multiSpeakerVoiceConfig: { a: 1 } },
      }),
      [
        "warn generationConfig.speechConfig.languageCode",
        "reject generationConfig.speechConfig.multiSpeakerVoiceConfig",
      ],
    ],
    [config({ responseModalities: ["AUDIO"], speechConfig: { voiceConfig: {} } }), []],
    [config({ imageConfig: { aspectRatio: "1:1" } }), ["warn generationConfig.imageConfig"]],
    [config({ responseMimeType: "text/x.enum" }), ["reject generationConfig.responseMimeType"]],
    [{ toolConfig: { retrievalConfig: { languageCode: "en" } } }, ["warn toolConfig.retrievalConfig"]],
    [
      { contents: [user({ text: "x", videoMetadata: { fps: 1 } }), model({ executableCode: { code: "1" } })] },
      ["warn contents[0].parts[0].videoMetadata", "warn contents[1].parts[0].executableCode"],
    ],
  ];
  test.each(rows)("%j", (wire, extras) => {
    expect(extrasOf(wire)).toEqual(extras);
  });
});

describe("what makes no sense is refused by its path", () => {
  const rows: [JsonObject[], string, string][] = [
    [[{ role: "assistant", parts: [{ text: "x" }] }], "invalid_value", "contents[0].role"],
    [[user({})], "invalid_value", "contents[0].parts[0]"],
    [[user({ functionCall: { name: "a" } })], "invalid_value", "contents[0].parts[0].functionCall"],
    [[model({ functionCall: { args: {} } })], "missing_required_parameter", "contents[0].parts[0].functionCall.name"],
    [[model({ functionResponse: { name: "a" } })], "invalid_value", "contents[0].parts[0].functionResponse"],
    [[user({ functionResponse: {} })], "missing_required_parameter", "contents[0].parts[0].functionResponse.name"],
    [
      [user({ inlineData: { data: "AAAA" } })],
      "missing_required_parameter",
      "contents[0].parts[0].inlineData.mimeType",
    ],
    [
      [user({ inlineData: { mimeType: "image/png" } })],
      "missing_required_parameter",
      "contents[0].parts[0].inlineData.data",
    ],
    [[user({ fileData: {} })], "missing_required_parameter", "contents[0].parts[0].fileData.fileUri"],
  ];
  test.each(rows)("%j", (contents, kind, param) => {
    expect(refusal(() => parsed({ contents }))).toEqual({ kind, param, status: 400 });
  });

  test("an instruction that is no text", () => {
    const systemInstruction = { parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }] };
    expect(refusal(() => parsed({ systemInstruction }))?.param).toBe("systemInstruction.parts[0]");
  });
});
