// From a client's body to an ask: every field, parts of every kind, roles and their order, extras and their rules.
import { describe, expect, test } from "bun:test";
import type { ChatAsk } from "../../../src/canon/conversation.ts";
import { wrapOpaque } from "../../../src/canon/opaque.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { baseAsk, parse, parseMessages, thrown } from "./helpers.ts";

const fn = { type: "function", function: { name: "f" } };

const fields: readonly (readonly [string, JsonObject, Partial<ChatAsk>])[] = [
  ["nothing more", {}, {}],
  [
    "sampling",
    { temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1, seed: 7, logit_bias: { "1": 2 } },
    {
      sampling: { temperature: 0, topP: 0.5, presencePenalty: 1, frequencyPenalty: -1, seed: 7, logitBias: { "1": 2 } },
    },
  ],
  ["one stop", { stop: "END" }, { stop: ["END"] }],
  ["stops", { stop: ["a", "b"] }, { stop: ["a", "b"] }],
  ["choices", { n: 3 }, { choices: 3 }],
  ["the older bound", { max_tokens: 5 }, { maxOutputTokens: 5 }],
  ["both bounds: the newer wins", { max_tokens: 5, max_completion_tokens: 9 }, { maxOutputTokens: 9 }],
  ["log probabilities", { logprobs: true, top_logprobs: 4 }, { logprobs: 4 }],
  ["log probabilities without alternatives", { logprobs: true }, { logprobs: 0 }],
  ["effort", { reasoning_effort: "xhigh" }, { reasoning: { effort: "xhigh" } }],
  ["verbosity", { verbosity: "low" }, { verbosity: "low" }],
  ["tier", { service_tier: "flex" }, { tier: "flex" }],
  ["tier auto is no wish", { service_tier: "auto" }, {}],
  ["user", { user: "u" }, { endUser: "u" }],
  ["safety_identifier before user", { user: "u", safety_identifier: "s" }, { endUser: "s" }],
  ["stream", { stream: true }, { stream: true }],
  [
    "stream with usage",
    { stream: true, stream_options: { include_usage: true } },
    { stream: true, includeUsage: true },
  ],
  ["text", { response_format: { type: "text" } }, { format: { type: "text" } }],
  ["JSON", { response_format: { type: "json_object" } }, { format: { type: "json" } }],
  [
    "a schema",
    { response_format: { type: "json_schema", json_schema: { name: "a", schema: { type: "object" }, strict: false } } },
    { format: { type: "schema", name: "a", schema: { type: "object" }, strict: false } },
  ],
  ["nulls and nothings", { stop: null, tools: [], tool_choice: null, n: null, logit_bias: {}, stream: null }, {}],
  ["a choice among no tools", { tool_choice: "required", tools: [] }, {}],
];

const choices: readonly (readonly [JsonObject["x"], ChatAsk["toolChoice"]])[] = [
  ["auto", { type: "auto" }],
  ["none", { type: "none" }],
  ["required", { type: "required" }],
  [{ type: "auto" }, { type: "auto" }],
  [
    { type: "function", function: { name: "f" } },
    { type: "tool", name: "f" },
  ],
  [
    { type: "function", name: "f" },
    { type: "tool", name: "f" },
  ],
  [
    { type: "custom", custom: { name: "f" } },
    { type: "tool", name: "f" },
  ],
  [
    { type: "allowed_tools", allowed_tools: { mode: "required", tools: [fn] } },
    { type: "allowed", names: ["f"], required: true },
  ],
];

describe("the fields of a body", () => {
  test.each(fields.map((row) => [...row] as const))("%s", (_name, wire, ask) => {
    const parsed = parse(wire);
    expect(parsed).toStrictEqual({ ...baseAsk, ...ask });
  });

  test.each(choices.map((row) => [...row] as const))("tool choice %j", (wire, choice) => {
    expect(parse({ tools: [fn], tool_choice: wire }).toolChoice).toEqual(choice);
  });

  test("tools of every kind", () => {
    const parameters = { type: "object" };
    const { tools, parallelToolCalls } = parse({
      tools: [
        { type: "function", function: { name: "f", description: "d", parameters, strict: true } },
        {
          type: "custom",
          custom: { name: "c", format: { type: "grammar", grammar: { syntax: "lark", definition: "x" } } },
        },
        { type: "web_search", depth: 3 },
      ],
      parallel_tool_calls: false,
    });
    expect(parallelToolCalls).toBe(false);
    expect(tools).toStrictEqual([
      { kind: "function", name: "f", description: "d", parameters, strict: true },
      {
        kind: "custom",
        name: "c",
        format: { type: "grammar", grammar: { syntax: "lark", definition: "x" } },
        path: "tools[1]",
      },
      { kind: "hosted", origin: "openai-chat", wire: { type: "web_search", depth: 3 }, path: "tools[2].type" },
    ]);
  });

  test("fields that only this dialect has, each with its rule", () => {
    const wire = {
      store: true,
      metadata: { a: "b" },
      prompt_cache_key: "k",
      prediction: { type: "content", content: "x" },
      modalities: ["text", "audio"],
      audio: { voice: "alloy", format: "wav" },
      web_search_options: {},
      service_tier: "scale",
      top_k: 5,
      constructor: "x",
      nothing: null,
      empty: {},
      stream_options: { include_obfuscation: false, tomorrow: 1 },
    };
    expect(parse(wire).extras).toEqual([
      { path: "store", rule: "quiet" },
      { path: "metadata", rule: "quiet" },
      { path: "prompt_cache_key", rule: "quiet" },
      { path: "prediction", rule: "drop" },
      { path: "modalities", rule: "reject" },
      { path: "audio", rule: "quiet" },
      { path: "web_search_options", rule: "reject" },
      { path: "service_tier", rule: "drop" },
      { path: "top_k", rule: "drop" },
      { path: "constructor", rule: "drop" },
      { path: "stream_options.include_obfuscation", rule: "quiet" },
      { path: "stream_options.tomorrow", rule: "drop" },
    ]);
    expect(parse({ modalities: ["text"] }).extras).toEqual([{ path: "modalities", rule: "quiet" }]);
  });
});

const png = "iVBORw0KGgoAAA";
const parts: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ["text", { type: "text", text: "a" }, { type: "text", text: "a" }],
  [
    "text with a cache mark",
    { type: "text", text: "a", prompt_cache_breakpoint: { mode: "explicit" } },
    { type: "text", text: "a", cache: { wire: { mode: "explicit" } } },
  ],
  [
    "an image by address",
    { type: "image_url", image_url: { url: "https://a/b.png", detail: "low" } },
    { type: "image", source: { kind: "url", url: "https://a/b.png" }, detail: "low" },
  ],
  [
    "an image by data URI, type by its bytes",
    { type: "image_url", image_url: { url: `data:image/jpg;base64,${png}` } },
    { type: "image", source: { kind: "bytes", mediaType: "image/png", base64: png } },
  ],
  [
    "image/jpg is image/jpeg",
    { type: "image_url", image_url: { url: "data:image/jpg;base64,AAAA" } },
    { type: "image", source: { kind: "bytes", mediaType: "image/jpeg", base64: "AAAA" } },
  ],
  [
    "a PDF inside image_url is a document",
    { type: "image_url", image_url: { url: "data:image/png;base64,JVBERi0x" } },
    { type: "document", source: { kind: "bytes", mediaType: "application/pdf", base64: "JVBERi0x" } },
  ],
  [
    "audio",
    { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    { type: "audio", source: { kind: "bytes", mediaType: "audio/mpeg", base64: "AAAA" } },
  ],
  [
    "audio that came as a data URI",
    { type: "input_audio", input_audio: { data: "data:audio/wav;base64,AAAA", format: "wav" } },
    { type: "audio", source: { kind: "bytes", mediaType: "audio/wav", base64: "AAAA" } },
  ],
  [
    "a file by data URI",
    { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" } },
    { type: "document", title: "a.pdf", source: { kind: "bytes", mediaType: "application/pdf", base64: "JVBERi0x" } },
  ],
  [
    "a file by bare base64url",
    { type: "file", file: { filename: "a.txt", file_data: "a-_b" } },
    { type: "document", title: "a.txt", source: { kind: "bytes", mediaType: "text/plain", base64: "a+/b" } },
  ],
  [
    "a file that is an image",
    { type: "file", file: { filename: "a.png", file_data: png } },
    { type: "image", source: { kind: "bytes", mediaType: "image/png", base64: png } },
  ],
  [
    "a file by id",
    { type: "file", file: { file_id: "file-1" } },
    { type: "document", source: { kind: "file", id: "file-1" } },
  ],
];

describe("content parts", () => {
  test.each(parts.map((row) => [...row] as const))("%s", (_name, part, block) => {
    const { turns } = parseMessages({ role: "user", content: [part] });
    const path = block.type === "text" ? {} : { path: "messages[0].content[0]" };
    expect(turns).toEqual([{ role: "user", blocks: [{ ...block, ...path } as never] }]);
  });

  test("a part of tomorrow stays as it is", () => {
    const part = { type: "video_url", video_url: { url: "https://a/b.mp4" } };
    const constructorPart = { type: "constructor" };
    const { turns } = parseMessages({ role: "user", content: [part, constructorPart] });
    expect(turns[0]?.blocks).toEqual([
      { type: "foreign", origin: "openai-chat", wire: part, path: "messages[0].content[0]" },
      { type: "foreign", origin: "openai-chat", wire: constructorPart, path: "messages[0].content[1]" },
    ]);
  });

  const user = (part: JsonObject) => () => parseMessages({ role: "user", content: [part] });
  const refusals: readonly (readonly [string, () => unknown, string, string])[] = [
    ["text without text", user({ type: "text" }), "missing_required_parameter", "messages[0].content[0].text"],
    [
      "an image without an image",
      user({ type: "image_url" }),
      "missing_required_parameter",
      "messages[0].content[0].image_url",
    ],
    [
      "an image that is no address",
      user({ type: "image_url", image_url: { url: "ftp://a" } }),
      "invalid_value",
      "messages[0].content[0].image_url.url",
    ],
    [
      "audio without audio",
      user({ type: "input_audio" }),
      "missing_required_parameter",
      "messages[0].content[0].input_audio",
    ],
    [
      "a file without bytes",
      user({ type: "file", file: {} }),
      "missing_required_parameter",
      "messages[0].content[0].file.file_data",
    ],
    [
      "a user who says nothing",
      () => parseMessages({ role: "user" }),
      "missing_required_parameter",
      "messages[0].content",
    ],
    [
      "an assistant who says nothing",
      () => parseMessages({ role: "assistant" }),
      "missing_required_parameter",
      "messages[0].content",
    ],
    [
      "a result without a call",
      () => parseMessages({ role: "tool", content: "x" }),
      "missing_required_parameter",
      "messages[0].tool_call_id",
    ],
    [
      "an image in a system message",
      () => parseMessages({ role: "system", content: [{ type: "image_url", image_url: { url: "https://a" } }] }),
      "invalid_value",
      "messages[0].content[0].type",
    ],
    ["an unknown choice", () => parse({ tools: [fn], tool_choice: "maybe" }), "invalid_value", "tool_choice"],
    [
      "a choice without a name",
      () => parse({ tools: [fn], tool_choice: { type: "function" } }),
      "missing_required_parameter",
      "tool_choice.function.name",
    ],
    [
      "a choice of no kind",
      () => parse({ tools: [fn], tool_choice: { type: "any" } }),
      "invalid_value",
      "tool_choice.type",
    ],
    [
      "a function tool without a function",
      () => parse({ tools: [{ type: "function" }] }),
      "missing_required_parameter",
      "tools[0].function",
    ],
    [
      "a schema format without a schema",
      () => parse({ response_format: { type: "json_schema", json_schema: { name: "a" } } }),
      "missing_required_parameter",
      "response_format.json_schema.schema",
    ],
    ["tools in both forms", () => parse({ tools: [fn], functions: [{ name: "f" }] }), "invalid_value", "functions"],
    ["alternatives without log probabilities", () => parse({ top_logprobs: 2 }), "invalid_value", "top_logprobs"],
  ];

  test.each(refusals.map((row) => [...row] as const))("refuses %s", (_name, call, kind, param) => {
    expect(thrown(call)).toMatchObject({ kind, param });
  });
});

describe("roles and their order", () => {
  test("every leading system message is the prefix, a later one keeps its place (bugs 23, 24)", () => {
    const ask = parseMessages(
      { role: "developer", content: "one" },
      { role: "system", content: [{ type: "text", text: "two" }] },
      { role: "user", content: "hi", name: "ann" },
      { role: "system", content: "three" },
    );
    expect(ask.system.map((block) => block.text)).toEqual(["one", "two"]);
    expect(ask.turns).toEqual([
      { role: "user", name: "ann", blocks: [{ type: "text", text: "hi" }] },
      { role: "system", blocks: [{ type: "text", text: "three" }] },
    ]);
  });

  test("null content with calls is legal (bug 22), and empty arguments are an empty object (bug 13)", () => {
    const call = { id: "a", type: "function", function: { name: "f", arguments: "" } };
    const custom = { id: "b", type: "custom", custom: { name: "c", input: "" } };
    const { turns } = parseMessages({ role: "assistant", content: null, tool_calls: [call, custom] });
    expect(turns[0]?.blocks).toEqual([
      { type: "tool-call", id: "a", name: "f", kind: "function", input: "{}" },
      { type: "tool-call", id: "b", name: "c", kind: "custom", input: "" },
    ]);
  });

  test("results stand behind the turn that made the calls, whatever came between", () => {
    const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
    const { turns } = parseMessages(
      { role: "assistant", tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: "A" },
      { role: "user", content: "wait" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "B" }] },
      { role: "assistant", tool_calls: [call("a")] },
      { role: "tool", tool_call_id: "a", content: "second A" },
      { role: "tool", tool_call_id: "gone", content: "orphan" },
    );
    expect(turns.map((turn) => turn.role)).toEqual(["assistant", "tool", "user", "assistant", "tool", "tool"]);
    expect(turns[1]?.blocks.map((block) => "callId" in block && block.callId)).toEqual(["a", "b"]);
    expect(turns[4]?.blocks).toMatchObject([{ callId: "a", content: [{ text: "second A" }], isError: false }]);
    expect(turns[5]?.blocks).toMatchObject([{ callId: "gone" }]);
  });

  test("an assistant's refusal, stored speech, thinking and signed calls", () => {
    const envelope = wrapOpaque({ origin: "claude", data: "sig" });
    const { turns } = parseMessages({
      role: "assistant",
      content: "answer",
      refusal: "no",
      reasoning_content: "hm",
      reasoning_details: [{ type: "reasoning.text", text: "hm", signature: envelope, index: 0 }],
      audio: { id: "audio_1" },
      tool_calls: [
        {
          id: "a",
          type: "function",
          function: { name: "f", arguments: "{}" },
          extra_content: { google: { thought_signature: wrapOpaque({ origin: "gem", data: "ts" }) } },
        },
      ],
    });
    expect(turns[0]?.blocks).toEqual([
      { type: "thinking", text: "hm", signature: { origin: "claude", data: "sig" } },
      { type: "text", text: "answer" },
      { type: "refusal", text: "no" },
      { type: "foreign", origin: "openai-chat", wire: { audio: { id: "audio_1" } }, path: "messages[0].audio" },
      {
        type: "tool-call",
        id: "a",
        name: "f",
        kind: "function",
        input: "{}",
        signature: { origin: "gem", data: "ts" },
      },
    ]);
  });

  test("plain reasoning_content, and details whose text stands there alone", () => {
    const details = [{ type: "reasoning.text", signature: wrapOpaque({ origin: "c", data: "s" }) }];
    const one = parseMessages({ role: "assistant", content: "a", reasoning_content: "hm" });
    const two = parseMessages({ role: "assistant", content: "a", reasoning: "hm", reasoning_details: details });
    expect(one.turns[0]?.blocks[0]).toEqual({ type: "thinking", text: "hm" });
    expect(two.turns[0]?.blocks[0]).toEqual({ type: "thinking", text: "hm", signature: { origin: "c", data: "s" } });
  });

  test("the form from before tools becomes tools, calls and results", () => {
    const ask = parse({
      functions: [{ name: "f", parameters: { type: "object" } }],
      function_call: { name: "f" },
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: null, function_call: { name: "f", arguments: "" } },
        { role: "function", name: "f", content: "42" },
      ],
    });
    expect(ask.tools).toEqual([{ kind: "function", name: "f", parameters: { type: "object" } }]);
    expect(ask).toMatchObject({ toolChoice: { type: "tool", name: "f" }, parallelToolCalls: false });
    expect(ask.extras).toEqual([{ path: "functions", rule: "quiet" }]);
    const [, assistant, tool] = ask.turns;
    expect(assistant?.blocks).toMatchObject([{ type: "tool-call", name: "f", input: "{}" }]);
    const call = assistant?.blocks[0];
    const id = call?.type === "tool-call" ? call.id : "";
    expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
    expect(tool?.blocks).toMatchObject([{ type: "tool-result", callId: id, content: [{ text: "42" }] }]);
  });
});
