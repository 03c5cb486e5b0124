// Every kind of content as parts of a request.
import { describe, expect, test } from "bun:test";
import type { Block } from "../../../src/canonical/chat.ts";
import { contentsOf, messageOf, refusal, rendered } from "./bench.ts";

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
    expect(contentsOf([messageOf("user", block)])).toEqual({ contents: [{ role: "user", parts }] as never, warnings });
  });

  const bad: [string, Block][] = [
    ["another provider's file", { type: "document", source: { kind: "file", id: "file-1" }, path: "p" }],
    ["a spreadsheet", { type: "document", source: bytes("application/vnd.ms-excel"), path: "p" }],
    ["a foreign part", { type: "foreign", origin: "anthropic-messages", wire: {}, path: "p" }],
  ];
  test.each(bad)("%s is refused by its path", (_, block) => {
    expect(refusal(() => rendered({ messages: [messageOf("user", block)] }))).toEqual({
      kind: "unsupported_parameter",
      param: "p",
      status: 400,
    });
  });
});
