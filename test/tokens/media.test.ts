// Tokens of media by each vendor's published rule, and the sizes of images from their headers.
import { expect, test } from "bun:test";
import type { ChatRequest } from "../../src/canonical/chat.ts";
import { tokenFamilyOf } from "../../src/dialects/tokens/families.ts";
import { nonTextTokens } from "../../src/dialects/tokens/figures.ts";
import { requestParts } from "../../src/dialects/tokens/request-parts.ts";
import { dimensionsOfBase64 } from "../../src/lib/image-size.ts";

/** https://platform.openai.com/docs/guides/images-vision, https://platform.claude.com/docs/en/build-with-claude/vision, https://ai.google.dev/gemini-api/docs/tokens and …/media-resolution. */
test.each([
  ["gpt-4o", 1_024, 1_024, "high", 765],
  ["gpt-4o", 2_048, 4_096, "high", 1_105],
  ["gpt-4o", 4_096, 8_192, "low", 85],
  ["gpt-5", 1_024, 1_024, "high", 630],
  ["o3", 1_024, 1_024, "high", 675],
  ["gpt-4o-mini", 1_024, 1_024, "high", 25_501],
  ["gpt-4.1-mini", 1_024, 1_024, "auto", Math.ceil(1_024 * 1.62)],
  ["gpt-4.1-mini", 1_800, 2_400, "auto", Math.ceil(1_452 * 1.62)],
  ["claude-sonnet-4-5", 200, 200, undefined, 64],
  ["claude-sonnet-4-5", 1_000, 1_000, undefined, 1_296],
  ["claude-opus-4-7", 2_000, 1_500, undefined, 72 * 54],
  ["gemini-2.5-flash", 384, 384, undefined, 258],
  ["gemini-2.5-flash", 1_536, 768, undefined, 516],
  ["gemini-3-pro", 4_000, 3_000, undefined, 1_120],
  ["gemini-3-pro", 4_000, 3_000, "low", 280],
] as const)("%s, %i x %i, detail %s: %i", (model, width, height, detail, tokens) => {
  expect(tokenFamilyOf("", model).image({ width, height }, detail)).toBe(tokens);
});

const png = (width: number, height: number, bytes: number): string => {
  const file = Buffer.alloc(bytes);
  file.write("89504e470d0a1a0a0000000d49484452", 0, "hex");
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file.toString("base64");
};

test("a large file of a small image costs what the image costs", () => {
  const base64 = png(1_024, 1_024, 3_000_000);
  const request: ChatRequest = {
    operation: "chat",
    model: "gpt-4o",
    stream: false,
    system: [],
    messages: [
      { role: "user", blocks: [{ type: "image", source: { kind: "bytes", mediaType: "image/png", base64 } }] },
    ],
    tools: [],
    sampling: {},
    stopSequences: [],
    choices: 1,
    unmappedFields: [],
  };
  expect(nonTextTokens(requestParts(request), tokenFamilyOf("", "gpt-4o"))).toBe(765 + 7);
});

test.each([
  ["png", png(640, 480, 24)],
  ["gif", Buffer.from("474946383961800 2e001".replace(" ", ""), "hex").toString("base64")],
  ["jpeg", Buffer.from("ffd8ffe000041122ffc0001108 01e00280 0301".replaceAll(" ", ""), "hex").toString("base64")],
  [
    "webp, lossy",
    Buffer.from("52494646000000005745425056503820000000000000009d012a8002e001", "hex").toString("base64"),
  ],
])("the header of %s tells 640 x 480", (_kind, base64) => {
  expect(dimensionsOfBase64(base64)).toEqual({ width: 640, height: 480 });
});

test("bytes that are no image have no size", () => {
  expect(dimensionsOfBase64("aGVsbG8=")).toBeNull();
});
