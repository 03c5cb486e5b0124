// The list of contents into turns: media, calls with their results, and the state that came with a part.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/lib/json.ts";
import { call, contentOf, messageOf, result, sealedBy, turnsOf } from "./bench.ts";

const { user, model } = contentOf;
const envelopeText = (state: string): string => Buffer.from(`gw1.${state}`).toString("base64");
const foreignState = envelopeText(`anthropic.${Buffer.from("EqQB").toString("base64url")}`);
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
    const messages = turnsOf(
      user({ text: "hi" }),
      model(callPart(), callPart(undefined, "get_day"), callPart()),
      user(
        resultPart({ output: "1" }),
        resultPart({ output: "2" }),
        { text: "go on" },
        resultPart({ output: "3" }, undefined, "get_day"),
      ),
    );
    expect(messages.slice(1)).toEqual([
      messageOf("assistant", call("call_1_0"), call("call_1_1", "get_day"), call("call_1_2")),
      messageOf("tool", result("call_1_0", "1"), result("call_1_2", "2"), result("call_1_1", "3")),
      messageOf("user", "go on"),
    ]);
  });

  test("calls in several contents are answered together", () => {
    const messages = turnsOf(
      user({ text: "hi" }),
      model(callPart()),
      model(callPart(undefined, "get_day")),
      user(resultPart({ output: "1" }), resultPart({ output: "2" }, undefined, "get_day")),
    );
    expect(messages.at(-1)).toEqual(messageOf("tool", result("call_1_0", "1"), result("call_2_0", "2")));
  });

  test("a result without a call keeps its name", () => {
    expect(turnsOf(user(resultPart({ output: "1" })))).toEqual([messageOf("tool", result("get_time", "1"))]);
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
    const messages = turnsOf(user({ text: "hi" }), model(callPart("c1")), user(resultPart(response, "c1")));
    expect(messages.at(-1)).toEqual(messageOf("tool", result("c1", text, isError)));
  });

  test("media in a result", () => {
    const parts = [{ inlineData: { mimeType: "image/png", data: "AAAA" } }];
    const messages = turnsOf(user({ functionResponse: { id: "c1", name: "look", response: {}, parts } }));
    expect(messages[0]?.blocks[0]).toMatchObject({
      content: [{ type: "image", path: "contents[0].parts[0].functionResponse.parts[0].inlineData" }],
    });
  });

  test("a snake_case result, and arguments that only look like spelled names", () => {
    const messages = turnsOf(
      model({ function_call: { name: "f", args: { some_key: { inner_key: 1 } } }, thought_signature: "abc" }),
      user({ function_response: { name: "f", response: { some_key: 1 } } }),
    );
    expect(messages).toMatchObject([
      { blocks: [{ input: '{"some_key":{"inner_key":1}}', signature: { data: "abc" } }] },
      { blocks: [{ content: [{ text: '{"some_key":1}' }] }] },
    ]);
  });
});

describe("state", () => {
  const native = { origin: "gemini", data: "AbC=" };
  const foreign = { origin: "anthropic", data: "EqQB" };
  const call1 = { functionCall: { id: "c1", name: "get_time", args: { zone: "UTC" } } };
  const sentinel = "skip_thought_signature_validator";
  const rows: [string, JsonObject, object[]][] = [
    ["thought", { text: "Hm.", thought: true }, [{ type: "thinking", text: "Hm." }]],
    [
      "thought with another maker's state",
      { text: "Hm.", thought: true, thoughtSignature: foreignState },
      [{ type: "thinking", text: "Hm.", signature: foreign }],
    ],
    [
      "native on text",
      { text: "Hi", thoughtSignature: "AbC=" },
      [{ type: "text", text: "Hi" }, sealedBy("gemini", "AbC=")],
    ],
    ["native on empty text", { text: "", thoughtSignature: "AbC=" }, [sealedBy("gemini", "AbC=")]],
    ["native alone", { thoughtSignature: "AbC=" }, [sealedBy("gemini", "AbC=")]],
    [
      "another maker's on text",
      { text: "Hi", thoughtSignature: foreignState },
      [sealedBy("anthropic", "EqQB"), { type: "text", text: "Hi" }],
    ],
    ["native on a call", { ...call1, thoughtSignature: "AbC=" }, [{ ...call("c1"), signature: native }]],
    [
      "another maker's on a call",
      { ...call1, thoughtSignature: foreignState },
      [sealedBy("anthropic", "EqQB"), call("c1")],
    ],
    ["the stand-in", { ...call1, thoughtSignature: sentinel }, [call("c1")]],
    ["the stand-in as bytes", { ...call1, thoughtSignature: Buffer.from(sentinel).toString("base64") }, [call("c1")]],
    ["an empty envelope", { ...call1, thoughtSignature: envelopeText("none.") }, [call("c1")]],
    [
      "an envelope that is not encoded",
      { text: "Hi", thoughtSignature: "gw1.gemini.QWJDPQ" },
      [{ type: "text", text: "Hi" }, sealedBy("gemini", "AbC=")],
    ],
    ["empty text", { text: "" }, []],
  ];
  test.each(rows)("%s", (_, part, blocks) => {
    expect(turnsOf(user({ text: "hi" }), model(part))[1]?.blocks ?? []).toEqual(blocks as never);
  });
});
