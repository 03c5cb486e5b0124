// From a client's body to an ask: content parts of every kind, and bodies that are refused by the path of their fault.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/lib/json.ts";
import { fn, parse, parseMessages, thrown } from "./helpers.ts";

const png = "iVBORw0KGgoAAAAA";
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
    const { messages: turns } = parseMessages({ role: "user", content: [part] });
    const path = block.type === "text" ? {} : { path: "messages[0].content[0]" };
    expect(turns).toEqual([{ role: "user", blocks: [{ ...block, ...path } as never] }]);
  });

  test("a part of tomorrow stays as it is", () => {
    const part = { type: "video_url", video_url: { url: "https://a/b.mp4" } };
    const constructorPart = { type: "constructor" };
    const { messages: turns } = parseMessages({ role: "user", content: [part, constructorPart] });
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
