// The dialects of DashScope's images, whose shape is also the one of the specification: as it is asked, and as tasks.
import { type ImageAnswer, type ImageAsk, type ImageField, imagesWanted } from "../../canonical/image.ts";
import { compact, isObject, type JsonObject } from "../../lib/json.ts";
import type { Call, Dialect, RenderContext, Rendered } from "../dialect.ts";
import { noClient } from "../shared/upstream-only.ts";
import type { Notes } from "../shared/warnings.ts";
import { isTaskModel, mostImagesOf, mustNameCount, sizeFor } from "./dashscope-models.ts";
import { dashscopeImageErrors, parseDashscope } from "./dashscope-response.ts";
import { noteLost, noteSaid, refuseMask } from "./field-support.ts";
import { pictureText } from "./input-images.ts";
import { parseMessages } from "./messages-request.ts";
import { MessagesRequest } from "./messages-schema.ts";
import { renderReply } from "./response.ts";
import { readSize } from "./sizes.ts";

type Images = Dialect<ImageAsk, ImageAnswer>;

/** https://www.alibabacloud.com/help/en/model-studio/qwen-image-api */
const path = "api/v1/services/aigc/multimodal-generation/generation";
const taskPath = "api/v1/services/aigc/text2image/image-synthesis";
const editTaskPath = "api/v1/services/aigc/image2image/image-synthesis";
const ownFiles = /^oss:\/\//;
/** What is longer is cut there. */
const mostPromptChars = 800;
const mostNegativeChars = 500;

const can: readonly ImageField[] = ["negativePrompt", "size", "extendPrompt", "watermark", "seed"];

function noteCuts(ask: ImageAsk, notes: Notes): void {
  if ([...ask.prompt].length > mostPromptChars) noteSaid(ask, notes, "approximated", "prompt");
  if ([...(ask.negativePrompt ?? "")].length > mostNegativeChars)
    noteSaid(ask, notes, "approximated", "negativePrompt");
}

function parametersOf(ask: ImageAsk, notes: Notes): JsonObject {
  return compact({
    size: sizeFor(ask, notes),
    n: ask.n ?? (mustNameCount(notes.context) ? 1 : undefined),
    prompt_extend: ask.extendPrompt,
    watermark: ask.watermark,
    seed: ask.seed,
  });
}

const images = (ask: ImageAsk): string[] => ask.images.map((image) => pictureText(image, ownFiles));

function renderMessages(ask: ImageAsk, context: RenderContext): Rendered {
  const notes: Notes = { context, warnings: [] };
  refuseMask(ask);
  noteLost(ask, notes, can);
  noteCuts(ask, notes);
  const content = [...images(ask).map((image) => ({ image })), { text: ask.prompt }];
  const body: JsonObject = {
    model: context.model,
    input: { messages: [{ role: "user", content }] },
    parameters: compact({ negative_prompt: ask.negativePrompt, ...parametersOf(ask, notes) }),
  };
  return { call: { path, body }, warnings: notes.warnings };
}

function renderTask(ask: ImageAsk, context: RenderContext): Rendered {
  const notes: Notes = { context, warnings: [] };
  refuseMask(ask);
  noteLost(ask, notes, can);
  noteCuts(ask, notes);
  const isEdit = ask.images.length > 0;
  const input = {
    prompt: ask.prompt,
    negative_prompt: ask.negativePrompt,
    images: isEdit ? images(ask) : undefined,
  };
  const body: JsonObject = { model: context.model, input: compact(input), parameters: parametersOf(ask, notes) };
  const headers = { "X-DashScope-Async": "enable" };
  return { call: { path: isEdit ? editTaskPath : taskPath, body, headers }, warnings: notes.warnings };
}

/** The client's own wire, with the separator that this server knows. */
function verbatimCall(wire: JsonObject, context: RenderContext): Call {
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
  const wanted = imagesWanted(typeof given.n === "number" ? { n: given.n } : {});
  return Array.from({ length: Math.ceil(wanted / most) }, (_, call) => ({
    ...wire,
    parameters: { ...given, n: Math.min(most, wanted - call * most) },
  }));
}

const mostItems = (context: RenderContext): number => mostImagesOf(context);
const fieldPath = (field: string): string => field;
const response: Images["response"] = { parse: parseDashscope, render: renderReply };

/** Clients of this shape are answered in OpenAI's words, as the specification shows it. */
const common = (task: ImageAsk["task"]): Omit<Images, "name"> => ({
  operation: "image",
  request: {
    schema: MessagesRequest,
    parse: (wire) => parseMessages(wire, task),
    render: renderMessages,
    mostItems,
    fieldPath,
  },
  response,
  verbatim: {
    call: verbatimCall,
    divide: divided,
    mend: (reply, _wire, context) => (context === undefined ? reply : renderReply(parseDashscope(reply), context)),
  },
  error: dashscopeImageErrors,
});

export const dashscopeImages: Images = { name: "dashscope-images", ...common("generate") };
export const dashscopeImageEdits: Images = {
  name: "dashscope-image-edits",
  within: dashscopeImages,
  ...common("edit"),
};

/** The same service where it answers with a task, which whoever sends the call follows to its end. */
export const dashscopeImageTasks: Images = {
  ...common("generate"),
  name: "dashscope-image-tasks",
  request: { ...common("generate").request, render: renderTask },
  verbatim: noClient,
};

/** Which of the two a model is asked in. */
export function speaksImages(dialect: { readonly name: string }, model: string): boolean {
  if (dialect.name === dashscopeImageTasks.name) return isTaskModel(model);
  return dialect.name !== dashscopeImages.name || !isTaskModel(model);
}
