// Documents and sound on their way to a chat upstream: what is said as text, what is taken, what is refused.
import { describe, expect, test } from "bun:test";
import type { Block } from "../../../src/canonical/chat.ts";
import { messagesOf, thrown } from "./helpers.ts";

describe("documents", () => {
  const one = (block: Block) => messagesOf([{ role: "user", blocks: [block] }]);

  test("text documents are said as text under their title", () => {
    const base64 = Buffer.from("a,b").toString("base64");
    const byBytes = one({ type: "document", title: "t.csv", source: { kind: "bytes", mediaType: "text/csv", base64 } });
    const byText = one({ type: "document", context: "from ann", source: { kind: "text", text: "words" } });
    expect(byBytes.messages).toEqual([{ role: "user", content: "t.csv\n\na,b" }]);
    expect(byText.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "from ann" },
          { type: "text", text: "words" },
        ],
      },
    ]);
  });

  test("citations that nobody will make are told", () => {
    const block: Block = {
      type: "document",
      source: { kind: "text", text: "w" },
      citations: true,
      path: "messages[0].content[2]",
    };
    expect(one(block).warnings).toEqual([{ code: "dropped", path: "messages[0].content[2].citations" }]);
  });

  const refused: readonly (readonly [string, Block])[] = [
    ["a document by address", { type: "document", source: { kind: "url", url: "https://a" }, path: "p" }],
    ["a file of another provider", { type: "document", source: { kind: "file", id: "f" }, path: "p" }],
    ["an image of another provider", { type: "image", source: { kind: "file", id: "f" }, path: "p" }],
    [
      "audio of a kind that is not taken (bug 28)",
      { type: "audio", source: { kind: "bytes", mediaType: "audio/ogg", base64: "" }, path: "p" },
    ],
    ["a part of another dialect", { type: "foreign", origin: "gemini", wire: {}, path: "p" }],
  ];
  test.each(refused.map((row) => [...row] as const))("refuses %s", (_name, block) => {
    expect(thrown(() => one(block))).toMatchObject({ kind: "unsupported_parameter", param: "p" });
  });

  test("audio that is taken", () => {
    const block: Block = { type: "audio", source: { kind: "bytes", mediaType: "audio/x-wav", base64: "AAAA" } };
    expect(one(block).messages).toEqual([
      { role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] },
    ]);
  });
});
