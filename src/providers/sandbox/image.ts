// The sandbox's images: the prompt on a sheet of the requested size, or of the size of the input image.
import {
  type GeneratedImage,
  type ImageRequest,
  type ImageResponse,
  type ImageSize,
  imageCount,
} from "../../canonical/image.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { type Dimensions, dimensionsOf } from "../../lib/image-size.ts";
import { glyphHeight, glyphWidth, isDark } from "./bitmap-font.ts";
import { withoutDirectives } from "./directives.ts";
import { type Canvas, type Colour, encodePng, fillSquare, newCanvas } from "./png.ts";

const usualSide = 1024;
const protocols: { readonly [resolution: string]: number } = { "512": 512, "1K": 1024, "2K": 2048, "4K": 4096 };
/** Larger input images are drawn smaller. */
const mostSide = 8_192;
const charsPerToken = 4;
/** Approximate letters per line. */
const lettersInLine = 24;

function given({ images: [first] }: ImageRequest): Dimensions | null {
  return first?.source.kind === "bytes" ? dimensionsOf(first.source.bytes) : null;
}

function fromRatio({ ratio, resolution }: Partial<ImageSize>): Dimensions | null {
  if (ratio === undefined && resolution === undefined) return null;
  const [width = 1, height = 1] = (ratio ?? "1:1").split(":").map(Number);
  const side = protocols[resolution ?? "1K"] ?? usualSide;
  const shape = Math.sqrt(width / height);
  const whole = (length: number): number => Math.max(16, Math.round(length / 16) * 16);
  return { width: whole(side * shape), height: whole(side / shape) };
}

/** The dimensions of the sheet. */
function sheetFor(request: ImageRequest): Dimensions {
  const { width, height, ...shape } = request.size ?? {};
  if (width !== undefined && height !== undefined) return { width, height };
  const size = fromRatio(shape) ?? given(request) ?? { width: usualSide, height: usualSide };
  const within = (side: number): number => Math.min(side, mostSide);
  return { width: within(size.width), height: within(size.height) };
}

/** The words in lines of so many letters; longer words are cut. */
function linesOf(text: string, letters: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    const fits = last !== undefined && last.length + 1 + word.length <= letters;
    if (fits) lines[lines.length - 1] = `${last} ${word}`;
    else for (let at = 0; at < word.length; at += letters) lines.push(word.slice(at, at + letters));
  }
  return lines;
}

function write(canvas: Canvas, text: string): void {
  const dot = Math.max(1, Math.floor(canvas.width / ((glyphWidth + 1) * (lettersInLine + 1))));
  const step = dot * (glyphWidth + 1);
  const lineStep = dot * (glyphHeight + 2);
  const letters = Math.max(1, Math.floor((canvas.width - dot * 2) / step));
  const lines = linesOf(text, letters).slice(0, Math.max(1, Math.floor(canvas.height / lineStep)));
  lines.forEach((line, row) => {
    [...line].forEach((letter, column) => {
      for (let x = 0; x < glyphWidth; x++)
        for (let y = 0; y < glyphHeight; y++)
          if (isDark(letter, x, y))
            fillSquare(canvas, dot * 2 + column * step + x * dot, dot * 2 + row * lineStep + y * dot, dot);
    });
  });
}

/** A light color for each prompt and each of its images. */
function paperFor(prompt: string, index: number): Colour {
  let hash = 0x811c9dc5 + index * 0x9e3779b1;
  for (const letter of prompt) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return [192 + (hash & 63), 192 + ((hash >> 8) & 63), 192 + ((hash >> 16) & 63)];
}

const ink: Colour = [32, 32, 48];

function drawn(request: ImageRequest, sheet: Dimensions, index: number): GeneratedImage {
  const prompt = withoutDirectives(request.prompt);
  const canvas = newCanvas(sheet.width, sheet.height);
  write(canvas, `Sandbox: ${prompt}`);
  const png = encodePng(canvas, paperFor(prompt, index), ink);
  return { source: { kind: "base64", base64: Buffer.from(png).toString("base64") }, mediaType: "image/png" };
}

/** The sandbox has no URLs: images are returned as bytes, even if a URL was requested. */
export function imageReply(request: ImageRequest): ImageResponse {
  const sheet = sheetFor(request);
  const count = imageCount(request);
  const tokens = Math.ceil(request.prompt.length / charsPerToken);
  const images = Array.from({ length: count }, (_, index) => drawn(request, sheet, index));
  const unfinished = request.stream ? (request.partialImages ?? 0) : 0;
  return {
    operation: "image",
    model: `sandbox/${request.model}`,
    images,
    ...(unfinished === 0 ? {} : { partialImages: new Array(unfinished).fill(images[0]) }),
    size: `${sheet.width}x${sheet.height}`,
    fileFormat: "png",
    usage: { ...zeroUsage, inputTokens: tokens, units: [{ kind: "images", amount: count }] },
  };
}
