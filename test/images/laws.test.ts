// Laws of the image dialects that clients and servers share: what is written is read again as the same.
import { expect, test } from "bun:test";
import type { ImageRequest, ImageResponse } from "../../src/canonical/image.ts";
import { type Usage, zeroUsage } from "../../src/canonical/usage.ts";
import type { RenderContext, WriteContext } from "../../src/dialects/dialect.ts";
import { dashscopeImages, geminiImages, openaiImages } from "../../src/dialects/index.ts";
import { dot } from "./upstream-dialects.ts";

const request: ImageRequest = {
  operation: "image",
  task: "generate",
  model: "m",
  stream: false,
  prompt: "a fox",
  images: [],
  size: { width: 1024, height: 1024, path: "size" },
  unmappedFields: [],
};
const write: WriteContext = { request, wire: {}, id: "r", createdAt: 5, inputEstimate: 0 };
const context: RenderContext = { model: "m", origin: "o", fieldPath: (field) => field };
const usage: Usage = {
  ...zeroUsage,
  inputTokens: 2,
  imageInputTokens: 1,
  outputTokens: 4,
  units: [{ kind: "images", amount: 1 }],
};
const response: ImageResponse = {
  operation: "image",
  model: "",
  createdAt: 7,
  images: [{ source: { kind: "base64", base64: dot }, mediaType: "image/png", revisedPrompt: "A red fox." }],
  size: "1024x1024",
  quality: "high",
  background: "opaque",
  fileFormat: "png",
  usage,
};

const described: Usage = { ...usage, units: [{ kind: "images", amount: 1, size: "1024x1024", quality: "high" }] };

test.each([openaiImages, dashscopeImages])("$name reads the answer that it writes", (dialect) => {
  const read = dialect.response.parse(dialect.response.render(response, write), { origin: "o" });
  expect(read).toEqual({ ...response, usage: described });
});

/** Google's words for clients do not divide the input. */
const undivided: Usage = { ...zeroUsage, inputTokens: 3, outputTokens: 4, units: [{ kind: "images", amount: 1 }] };

test("Google's words hold the image, its text and what it cost", () => {
  const read = geminiImages.response.parse(geminiImages.response.render(response, write), { origin: "o" });
  expect(read).toEqual({
    operation: "image",
    model: "m",
    images: response.images,
    text: "A red fox.",
    usage: undivided,
  });
});

const params = { model: "m", verb: "generateContent" };

test.each([openaiImages, dashscopeImages, geminiImages])("$name reads the request that it writes", (dialect) => {
  // Models whose rows let the size through as it is.
  const models = new Map<unknown, string>([
    [dashscopeImages, "wan2.6-image"],
    [geminiImages, "gemini-3-pro-image"],
  ]);
  const model = models.get(dialect) ?? context.model;
  const { call, warnings } = dialect.request.render(request, { ...context, model });
  const { prompt, images, size } = dialect.request.parse(call.body, {
    header: () => null,
    params,
  });
  const shape = dialect === geminiImages ? { ratio: "1:1", resolution: "1K" } : { width: 1024, height: 1024 };
  expect({ prompt, images, ...size }).toMatchObject({ prompt: "a fox", images: [], ...shape });
  expect(warnings).toEqual([]);
});
