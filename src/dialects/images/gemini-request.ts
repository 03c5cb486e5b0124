// A request for images in Google's words: from a client, and for an upstream.
import type { Block } from "../../canonical/chat.ts";
import type { ImageField, ImageRequest, InputImage } from "../../canonical/image.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest, RequestMeta } from "../dialect.ts";
import { missing } from "../errors.ts";
import { inCamelCase } from "../gemini/field-case.ts";
import { readContents, readInstruction } from "../gemini/parse-contents.ts";
import { callPath, modelFromPath, streamVerb, wholeVerb } from "../gemini/request.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { optionalNumber } from "../shared/json-accessors.ts";
import type { Warnings } from "../shared/warnings.ts";
import { nearestRatio, noteShapeUnverified, resolutionOf } from "./aspect-ratio.ts";
import { noteBytes, noteLost, promptWithNegative, refuseMask, warnIfSet } from "./field-support.ts";
import { checkImages, pictureBytes, pictureOfText } from "./input-images.ts";
import { geminiImageModels } from "./model-tables.ts";
import { pixelsOf, readSize } from "./sizes.ts";

/** True where a body asks for pictures among what it wants back. */
export function wantsImages(wire: JsonObject): boolean {
  const { generationConfig } = inCamelCase(wire);
  const kinds = isObject(generationConfig) ? generationConfig.responseModalities : undefined;
  return Array.isArray(kinds) && kinds.some((kind) => String(kind).toUpperCase() === "IMAGE");
}

const heldAbove = new Set(["model", "contents", "systemInstruction", "generationConfig"]);
const heldInside = new Set(["responseModalities", "imageConfig", "candidateCount", "seed"]);

function readExtras(wire: JsonObject, config: JsonObject): UnmappedField[] {
  const above = Object.keys(wire).filter((name) => !heldAbove.has(name) && !isAbsent(wire[name]));
  const inside = Object.keys(config).filter((name) => !heldInside.has(name) && !isAbsent(config[name]));
  return [...above, ...inside.map((name) => `generationConfig.${name}`)].map((path) => ({ path, rule: "warn" }));
}

/** An image among the parts; what is neither image nor text is refused by its path. */
function pictureOf(block: Block, extras: UnmappedField[]): InputImage[] {
  if (block.type !== "image") {
    const path = "path" in block ? block.path : undefined;
    if (path !== undefined) extras.push({ path, rule: "reject" });
    return [];
  }
  const { source, path = "contents" } = block;
  if (source.kind === "bytes") return [pictureOfText(source.base64, path)];
  if (source.kind === "url") return [{ source, path }];
  return source.kind === "file" ? [{ source, path }] : [];
}

/** Words of the client's and of the instruction; what the model said before is no wish. */
function readPrompt(wire: JsonObject, blocks: readonly Block[]): string {
  const texts = [...readInstruction(wire.systemInstruction), ...blocks].flatMap((block) =>
    block.type === "text" ? [block.text] : [],
  );
  const prompt = texts.join("\n\n").trim();
  if (prompt === "") throw missing("contents[0].parts[0].text");
  return prompt;
}

const text = (value: JsonObject[string]): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

function readShape(config: JsonObject): Pick<ImageRequest, "ratio" | "resolution" | "said"> {
  const { aspectRatio, imageSize } = isObject(config.imageConfig) ? config.imageConfig : {};
  const [ratio, size] = [text(aspectRatio), text(imageSize)];
  const ratioPath = "generationConfig.imageConfig.aspectRatio";
  const sizePath = "generationConfig.imageConfig.imageSize";
  return {
    ...(ratio === undefined ? {} : { ratio: readSize(ratio, ratioPath).ratio }),
    ...(size === undefined ? {} : { resolution: readSize(size, sizePath).resolution }),
    said: ratio === undefined && size === undefined ? {} : { size: ratio === undefined ? sizePath : ratioPath },
  } as Pick<ImageRequest, "ratio" | "resolution" | "said">;
}

/** From a wire that has passed the schema. The answer holds bytes, whoever makes it. */
export function parseRequest(given: JsonObject, { params }: RequestMeta): ImageRequest {
  const wire = inCamelCase(given);
  const config = isObject(wire.generationConfig) ? wire.generationConfig : {};
  const extras = readExtras(wire, config);
  const messages = readContents(wire.contents, extras);
  const blocks = messages.filter(({ role }) => role === "user").flatMap((message) => message.blocks);
  const before = messages.filter(({ role }) => role === "assistant").flatMap((message) => message.blocks);
  const drawn = before.filter((block) => block.type === "image");
  const images = checkImages(
    [...drawn, ...blocks.filter((block) => block.type !== "text")].flatMap((block) => pictureOf(block, extras)),
    "contents",
  );
  const { said, ...shape } = readShape(config);
  return {
    operation: "image",
    task: images.length > 0 ? "edit" : "generate",
    model: modelFromPath(params.model ?? ""),
    stream: params.verb === streamVerb,
    prompt: readPrompt(wire, blocks),
    images,
    ...shape,
    ...optionalNumber(config, "candidateCount", "n"),
    ...optionalNumber(config, "seed", "seed"),
    delivery: "base64",
    said: {
      ...said,
      ...(config.seed === undefined ? {} : { seed: "generationConfig.seed" }),
      ...(config.candidateCount === undefined ? {} : { n: "generationConfig.candidateCount" }),
    },
    unmappedFields: extras,
  };
}

function noteShape(
  request: ImageRequest,
  warnings: Warnings,
  aspectRatio: string | undefined,
  imageSize: string | undefined,
): void {
  const wanted = pixelsOf(request);
  const given = pixelsOf({
    ratio: aspectRatio ?? "1:1",
    resolution: imageSize ?? "1K",
  });
  const isSame = wanted?.width === given?.width && wanted?.height === given?.height;
  if (wanted !== null && !isSame) warnIfSet(request, warnings, "approximated", "size");
}

function imageConfig(request: ImageRequest, warnings: Warnings): JsonObject | undefined {
  const aspectRatio = nearestRatio(request, warnings, geminiImageModels);
  const imageSize = resolutionOf(request, warnings, geminiImageModels);
  noteShapeUnverified(request, warnings, geminiImageModels);
  noteShape(request, warnings, aspectRatio, imageSize);
  const config = omitUndefined({ aspectRatio, imageSize });
  return isAbsent(config) ? undefined : config;
}

const can: readonly ImageField[] = ["negativePrompt", "size", "seed"];

function picturePart(picture: InputImage): JsonObject {
  const { source } = picture;
  if (source.kind === "file" && /^(?:gs:\/\/|files\/|https:)/.test(source.id))
    return { fileData: { fileUri: source.id } };
  const { mediaType, bytes } = pictureBytes(picture);
  return { inlineData: { mimeType: mediaType, data: Buffer.from(bytes).toString("base64") } };
}

export function renderRequest(request: ImageRequest, context: RenderContext): RenderedRequest {
  const warnings: Warnings = { context, warnings: [] };
  refuseMask(request);
  noteLost(request, warnings, can);
  noteBytes(request, warnings);
  const parts = [...request.images.map(picturePart), { text: promptWithNegative(request, warnings) }];
  const generationConfig = omitUndefined({
    responseModalities: ["TEXT", "IMAGE"],
    imageConfig: imageConfig(request, warnings),
    seed: request.seed,
  });
  const body: JsonObject = { contents: [{ role: "user", parts }], generationConfig };
  return { call: { path: callPath(context.model, wholeVerb), body }, warnings: warnings.warnings };
}
