// The request schema: every bound of the specification from both sides, what SDK clients send as nothing, paths of faults.
import { describe, expect, test } from "bun:test";
import { Compile } from "typebox/compile";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { hello } from "./helpers.ts";

const validator = Compile(openaiChat.request.schema);
const accepts = (body: JsonObject): boolean => validator.Check(body);
const faults = (body: JsonObject): string[] => validator.Errors(body).map((fault) => fault.instancePath);

const part = (members: JsonObject): JsonObject => ({ messages: [{ role: "user", content: [members] }] });

const fine: readonly (readonly [string, JsonObject])[] = [
  ["temperature at 0", { temperature: 0 }],
  ["temperature at 2", { temperature: 2 }],
  ["top_p at 0", { top_p: 0 }],
  ["top_p at 1", { top_p: 1 }],
  ["n at 1", { n: 1 }],
  ["penalties at -2 and 2", { presence_penalty: -2, frequency_penalty: 2 }],
  ["penalties at 2 and -2", { presence_penalty: 2, frequency_penalty: -2 }],
  ["stop as a string", { stop: "x" }],
  ["stop as a list", { stop: ["x", "y", "z", "u", "v"] }],
  ["stream and its options", { stream: true, stream_options: { include_usage: true } }],
  ["bounds on output", { max_tokens: 1, max_completion_tokens: 1 }],
  ["logit_bias with numbers", { logit_bias: { "50256": -100, "1": 0.5 } }],
  ["user", { user: "u" }],
  ["seed", { seed: -3 }],
  ["a tool without a schema", { tools: [{ type: "function", function: { name: "f" } }] }],
  ["a custom tool", { tools: [{ type: "custom", custom: { name: "f", format: { type: "text" } } }] }],
  ["a tool of tomorrow", { tools: [{ type: "web_search", depth: 3 }] }],
  ["tool_choice as a word", { tool_choice: "required" }],
  ["tool_choice as an object", { tool_choice: { type: "function", function: { name: "f" } } }],
  ["modalities", { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } }],
  ["a voice by id", { audio: { voice: { id: "v1" }, format: "pcm16" } }],
  ["an unknown field", { tomorrow: { kept: [1] } }],
  ["a part of tomorrow", part({ type: "video_url", video_url: { url: "https://a/b.mp4" } })],
  ["legacy functions", { functions: [{ name: "f" }], function_call: { name: "f" } }],
  [
    "null content with calls",
    {
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
        },
      ],
    },
  ],
];

const bad: readonly (readonly [string, JsonObject, string])[] = [
  ["no model", { model: undefined }, ""],
  ["an empty model", { model: "" }, "/model"],
  ["model as a number", { model: 3 }, "/model"],
  ["no messages", { messages: undefined }, ""],
  ["an empty conversation", { messages: [] }, "/messages"],
  ["messages as a string", { messages: "hi" }, "/messages"],
  ["an unknown role", { messages: [{ role: "robot", content: "x" }] }, "/messages/0/role"],
  ["content as a number", { messages: [{ role: "user", content: 3 }] }, "/messages/0/content"],
  ["a part without a type", part({ text: "x" }), "/messages/0/content/0"],
  ["a part's type as a number", part({ type: 3 }), "/messages/0/content/0/type"],
  ["a part's text as a number", part({ type: "text", text: 3 }), "/messages/0/content/0/text"],
  ["an image without an address", part({ type: "image_url", image_url: {} }), "/messages/0/content/0/image_url"],
  [
    "an unknown detail",
    part({ type: "image_url", image_url: { url: "u", detail: "huge" } }),
    "/messages/0/content/0/image_url/detail",
  ],
  [
    "audio of another format",
    part({ type: "input_audio", input_audio: { data: "", format: "ogg" } }),
    "/messages/0/content/0/input_audio/format",
  ],
  ["temperature below", { temperature: -0.01 }, "/temperature"],
  ["temperature above", { temperature: 2.01 }, "/temperature"],
  ["temperature as text", { temperature: "1" }, "/temperature"],
  ["top_p below", { top_p: -0.01 }, "/top_p"],
  ["top_p above", { top_p: 1.01 }, "/top_p"],
  ["n at 0", { n: 0 }, "/n"],
  ["n as a fraction", { n: 1.5 }, "/n"],
  ["presence_penalty below", { presence_penalty: -2.1 }, "/presence_penalty"],
  ["presence_penalty above", { presence_penalty: 2.1 }, "/presence_penalty"],
  ["frequency_penalty below", { frequency_penalty: -2.1 }, "/frequency_penalty"],
  ["frequency_penalty above", { frequency_penalty: 2.1 }, "/frequency_penalty"],
  ["stream as text", { stream: "true" }, "/stream"],
  ["include_usage as text", { stream_options: { include_usage: "yes" } }, "/stream_options/include_usage"],
  ["stop as a number", { stop: 3 }, "/stop"],
  ["stop with a number", { stop: ["x", 3] }, "/stop/1"],
  ["max_tokens as a fraction", { max_tokens: 1.5 }, "/max_tokens"],
  ["max_tokens at 0", { max_tokens: 0 }, "/max_tokens"],
  ["max_completion_tokens as text", { max_completion_tokens: "9" }, "/max_completion_tokens"],
  ["logit_bias with text", { logit_bias: { "1": "much" } }, "/logit_bias/1"],
  ["user as a number", { user: 3 }, "/user"],
  ["tools as an object", { tools: {} }, "/tools"],
  ["a tool without a name", { tools: [{ type: "function", function: {} }] }, "/tools/0/function"],
  ["tool_choice as a number", { tool_choice: 3 }, "/tool_choice"],
  ["an unknown response_format", { response_format: { type: "yaml" } }, "/response_format/type"],
  ["response_format without a type", { response_format: {} }, "/response_format"],
  ["seed as a fraction", { seed: 0.5 }, "/seed"],
  ["an unknown effort", { reasoning_effort: "enormous" }, "/reasoning_effort"],
  ["an unknown modality", { modalities: ["smell"] }, "/modalities/0"],
  ["audio.format of another kind", { audio: { format: "midi" } }, "/audio/format"],
  ["audio as text", { audio: "loud" }, "/audio"],
  ["top_logprobs above", { top_logprobs: 21 }, "/top_logprobs"],
];

const optionalFields = [
  "temperature",
  "top_p",
  "n",
  "stream",
  "stream_options",
  "stop",
  "max_tokens",
  "max_completion_tokens",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "user",
  "tools",
  "tool_choice",
  "response_format",
  "seed",
  "reasoning_effort",
  "modalities",
  "audio",
  "verbosity",
  "service_tier",
  "metadata",
  "functions",
];

describe("the schema", () => {
  test.each(fine.map(([name, more]) => [name, more] as const))("takes %s", (_name, more) => {
    expect(faults({ ...hello, ...more })).toEqual([]);
    expect(accepts({ ...hello, ...more })).toBe(true);
  });

  test.each(bad.map((row) => [...row] as const))("refuses %s", (_name, more, path) => {
    const body = JSON.parse(JSON.stringify({ ...hello, ...more })) as JsonObject;
    expect(accepts(body)).toBe(false);
    expect(faults(body)).toContain(path);
  });

  test.each(["none", "minimal", "low", "medium", "high", "xhigh", "max"])("takes the effort %s", (effort) => {
    expect(accepts({ ...hello, reasoning_effort: effort })).toBe(true);
  });

  test.each(optionalFields)("takes null for %s, as SDK clients send it", (field) => {
    expect(accepts({ ...hello, [field]: null })).toBe(true);
  });

  test("takes what LangChain-like clients send as nothing", () => {
    const noise: Record<string, Json> = { stop: [], tools: [], tool_choice: null, n: null, logit_bias: {} };
    expect(accepts({ ...hello, ...noise })).toBe(true);
  });

  test("is a JSON Schema with the defaults of the specification", () => {
    const { properties, required } = JSON.parse(JSON.stringify(openaiChat.request.schema));
    expect(required).toEqual(["model", "messages"]);
    const defaults = { temperature: 1, top_p: 1, n: 1, stream: false, presence_penalty: 0, frequency_penalty: 0 };
    for (const [field, value] of Object.entries(defaults))
      expect([field, properties[field].default]).toEqual([field, value]);
    expect(properties.temperature.type).toEqual(["number", "null"]);
    const undescribed = Object.keys(properties).filter((name) => !properties[name].description);
    expect(undescribed).toEqual([]);
  });
});
