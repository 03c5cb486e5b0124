// Images of a video request: addresses, data URIs and bare Base64, told by what they are.
import { expect, test } from "bun:test";
import { base64Of, imageOfBytes, imageOfText, imageText } from "../../../src/dialects/video/images.ts";
import { thrown } from "../../support/sample-requests.ts";
import { pixel } from "./setting.ts";

const base64 = Buffer.from(pixel).toString("base64");
const png = { kind: "bytes", mediaType: "image/png", bytes: pixel } as const;

test("a text is an address, a data URI or Base64 in either alphabet, and the bytes say their type", () => {
  expect(imageOfText("https://example.com/a.png", "image")).toEqual({ kind: "url", url: "https://example.com/a.png" });
  expect(imageOfText(`data:image/jpeg;base64,${base64}`, "image")).toEqual(png);
  expect(imageOfText(base64, "image")).toEqual(png);
  expect(imageOfText(base64.replace(/.{20}/g, "$&\n"), "image")).toEqual(png);
  expect(imageOfText(base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""), "image")).toEqual(png);
});

test("a text that is none of them names its path", () => {
  const bad = [
    "",
    "hello world!",
    "ftp://x/a.png",
    "https://",
    "data:image/png,abc",
    "data:image/png;base64",
    "aGVsbG8=",
  ];
  for (const text of bad)
    expect({ text, ...thrown(() => imageOfText(text, "images[1]")) }).toMatchObject({
      text,
      kind: "invalid_value",
      param: "images[1]",
    });
});

test("bytes go out as Base64 or as a data URI, also from the middle of a buffer", () => {
  const buffer = new Uint8Array([1, 2, ...pixel, 3]);
  const view = imageOfBytes(buffer.subarray(2, 2 + pixel.length), "image");
  expect(base64Of(view)).toBe(base64);
  expect(imageText(view)).toBe(`data:image/png;base64,${base64}`);
});
