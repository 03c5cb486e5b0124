// Google's image replies: from an upstream, where a reply without an image is an error, and for a client.
import type { GeneratedImage, ImageResponse } from "../../canonical/image.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { StreamReader, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { timeOf } from "../gemini/response.ts";
import { readUsage, writeUsage } from "../gemini/usage.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { bytesOf } from "../shared/media.ts";
import { contentRefused } from "./content-policy.ts";
import { imageUsage } from "./response.ts";

/** Images in the model's thoughts are drafts, not results. */
function partsOf(wire: JsonObject): JsonObject[] {
  const contents = objectsIn(wire.candidates).map(({ content }) => (isObject(content) ? content.parts : undefined));
  return contents.flatMap((parts) => objectsIn(parts)).filter(({ thought }) => thought !== true);
}

function imagesIn(parts: readonly JsonObject[]): GeneratedImage[] {
  return parts.flatMap((part): GeneratedImage[] => {
    const data = part.inlineData ?? part.inline_data;
    if (!isObject(data) || typeof data.data !== "string" || data.data === "") return [];
    const type = data.mimeType ?? data.mime_type;
    return [
      {
        source: { kind: "base64", base64: data.data },
        ...(typeof type === "string" ? { mediaType: type } : {}),
      },
    ];
  });
}

/** Finish reasons of content filters; all others are failures of the model. */
const refusals = /^(?:IMAGE_)?(?:SAFETY|PROHIBITED_CONTENT|RECITATION|BLOCKLIST|SPII|JAILBREAK|MODEL_ARMOR)$/;

/** The error for a missing image: the prompt was blocked, or the candidate's finish reason. */
function absence(wire: JsonObject): Error {
  const feedback = isObject(wire.promptFeedback) ? wire.promptFeedback : {};
  const [candidate = {}] = objectsIn(wire.candidates);
  const reason = String(feedback.blockReason ?? candidate.finishReason ?? "");
  const message = [feedback.blockReasonMessage, candidate.finishMessage].find((text) => typeof text === "string");
  if (feedback.blockReason !== undefined || refusals.test(reason))
    return contentRefused(String(message ?? `The provider refused to generate this image (${reason}).`));
  return invalidUpstreamResponse(`there is no image in it${/^[A-Z_]{1,40}$/.test(reason) ? ` (${reason})` : ""}`);
}

export function parseReply(wire: unknown): ImageResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("expected a JSON object");
  const parts = partsOf(wire);
  const images = imagesIn(parts);
  if (images.length === 0) throw absence(wire);
  const text = parts
    .flatMap((part) => (typeof part.text === "string" ? [part.text] : []))
    .join("")
    .trim();
  return {
    operation: "image",
    model: typeof wire.modelVersion === "string" ? wire.modelVersion : "",
    images: text === "" ? images : images.map((image) => ({ ...image, revisedPrompt: text })),
    ...(text === "" ? {} : { text }),
    ...imageUsage(images.length, readUsage(wire.usageMetadata)),
  };
}

/** The usage of a reply that is passed through, with or without an image. */
export function usageOf(wire: JsonObject) {
  return imageUsage(imagesIn(partsOf(wire)).length, readUsage(wire.usageMetadata)).usage;
}

function imagePart({ source, mediaType }: GeneratedImage): JsonObject {
  if (source.kind === "url")
    throw invalidUpstreamResponse("an image was returned as a URL, but its bytes are required");
  const { base64 } = source;
  const shown = bytesOf(base64.slice(0, 64), mediaType ?? "image/png").mediaType;
  return { inlineData: { mimeType: shown, data: base64 } };
}

export function renderReply(response: ImageResponse, context: WriteContext): JsonObject {
  const text = response.text ?? response.images.find(({ revisedPrompt }) => revisedPrompt !== undefined)?.revisedPrompt;
  const parts = [...(text === undefined ? [] : [{ text }]), ...response.images.map(imagePart)];
  return omitUndefined({
    candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata: writeUsage(response.usage ?? imageUsage(response.images.length).usage),
    modelVersion: response.model || context.request.model,
    createTime: timeOf(response.createdAt),
    responseId: context.id,
  });
}

/** The same events; the last one includes the number of images before it. */
export function countingImages(reader: StreamReader): StreamReader {
  let images = 0;
  const counted = (events: ReturnType<StreamReader["read"]>): ReturnType<StreamReader["read"]> =>
    events.map((event) => {
      if (event.type === "block-start" && event.open.kind === "image") images++;
      return event.type === "finish" ? { ...event, ...imageUsage(images, event.usage) } : event;
    });
  return { read: (frame) => counted(reader.read(frame)), end: () => counted(reader.end()) };
}
