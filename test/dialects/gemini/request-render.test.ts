// Canonical requests as calls of this dialect.
import { describe, expect, test } from "bun:test";
import type { Block, ChatAsk, Tool, Turn } from "../../../src/canon/conversation.ts";
import { askOf, call, clientContext, contentsOf, dialect, refusal, rendered, result, said } from "./bench.ts";

const sentinel = "skip_thought_signature_validator";
const old = "gemini-2.5-flash";
const tool: Tool = {
  kind: "function",
  name: "get_time",
  description: "Time.",
  parameters: { type: "object", properties: { zone: { type: "string" } } },
};
/** Rows name a model only where it matters. */
const current = clientContext.model;
const refused = (ask: Partial<ChatAsk>, model?: string) => refusal(() => rendered(ask, model));
const callPart = (id: string, more: object = {}) => ({
  functionCall: { id, name: "get_time", args: { zone: "UTC" } },
  ...more,
});
const answer = (id: string, output = "noon") => ({ functionResponse: { id, name: "get_time", response: { output } } });

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
  const rows: [Partial<ChatAsk>, object, string[], string?][] = [
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
    [{ maxOutputTokens: 10, stop: ["a", " "] }, { maxOutputTokens: 10, stopSequences: ["a", " "] }, []],
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
    const { body, warnings: said } = rendered(ask, model);
    expect(body.generationConfig).toEqual(generationConfig as never);
    expect(said).toEqual([...warnings]);
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
  const rows: [Partial<ChatAsk>, string, string?][] = [
    [{ sampling: { logitBias: { "1": 5 } } }, "logitBias"],
    [{ stop: ["1", "2", "3", "4", "5", "6"] }, "stop"],
    [{ choices: 2 }, "choices"],
    [{ choices: 2, stream: true }, "choices", old],
    [{ choices: 9 }, "choices", old],
    [{ format: { type: "json" }, tools: [tool] }, "format", old],
    [{ format: { type: "schema", schema: { not: {} }, strict: true } }, "format"],
    [{ tools: [tool], toolChoice: { type: "tool", name: "other" } }, "toolChoice"],
    [{ turns: [] }, "messages"],
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

describe("roles and turns", () => {
  test("all system prefixes are kept, in order (bug 24)", () => {
    const ask: Partial<ChatAsk> = {
      system: [{ type: "text", text: "a" }],
      turns: [said("system", "b"), said("user", "hi")],
    };
    expect(rendered(ask).body.systemInstruction).toEqual({ parts: [{ text: "a" }, { text: "b" }] });
  });

  test("a system turn in the middle keeps its place, marked (bug 23)", () => {
    const turns = [said("user", "a"), said("assistant", "b"), said("system", "c"), said("user", "d")];
    expect(contentsOf(turns)).toEqual({
      contents: [
        { role: "user", parts: [{ text: "a" }] },
        { role: "model", parts: [{ text: "b" }] },
        { role: "user", parts: [{ text: "<system>\nc\n</system>" }, { text: "d" }] },
      ],
      warnings: ["approximated client.messages"],
    });
  });

  test("the first turn is the user's", () => {
    expect(contentsOf([said("assistant", "a")])).toEqual({
      contents: [
        { role: "user", parts: [{ text: "." }] },
        { role: "model", parts: [{ text: "a" }] },
      ],
      warnings: ["approximated client.messages"],
    });
  });

  test("a participant's name stands before the words", () => {
    const turn: Turn = { ...said("user", "hi"), name: "Ann" };
    expect(contentsOf([turn])).toEqual({
      contents: [{ role: "user", parts: [{ text: "Ann: hi" }] }],
      warnings: ["approximated client.messages"],
    });
  });

  test("empty texts and turns are none (bug 21)", () => {
    expect(contentsOf([said("user", "a"), said("assistant", ""), said("user", "b")]).contents).toEqual([
      { role: "user", parts: [{ text: "a" }, { text: "b" }] },
    ]);
  });
});

describe("calls and results", () => {
  test("parallel calls are one content, their results another, in call order (bugs 4, 5)", () => {
    const turns = [
      said("user", "hi"),
      said("assistant", call("c1")),
      said("assistant", call("c2")),
      said("tool", result("c2", "two")),
      said("tool", result("c1", "one")),
      said("user", "and?"),
    ];
    expect(contentsOf(turns)).toEqual({
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [callPart("c1", { thoughtSignature: sentinel }), callPart("c2")] },
        { role: "user", parts: [answer("c1", "one"), answer("c2", "two")] },
        { role: "user", parts: [{ text: "and?" }] },
      ],
      warnings: [],
    });
  });

  test("older models know no ids and want no proof", () => {
    const turns = [said("user", "hi"), said("assistant", call("c1")), said("tool", result("c1"))];
    expect(contentsOf(turns, old).contents).toEqual([
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [{ functionCall: { name: "get_time", args: { zone: "UTC" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "get_time", response: { output: "noon" } } }] },
    ]);
  });

  test("a call without a result gets one (bug 6), a result without a call is told as text (bug 7)", () => {
    const turns = [said("tool", result("gone", "late")), said("assistant", call("c1")), said("user", "go on")];
    expect(contentsOf(turns)).toEqual({
      contents: [
        { role: "user", parts: [{ text: "Result of an earlier tool call (gone):" }, { text: "late" }] },
        { role: "model", parts: [callPart("c1", { thoughtSignature: sentinel })] },
        {
          role: "user",
          parts: [{ functionResponse: { id: "c1", name: "get_time", response: { error: "no result was provided" } } }],
        },
        { role: "user", parts: [{ text: "go on" }] },
      ],
      warnings: ["approximated client.messages"],
    });
  });

  const responses: [string, boolean, object][] = [
    ["noon", false, { output: "noon" }],
    ["", false, { output: "" }],
    ['{"a":1}', false, { a: 1 }],
    ["[1]", false, { output: "[1]" }],
    ["{broken", false, { output: "{broken" }],
    ["no", true, { error: "no" }],
    ['{"code":7}', true, { error: { code: 7 } }],
  ];
  test.each(responses)("result %j, error %p", (text, isError, response) => {
    const turns = [said("user", "hi"), said("assistant", call("c1")), said("tool", result("c1", text, isError))];
    expect(contentsOf(turns).contents).toMatchObject([{}, {}, { parts: [{ functionResponse: { response } }] }]);
  });

  test("ids that repeat in later turns keep the names of their own turn", () => {
    const turns = [
      said("user", "hi"),
      said("assistant", call("1", "a")),
      said("tool", result("1")),
      said("assistant", call("1", "b")),
      said("tool", result("1")),
    ];
    expect(contentsOf(turns).contents).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { name: "a" } }] },
      {},
      { parts: [{ functionResponse: { name: "b" } }] },
    ]);
  });

  const inputs: [string, object, string[]][] = [
    ["", {}, []],
    ["  ", {}, []],
    ["5", { value: 5 }, []],
    ['{"a":{"b":1', { a: { b: 1 } }, ["approximated client.messages"]],
    ["nonsense", { _raw_arguments: "nonsense" }, ["approximated client.messages"]],
  ];
  test.each(inputs)("arguments %j (bugs 13, 14)", (input, args, warnings) => {
    const turns = [said("user", "hi"), said("assistant", call("c1", "get_time", input)), said("tool", result("c1"))];
    const made = contentsOf(turns);
    expect(made.contents).toMatchObject([{}, { parts: [{ functionCall: { args } }] }, {}]);
    expect(made.warnings).toEqual([...warnings]);
  });

  describe("media in a result (bug 19)", () => {
    const image: Block = { type: "image", source: { kind: "bytes", mediaType: "image/png", base64: "AAAA" } };
    const turns = [
      said("user", "hi"),
      said("assistant", call("c1")),
      said("tool", {
        type: "tool-result",
        callId: "c1",
        content: [{ type: "text", text: "see" }, image],
        isError: false,
      }),
    ];
    const part = { inlineData: { mimeType: "image/png", data: "AAAA" } };

    test("newer models hold it in the response", () => {
      expect(contentsOf(turns).contents).toMatchObject([
        {},
        {},
        { parts: [{ functionResponse: { response: { output: "see" }, parts: [part] } }] },
      ]);
    });

    test("for older ones it follows in a content of its own", () => {
      expect(contentsOf(turns, old)).toMatchObject({
        contents: [{}, {}, { parts: [{ functionResponse: { response: { output: "see" } } }] }, { parts: [part] }],
        warnings: ["approximated client.messages"],
      });
    });
  });
});

describe("state in the history", () => {
  const own = (data: string) => ({ origin: "gemini", data });
  const sealed = (data: string, origin = "gemini"): Block => ({
    type: "thinking",
    text: "",
    signature: { origin, data },
    redacted: true,
  });
  const modelParts = (...blocks: (Block | string)[]) => {
    const turns = [said("user", "hi"), said("assistant", ...blocks), said("user", "on")];
    const [, content] = contentsOf(turns).contents as { parts: object[] }[];
    return content?.parts;
  };
  const rows: [string, (Block | string)[], object[]][] = [
    ["on its own call", [{ ...call("c1"), signature: own("S") } as Block], [callPart("c1", { thoughtSignature: "S" })]],
    ["before a call", [sealed("S"), call("c1")], [callPart("c1", { thoughtSignature: "S" })]],
    ["after a text", ["Hi", sealed("S")], [{ text: "Hi", thoughtSignature: "S" }]],
    [
      "between a text and a call: the call needs it",
      ["Hi", sealed("S"), call("c1")],
      [{ text: "Hi" }, callPart("c1", { thoughtSignature: "S" })],
    ],
    [
      "one for each",
      ["Hi", sealed("S"), sealed("T"), call("c1")],
      [{ text: "Hi", thoughtSignature: "S" }, callPart("c1", { thoughtSignature: "T" })],
    ],
    ["before a text", [sealed("S"), "Hi"], [{ text: "Hi", thoughtSignature: "S" }]],
    ["alone", [sealed("S")], [{ text: "", thoughtSignature: "S" }]],
    [
      "with its thought",
      [{ type: "thinking", text: "Hm.", signature: own("S") }, "Hi"],
      [{ text: "Hm.", thought: true, thoughtSignature: "S" }, { text: "Hi" }],
    ],
    ["thought without proof is left out", [{ type: "thinking", text: "Hm." }, "Hi"], [{ text: "Hi" }]],
    ["another maker's is left out (bug 33)", [sealed("S", "anthropic"), "Hi"], [{ text: "Hi" }]],
    [
      "another maker's call gets the stand-in, the first of a set alone (bug 10)",
      [sealed("S", "anthropic"), { ...call("c1"), signature: { origin: "x", data: "S" } } as Block, call("c2")],
      [callPart("c1", { thoughtSignature: sentinel }), callPart("c2")],
    ],
  ];
  test.each(rows)("%s", (_, blocks, parts) => {
    expect(modelParts(...blocks)).toEqual(parts);
  });
});

describe("content", () => {
  const bytes = (mediaType: string, base64 = "AAAA") => ({ kind: "bytes", mediaType, base64 }) as const;
  const rows: [string, Block, object[], string[]][] = [
    [
      "a picture",
      { type: "image", source: bytes("image/png") },
      [{ inlineData: { mimeType: "image/png", data: "AAAA" } }],
      [],
    ],
    [
      "a picture by address",
      { type: "image", source: { kind: "url", url: "https://x.test/a.webp" } },
      [{ fileData: { mimeType: "image/webp", fileUri: "https://x.test/a.webp" } }],
      [],
    ],
    [
      "a data address",
      { type: "image", source: { kind: "url", url: "data:image/png;base64,AAAA" } },
      [{ inlineData: { mimeType: "image/png", data: "AAAA" } }],
      [],
    ],
    [
      "how closely to look",
      { type: "image", source: bytes("image/png"), detail: "low", path: "p" },
      [{ inlineData: { mimeType: "image/png", data: "AAAA" }, mediaResolution: { level: "MEDIA_RESOLUTION_LOW" } }],
      ["approximated p"],
    ],
    [
      "sound",
      { type: "audio", source: bytes("audio/mpeg") },
      [{ inlineData: { mimeType: "audio/mp3", data: "AAAA" } }],
      [],
    ],
    [
      "a PDF",
      {
        type: "document",
        source: bytes("application/pdf"),
        title: "a.pdf",
        context: "about",
        citations: true,
        path: "p",
      },
      [{ text: "about" }, { inlineData: { mimeType: "application/pdf", data: "AAAA" } }],
      ["dropped p.citations"],
    ],
    ["a text", { type: "document", source: { kind: "text", text: "words" }, title: "T" }, [{ text: "T\n\nwords" }], []],
    ["a text's bytes", { type: "document", source: bytes("text/csv", "YQ==") }, [{ text: "a" }], []],
    [
      "a file of its own",
      { type: "document", source: { kind: "file", id: "gs://bucket/a.pdf" } },
      [{ fileData: { fileUri: "gs://bucket/a.pdf" } }],
      [],
    ],
    ["a refusal", { type: "refusal", text: "No." }, [{ text: "No." }], []],
    ["its own kind", { type: "foreign", origin: "gemini", wire: { a: 1 } }, [{ a: 1 }], []],
  ];
  test.each(rows)("%s", (_, block, parts, warnings) => {
    expect(contentsOf([said("user", block)])).toEqual({ contents: [{ role: "user", parts }] as never, warnings });
  });

  const bad: [string, Block][] = [
    ["another provider's file", { type: "document", source: { kind: "file", id: "file-1" }, path: "p" }],
    ["a spreadsheet", { type: "document", source: bytes("application/vnd.ms-excel"), path: "p" }],
    ["a foreign part", { type: "foreign", origin: "anthropic-messages", wire: {}, path: "p" }],
  ];
  test.each(bad)("%s is refused by its path", (_, block) => {
    expect(refused({ turns: [said("user", block)] })).toEqual({
      kind: "unsupported_parameter",
      param: "p",
      status: 400,
    });
  });
});
