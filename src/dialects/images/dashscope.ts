// The dialects of DashScope's images, whose shape is also the one of the specification: as it is asked, and as tasks.
import { type ImageField, type ImageRequest, type ImageResponse, imageCount } from "../../canonical/image.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect, RenderContext, RenderedRequest, UpstreamRequest } from "../dialect.ts";
import { noClient } from "../shared/upstream-only.ts";
import type { Warnings } from "../shared/warnings.ts";
import { isTaskModel, mostImagesOf, mustNameCount, sizeFor } from "./dashscope-models.ts";
import { dashscopeImageErrors, parseDashscope } from "./dashscope-response.ts";
import { noteLost, refuseMask, warnIfSet } from "./field-support.ts";
import { pictureText } from "./input-images.ts";
import { parseMessages } from "./messages-request.ts";
import { MessagesRequest } from "./messages-schema.ts";
import { renderReply } from "./response.ts";
import { readSize } from "./sizes.ts";

type Images = Dialect<ImageRequest, ImageResponse>;

/** https://www.alibabacloud.com/help/en/model-studio/qwen-image-api */
const path = "api/v1/services/aigc/multimodal-generation/generation";
const taskPath = "api/v1/services/aigc/text2image/image-synthesis";
const editTaskPath = "api/v1/services/aigc/image2image/image-synthesis";
const ownFiles = /^oss:\/\//;
/** What is longer is cut there. */
const mostPromptChars = 800;
const mostNegativeChars = 500;

const can: readonly ImageField[] = ["negativePrompt", "size", "extendPrompt", "watermark", "seed"];

function noteCuts(request: ImageRequest, warnings: Warnings): void {
  if ([...request.prompt].length > mostPromptChars) warnIfSet(request, warnings, "approximated", "prompt");
  if ([...(request.negativePrompt ?? "")].length > mostNegativeChars)
    warnIfSet(request, warnings, "approximated", "negativePrompt");
}

function parametersOf(request: ImageRequest, warnings: Warnings): JsonObject {
  return omitUndefined({
    size: sizeFor(request, warnings),
    n: request.n ?? (mustNameCount(warnings.context) ? 1 : undefined),
    prompt_extend: request.extendPrompt,
    watermark: request.watermark,
    seed: request.seed,
  });
}

const images = (request: ImageRequest): string[] => request.images.map((image) => pictureText(image, ownFiles));

function renderMessages(request: ImageRequest, context: RenderContext): RenderedRequest {
  const warnings: Warnings = { context, warnings: [] };
  refuseMask(request);
  noteLost(request, warnings, can);
  noteCuts(request, warnings);
  const content = [...images(request).map((image) => ({ image })), { text: request.prompt }];
  const body: JsonObject = {
    model: context.model,
    input: { messages: [{ role: "user", content }] },
    parameters: omitUndefined({ negative_prompt: request.negativePrompt, ...parametersOf(request, warnings) }),
  };
  return { call: { path, body }, warnings: warnings.warnings };
}

function renderTask(request: ImageRequest, context: RenderContext): RenderedRequest {
  const warnings: Warnings = { context, warnings: [] };
  refuseMask(request);
  noteLost(request, warnings, can);
  noteCuts(request, warnings);
  const isEdit = request.images.length > 0;
  const input = {
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    images: isEdit ? images(request) : undefined,
  };
  const body: JsonObject = {
    model: context.model,
    input: omitUndefined(input),
    parameters: parametersOf(request, warnings),
  };
  const headers = { "X-DashScope-Async": "enable" };
  return { call: { path: isEdit ? editTaskPath : taskPath, body, headers }, warnings: warnings.warnings };
}

/** The client's own wire, with the separator that this server knows. */
function passthroughRequest(wire: JsonObject, context: RenderContext): UpstreamRequest {
  const given = isObject(wire.parameters) ? wire.parameters : {};
  const read = typeof given.size === "string" ? readSize(given.size, "parameters.size") : {};
  const size = read.width === undefined ? {} : { size: `${read.width}*${read.height}` };
  const count = given.n === undefined && mustNameCount(context) ? { n: 1 } : {};
  const parameters = { ...given, ...size, ...count };
  return {
    path,
    body: { ...wire, model: context.model, ...(Object.keys(parameters).length === 0 ? {} : { parameters }) },
  };
}

function divided(wire: JsonObject, most: number): JsonObject[] {
  const given = isObject(wire.parameters) ? wire.parameters : {};
  const wanted = imageCount(typeof given.n === "number" ? { n: given.n } : {});
  return Array.from({ length: Math.ceil(wanted / most) }, (_, call) => ({
    ...wire,
    parameters: { ...given, n: Math.min(most, wanted - call * most) },
  }));
}

const mostItems = (context: RenderContext): number => mostImagesOf(context);
const fieldPath = (field: string): string => field;
const response: Images["response"] = { parse: parseDashscope, render: renderReply };

/** Clients of this shape are answered in OpenAI's words, as the specification shows it. */
const common = (task: ImageRequest["task"]): Omit<Images, "name"> => ({
  operation: "image",
  request: {
    schema: MessagesRequest,
    parse: (wire) => parseMessages(wire, task),
    render: renderMessages,
    maxItems: mostItems,
    fieldPath,
  },
  response,
  passthrough: {
    render: passthroughRequest,
    splitBatch: divided,
    normalize: (reply, _wire, context) => (context === undefined ? reply : renderReply(parseDashscope(reply), context)),
  },
  error: dashscopeImageErrors,
});

export const dashscopeImages: Images = { name: "dashscope-images", ...common("generate") };
export const dashscopeImageEdits: Images = {
  name: "dashscope-image-edits",
  variantOf: dashscopeImages,
  ...common("edit"),
};

/** The same service where it answers with a task, which whoever sends the call follows to its end. */
export const dashscopeImageTasks: Images = {
  ...common("generate"),
  name: "dashscope-image-tasks",
  request: { ...common("generate").request, render: renderTask },
  passthrough: noClient,
};

/** Which of the two a model is asked in. */
export function speaksImages(dialect: { readonly name: string }, model: string): boolean {
  if (dialect.name === dashscopeImageTasks.name) return isTaskModel(model);
  return dialect.name !== dashscopeImages.name || !isTaskModel(model);
}
