// Requests of clients into canon.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../kit/wires.ts";
import { call, dialect, envelope, extrasOf, parsed, refusal, result, said, turnsOf } from "./bench.ts";

const user = (...parts: JsonObject[]): JsonObject => ({ role: "user", parts });
const model = (...parts: JsonObject[]): JsonObject => ({ role: "model", parts });
const config = (generationConfig: JsonObject): JsonObject => ({ generationConfig });
const envelopeText = (state: string): string => Buffer.from(`gw1.${state}`).toString("base64");
const foreignState = envelopeText(`anthropic.${Buffer.from("EqQB").toString("base64url")}`);

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
  const ask = dialect.request.parse(wireJson("gemini/agent-request.json"), envelope());
  expect(ask).toEqual({
    operation: "chat",
    model: "model-x",
    stream: false,
    system: [{ type: "text", text: "Be brief." }],
    turns: [
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
      said("tool", result("8f2b1a0e", "12:00")),
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
    stop: ["END"],
    choices: 1,
    reasoning: { adaptive: true, show: true },
    extras: [{ path: "safetySettings", rule: "drop" }],
  });
});

describe("URL-safe base64 and data addresses become plain bytes (bug 29)", () => {
  test.each(["_-8=", "/+8=", "data:audio/wav;base64,_-8="])("%s", (data) => {
    const [turn] = turnsOf(user({ inlineData: { mimeType: "audio/wav", data } }));
    expect(turn?.blocks[0]).toMatchObject({ type: "audio", source: { mediaType: "audio/wav", base64: "/+8=" } });
  });
});

describe("media by their type", () => {
  const at = "contents[0].parts[0]";
  const rows: [string, JsonObject, JsonObject][] = [
    [
      "a mislabelled picture (bug 26)",
      { inlineData: { mimeType: "image/png", data: "/9j/AAAA" } },
      { type: "image", source: { mediaType: "image/jpeg" } },
    ],
    [
      "a PDF sent as a picture (bug 27)",
      { inlineData: { mimeType: "image/png", data: "JVBERi0x" } },
      { type: "document", source: { mediaType: "application/pdf" } },
    ],
    [
      "sound (bug 28)",
      { inline_data: { mime_type: "audio/mp3", data: "AAAA" } },
      { type: "audio", source: { mediaType: "audio/mpeg" } },
    ],
    [
      "a document with its name",
      { inlineData: { mimeType: "application/pdf", data: "JVBERi0x", displayName: "a.pdf" } },
      { type: "document", title: "a.pdf" },
    ],
    [
      "a picture by address",
      { fileData: { mimeType: "image/webp", fileUri: "https://x.test/a" } },
      { type: "image", source: { kind: "url", url: "https://x.test/a" } },
    ],
    [
      "a picture by the end of its address",
      { fileData: { fileUri: "https://x.test/a.PNG?b" } },
      { type: "image", source: { kind: "url" } },
    ],
    [
      "a stored file",
      {
        fileData: {
          mimeType: "application/pdf",
          fileUri: "https://generativelanguage.googleapis.com/v1beta/files/abc",
        },
      },
      { type: "document", source: { kind: "file" } },
    ],
    [
      "a video",
      { fileData: { fileUri: "https://www.youtube.com/watch?v=1" } },
      { type: "foreign", origin: "gemini", path: `${at}.fileData` },
    ],
    [
      "a video's bytes",
      { inlineData: { mimeType: "video/mp4", data: "AAAA" } },
      { type: "foreign", path: `${at}.inlineData` },
    ],
    [
      "how closely to look",
      { inlineData: { mimeType: "image/png", data: "AAAA" }, mediaResolution: { level: "MEDIA_RESOLUTION_LOW" } },
      { type: "image", detail: "low" },
    ],
    ["tomorrow's part", { hologram: { x: 1 } }, { type: "foreign", origin: "gemini", path: at }],
  ];
  test.each(rows)("%s", (_, part, block) => {
    expect(turnsOf(user(part))[0]?.blocks[0]).toMatchObject(block);
  });
});

describe("calls and results", () => {
  const callPart = (id?: string, name = "get_time", more: JsonObject = {}): JsonObject => ({
    functionCall: { ...(id ? { id } : {}), name, args: { zone: "UTC" } },
    ...more,
  });
  const resultPart = (response: JsonObject, id?: string, name = "get_time"): JsonObject => ({
    functionResponse: { ...(id ? { id } : {}), name, response },
  });

  test("ids are made from the place where they are missing, and results find their calls by name and order", () => {
    const turns = turnsOf(
      user({ text: "hi" }),
      model(callPart(), callPart(undefined, "get_day"), callPart()),
      user(
        resultPart({ output: "1" }),
        resultPart({ output: "2" }),
        { text: "go on" },
        resultPart({ output: "3" }, undefined, "get_day"),
      ),
    );
    expect(turns.slice(1)).toEqual([
      said("assistant", call("call_1_0"), call("call_1_1", "get_day"), call("call_1_2")),
      said("tool", result("call_1_0", "1"), result("call_1_2", "2"), result("call_1_1", "3")),
      said("user", "go on"),
    ]);
  });

  test("calls in several contents are answered together", () => {
    const turns = turnsOf(
      user({ text: "hi" }),
      model(callPart()),
      model(callPart(undefined, "get_day")),
      user(resultPart({ output: "1" }), resultPart({ output: "2" }, undefined, "get_day")),
    );
    expect(turns.at(-1)).toEqual(said("tool", result("call_1_0", "1"), result("call_2_0", "2")));
  });

  test("a result without a call keeps its name", () => {
    expect(turnsOf(user(resultPart({ output: "1" })))).toEqual([said("tool", result("get_time", "1"))]);
  });

  const responses: [JsonObject, string, boolean][] = [
    [{ output: "noon" }, "noon", false],
    [{ output: "" }, "", false],
    [{}, "", false],
    [{ output: { a: 1 } }, '{"output":{"a":1}}', false],
    [{ temperature: 20, unit: "C" }, '{"temperature":20,"unit":"C"}', false],
    [{ error: "no network" }, "no network", true],
    [{ error: { code: 7 } }, '{"code":7}', true],
  ];
  test.each(responses)("response %j", (response, text, isError) => {
    const turns = turnsOf(user({ text: "hi" }), model(callPart("c1")), user(resultPart(response, "c1")));
    expect(turns.at(-1)).toEqual(said("tool", result("c1", text, isError)));
  });

  test("media in a result", () => {
    const parts = [{ inlineData: { mimeType: "image/png", data: "AAAA" } }];
    const turns = turnsOf(user({ functionResponse: { id: "c1", name: "look", response: {}, parts } }));
    expect(turns[0]?.blocks[0]).toMatchObject({
      content: [{ type: "image", path: "contents[0].parts[0].functionResponse.parts[0].inlineData" }],
    });
  });

  test("a snake_case result, and arguments that only look like spelled names", () => {
    const turns = turnsOf(
      model({ function_call: { name: "f", args: { some_key: { inner_key: 1 } } }, thought_signature: "abc" }),
      user({ function_response: { name: "f", response: { some_key: 1 } } }),
    );
    expect(turns).toMatchObject([
      { blocks: [{ input: '{"some_key":{"inner_key":1}}', signature: { data: "abc" } }] },
      { blocks: [{ content: [{ text: '{"some_key":1}' }] }] },
    ]);
  });
});

describe("state", () => {
  const native = { origin: "gemini", data: "AbC=" };
  const foreign = { origin: "anthropic", data: "EqQB" };
  const sealed = (signature: object) => ({ type: "thinking", text: "", signature, redacted: true });
  const call1 = { functionCall: { id: "c1", name: "get_time", args: { zone: "UTC" } } };
  const sentinel = "skip_thought_signature_validator";
  const rows: [string, JsonObject, object[]][] = [
    ["thought", { text: "Hm.", thought: true }, [{ type: "thinking", text: "Hm." }]],
    [
      "thought with another maker's state",
      { text: "Hm.", thought: true, thoughtSignature: foreignState },
      [{ type: "thinking", text: "Hm.", signature: foreign }],
    ],
    ["native on text", { text: "Hi", thoughtSignature: "AbC=" }, [{ type: "text", text: "Hi" }, sealed(native)]],
    ["native on empty text", { text: "", thoughtSignature: "AbC=" }, [sealed(native)]],
    ["native alone", { thoughtSignature: "AbC=" }, [sealed(native)]],
    [
      "another maker's on text",
      { text: "Hi", thoughtSignature: foreignState },
      [sealed(foreign), { type: "text", text: "Hi" }],
    ],
    ["native on a call", { ...call1, thoughtSignature: "AbC=" }, [{ ...call("c1"), signature: native }]],
    ["another maker's on a call", { ...call1, thoughtSignature: foreignState }, [sealed(foreign), call("c1")]],
    ["the stand-in", { ...call1, thoughtSignature: sentinel }, [call("c1")]],
    ["the stand-in as bytes", { ...call1, thoughtSignature: Buffer.from(sentinel).toString("base64") }, [call("c1")]],
    ["an empty envelope", { ...call1, thoughtSignature: envelopeText("none.") }, [call("c1")]],
    [
      "an envelope that is not encoded",
      { text: "Hi", thoughtSignature: "gw1.gemini.QWJDPQ" },
      [{ type: "text", text: "Hi" }, sealed(native)],
    ],
    ["empty text", { text: "" }, []],
  ];
  test.each(rows)("%s", (_, part, blocks) => {
    expect(turnsOf(user({ text: "hi" }), model(part))[1]?.blocks ?? []).toEqual(blocks as never);
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
      { choices: 1, stop: [] },
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
    [{ safetySettings: [{}] }, ["drop safetySettings"]],
    [{ safetySettings: [] }, []],
    [{ cachedContent: "c" }, ["reject cachedContent"]],
    [{ continuationToken: "t" }, ["reject continuationToken"]],
    [{ store: false, labels: { a: "b" }, model: "models/x" }, ["quiet store", "drop labels"]],
    [{ tomorrow: 1 }, ["drop tomorrow"]],
    [config({ responseModalities: ["TEXT"] }), ["quiet generationConfig.responseModalities"]],
    [config({ responseModalities: ["TEXT", "Image"] }), ["reject generationConfig.responseModalities"]],
    [
      config({ responseModalities: ["AUDIO"], speechConfig: { voiceConfig: {} } }),
      ["reject generationConfig.responseModalities", "drop generationConfig.speechConfig"],
    ],
    [config({ imageConfig: { aspectRatio: "1:1" } }), ["drop generationConfig.imageConfig"]],
    [config({ responseMimeType: "text/x.enum" }), ["reject generationConfig.responseMimeType"]],
    [{ toolConfig: { retrievalConfig: { languageCode: "en" } } }, ["drop toolConfig.retrievalConfig"]],
    [
      { contents: [user({ text: "x", videoMetadata: { fps: 1 } }), model({ executableCode: { code: "1" } })] },
      ["drop contents[0].parts[0].videoMetadata", "drop contents[1].parts[0].executableCode"],
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
