// Images and documents: from clients, and for upstreams by what their bytes really are.
import { expect, test } from "bun:test";
import type { Block } from "../../../src/canonical/chat.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { messageOf, messagesOf, parsed, refusal } from "./bench.ts";

const turnsOf = (message: JsonObject) => parsed({ messages: [message] }).messages;

const given: [JsonObject, object][] = [
  [
    { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0K" } },
    { type: "image", source: { kind: "bytes", mediaType: "image/png", base64: "iVBORw0K" } },
  ],
  [
    { type: "image", source: { type: "base64", media_type: "image/png", data: "data:image/gif;base64,R0lG-_8=" } },
    { type: "image", source: { kind: "bytes", mediaType: "image/gif", base64: "R0lG+/8=" } },
  ],
  [
    { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    { type: "image", source: { kind: "url", url: "https://example.com/a.png" } },
  ],
  [
    { type: "image", source: { type: "file", file_id: "file_1" } },
    { type: "image", source: { kind: "file", id: "file_1" } },
  ],
  [
    {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "words" },
      title: "T",
      context: "C",
      citations: { enabled: true },
    },
    { type: "document", source: { kind: "text", text: "words" }, title: "T", context: "C", citations: true },
  ],
  [
    {
      type: "document",
      source: {
        type: "content",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    },
    { type: "document", source: { kind: "text", text: "a\nb" } },
  ],
  [
    { type: "document", source: { type: "content", content: "a" } },
    { type: "document", source: { kind: "text", text: "a" } },
  ],
];

test.each(given)("given %j", (block, expected) => {
  expect(turnsOf({ role: "user", content: [block] })[0]?.blocks).toEqual([
    { ...expected, path: "messages[0].content[0]" } as never,
  ]);
});

test("a search result becomes text under its title and source", () => {
  const content = [{ type: "search_result", title: "T", source: "S", content: [{ type: "text", text: "words" }] }];
  expect(turnsOf({ role: "user", content })).toEqual([messageOf("user", "T\nS\nwords")]);
});

test("a document of pictures and a part of tomorrow are foreign, by their path", () => {
  const pictures = { type: "document", source: { type: "content", content: [{ type: "image" }] } };
  const blocks = turnsOf({ role: "user", content: [pictures, { type: "hologram" }] })[0]?.blocks;
  expect(blocks).toMatchObject([
    { type: "foreign", origin: "anthropic-messages", path: "messages[0].content[0].type" },
    { type: "foreign", path: "messages[0].content[1].type" },
  ]);
});

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
const pdf = Buffer.from("%PDF-1.7 x").toString("base64");
const webp = Buffer.from("RIFF\0\0\0\0WEBPVP8 ").toString("base64");
const image = (mediaType: string, base64: string): Block => ({
  type: "image",
  source: { kind: "bytes", mediaType, base64 },
  path: "p",
});
const data = (type: string, media_type: string, data: string) => ({
  type,
  source: { type: "base64", media_type, data },
});

const media: [string, Block, object][] = [
  ["a declared type that is wrong (bug 26)", image("image/jpeg", png), data("image", "image/png", png)],
  ["image/jpg", image("image/jpg", "AAAA"), data("image", "image/jpeg", "AAAA")],
  ["webp", image("", webp), data("image", "image/webp", webp)],
  ["a PDF in an image (bug 27)", image("image/png", pdf), data("document", "application/pdf", pdf)],
  ["base64url (bug 29)", image("image/png", "_-8="), data("image", "image/png", "/+8=")],
  [
    "a data address",
    { type: "image", source: { kind: "url", url: `data:image/png;base64,${png}` } },
    data("image", "image/png", png),
  ],
  [
    "an address",
    { type: "image", source: { kind: "url", url: "https://example.com/a.png" }, detail: "high" },
    { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
  ],
  [
    "a file of its own store",
    { type: "image", source: { kind: "file", id: "file_1" } },
    { type: "image", source: { type: "file", file_id: "file_1" } },
  ],
  [
    "a PDF",
    { type: "document", source: { kind: "bytes", mediaType: "application/pdf", base64: pdf }, title: "a.pdf" },
    { ...data("document", "application/pdf", pdf), title: "a.pdf" },
  ],
  [
    "a text file",
    { type: "document", source: { kind: "bytes", mediaType: "text/csv", base64: btoa("a,b") }, citations: true },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "a,b" }, citations: { enabled: true } },
  ],
  [
    "a document by address",
    { type: "document", source: { kind: "url", url: "https://example.com/a.pdf" } },
    { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
  ],
  [
    "an image in a document",
    { type: "document", source: { kind: "bytes", mediaType: "application/pdf", base64: png } },
    data("image", "image/png", png),
  ],
];

test.each(media)("media: %s", (_, block, expected) => {
  const { messages } = messagesOf([messageOf("user", block)]);
  expect(messages).toEqual([{ role: "user", content: [expected] }] as never);
});

const unreadable: [string, Block][] = [
  ["another image format", image("image/tiff", "AAAA")],
  ["another provider's file", { type: "image", source: { kind: "file", id: "file-abc" }, path: "p" }],
  [
    "another document format",
    { type: "document", source: { kind: "bytes", mediaType: "application/msword", base64: "AAAA" }, path: "p" },
  ],
];

test.each(unreadable)("refused: %s", (_, block) => {
  expect(refusal(() => messagesOf([messageOf("user", block)]))).toMatchObject({
    kind: "unsupported_parameter",
    param: "p",
  });
});
