// The dialect of Google's generateContent for images: clients use it as for chat, with any image provider.
import type { Block } from "../../canonical/chat.ts";
import type { ImageRequest, ImageSize, InputImage } from "../../canonical/image.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { RequestMeta } from "../dialect.ts";
import { missing } from "../errors.ts";
import { fieldPaths, ignored, type Reading, type WireMembers } from "../field-table.ts";
import { geminiErrors } from "../gemini/error.ts";
import { inCamelCase } from "../gemini/field-case.ts";
import { readContents, readInstruction } from "../gemini/parse-contents.ts";
import { passthroughRequest } from "../gemini/passthrough.ts";
import { callPath, GenerateContentRequest, modelFromPath, streamVerb, wholeVerb } from "../gemini/request.ts";
import { stream } from "../gemini/stream.ts";
import { fieldReader } from "../read-fields.ts";
import { renderer } from "../render-fields.ts";
import { isAbsent } from "../shared/json-accessors.ts";
import { warn } from "../shared/warnings.ts";
import { withPolicy } from "./content-policy.ts";
import {
  bytesOnly,
  common,
  elsewhere,
  type ImageDialect,
  type ImageSetting,
  type ImageTable,
  imageRequest,
  wholePrompt,
} from "./fields.ts";
import { countingImages, parseReply, renderReply, usageOf } from "./gemini-response.ts";
import { bytesOrFiles, checkImages, pictureData, pictureOfText } from "./input-images.ts";
import { nearestRatio, resolutionOf } from "./model-sizes.ts";
import { geminiImageModels } from "./model-tables.ts";
import { pixelsOf, sizeFrom } from "./sizes.ts";

/** Whether a body requests images as output. */
export function wantsImages(wire: JsonObject): boolean {
  const { generationConfig } = inCamelCase(wire);
  const kinds = isObject(generationConfig) ? generationConfig.responseModalities : undefined;
  return Array.isArray(kinds) && kinds.some((kind) => String(kind).toUpperCase() === "IMAGE");
}

/** An image part. Parts other than images and text are refused by their path. */
function pictureOf(block: Block, unmapped: UnmappedField[]): InputImage[] {
  if (block.type !== "image") {
    const path = "path" in block ? block.path : undefined;
    if (path !== undefined) unmapped.push({ path, rule: "reject" });
    return [];
  }
  const { source, path = "contents" } = block;
  if (source.kind === "bytes") return [pictureOfText(source.base64, path)];
  return source.kind === "url" || source.kind === "file" ? [{ source, path }] : [];
}

/** The user's text and the instruction. Earlier messages of the model are not part of the prompt. */
function promptOf(wire: JsonObject, blocks: readonly Block[]): string {
  const texts = [...readInstruction(wire.systemInstruction), ...blocks].flatMap((block) =>
    block.type === "text" ? [block.text] : [],
  );
  const prompt = texts.join("\n\n").trim();
  if (prompt === "") throw missing("contents[0].parts[0].text");
  return prompt;
}

function parseContents({ wire, unmapped }: Reading): Pick<ImageRequest, "images" | "prompt" | "task"> {
  const messages = readContents(wire.contents, unmapped);
  const blocksOf = (role: string) =>
    messages.filter((message) => message.role === role).flatMap(({ blocks }) => blocks);
  const blocks = blocksOf("user");
  const drawn = blocksOf("assistant").filter((block) => block.type === "image");
  const images = checkImages(
    [...drawn, ...blocks.filter((block) => block.type !== "text")].flatMap((block) => pictureOf(block, unmapped)),
    "contents",
  );
  return { images, task: images.length > 0 ? "edit" : "generate", prompt: promptOf(wire, blocks) };
}

const configPath = "generationConfig.imageConfig";

function parseSize({ wire: { generationConfig } }: Reading): { size?: ImageSize } {
  const { imageConfig } = isObject(generationConfig) ? generationConfig : {};
  const { aspectRatio, imageSize } = isObject(imageConfig) ? imageConfig : {};
  return sizeFrom([`${configPath}.aspectRatio`, aspectRatio], [`${configPath}.imageSize`, imageSize]);
}

/** The nearest size that the model supports; with a warning when shape or resolution differ. */
function renderSize({ request: { size }, warnings }: ImageSetting): JsonObject {
  if (size === undefined) return {};
  const aspectRatio = nearestRatio(size, warnings, geminiImageModels);
  const imageSize = resolutionOf(size, warnings, geminiImageModels);
  const [wanted, given] = [pixelsOf(size), pixelsOf({ ratio: aspectRatio ?? "1:1", resolution: imageSize ?? "1K" })];
  if (wanted?.width !== given?.width || wanted?.height !== given?.height) warn(warnings, "approximated", size.path);
  const imageConfig = omitUndefined({ aspectRatio, imageSize });
  return isAbsent(imageConfig) ? {} : { generationConfig: { imageConfig } };
}

const ownFiles = /^(?:gs:\/\/|files\/|https:)/;

function picturePart(picture: InputImage): Json {
  const { source } = picture;
  return source.kind === "file" ? { fileData: { fileUri: source.id } } : { inlineData: pictureData(picture) ?? null };
}

const fields: ImageTable = {
  ...common,
  images: { path: "contents", parseMembers: parseContents, limit: bytesOrFiles(ownFiles), ...elsewhere },
  prompt: {
    path: "contents",
    renderMembers: (setting) => ({
      contents: [{ role: "user", parts: [...setting.request.images.map(picturePart), { text: wholePrompt(setting) }] }],
      generationConfig: { responseModalities: ["TEXT", "IMAGE"] },
    }),
  },
  negativePrompt: { path: "contents", carriedBy: "prompt" },
  size: {
    path: `${configPath}.aspectRatio`,
    also: { [`${configPath}.imageSize`]: {} },
    parseMembers: parseSize,
    renderMembers: renderSize,
  },
  seed: { path: "generationConfig.seed", also: {} },
  n: { path: "generationConfig.candidateCount", also: {}, limit: () => ignored("one reply is one image") },
  delivery: {
    path: "generationConfig.responseModalities",
    parseMembers: () => ({ delivery: "base64" }),
    ...bytesOnly,
  },
};

const members: WireMembers = { model: { lost: null }, systemInstruction: { lost: null } };
const readFields = fieldReader(fields, members);

/** Parses a wire that has passed the schema. The response contains bytes, whichever provider generates it. */
function parseRequest(given: JsonObject, { params }: RequestMeta): ImageRequest {
  const { generationConfig, ...wire } = inCamelCase(given);
  const read = readFields(omitUndefined({ ...wire, generationConfig }));
  return imageRequest(modelFromPath(params.model ?? ""), params.verb === streamVerb, read);
}

export const geminiImages: ImageDialect = {
  name: "gemini-images",
  operation: "image",
  request: {
    fields,
    schema: GenerateContentRequest,
    parse: parseRequest,
    render: renderer(fields, { path: ({ model }) => callPath(model, wholeVerb) }),
    // One image per reply.
    maxItems: () => 1,
    needsInlineImages: true,
    fieldPath: fieldPaths(fields),
  },
  response: { parse: parseReply, render: renderReply },
  stream: {
    ...stream,
    reader: (context) => countingImages(stream.reader(context)),
    writer: () => ({ write: () => [] }),
    asStream: (response, context) =>
      response.operation === "image" ? [{ data: JSON.stringify(renderReply(response, context)) }] : [],
  },
  passthrough: { render: passthroughRequest, usage: usageOf },
  error: withPolicy(geminiErrors),
};
