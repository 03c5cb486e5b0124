// The dialects of DashScope's images, for clients and upstreams: synchronous and as tasks.
import { Type } from "typebox";
import { type ImageRequest, imageCount } from "../../canonical/image.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, UpstreamRequest } from "../dialect.ts";
import { missing } from "../errors.ts";
import { fieldPaths, type Reading, type WireMembers } from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { renderer } from "../render-fields.ts";
import { object, optional } from "../schema-helpers.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { lookUpModel } from "../shared/model-table.ts";
import { warnField } from "../shared/warnings.ts";
import { dashscopeImageErrors, parseDashscope } from "./dashscope-response.ts";
import {
  common,
  elsewhere,
  type ImageDialect,
  type ImageSetting,
  type ImageTable,
  imageRequest,
  text,
  upstreamImages,
} from "./fields.ts";
import { checkImages, pictureOfText, pictureText, textsOnly } from "./input-images.ts";
import { fittedSize, imageRow } from "./model-sizes.ts";
import { dashscopeImageModels } from "./model-tables.ts";
import { answersBytes } from "./openai-fields.ts";
import { renderReply } from "./response.ts";
import { readSize, sizeFrom } from "./sizes.ts";

/** https://www.alibabacloud.com/help/en/model-studio/qwen-image-api */
const path = "api/v1/services/aigc/multimodal-generation/generation";
const taskPath = "api/v1/services/aigc/text2image/image-synthesis";
const editTaskPath = "api/v1/services/aigc/image2image/image-synthesis";
const ownFiles = /^oss:\/\//;
/** Longer text is cut. */
const maxChars = { prompt: 800, negativePrompt: 500 } as const;

interface Part {
  readonly part: JsonObject;
  readonly path: string;
}

function partsOf({ input }: JsonObject): Part[] {
  const messages = objectsIn(isObject(input) ? input.messages : undefined);
  return messages.flatMap((message, at) =>
    objectsIn(message.content).map((part, index) => ({ part, path: `input.messages[${at}].content[${index}]` })),
  );
}

const content = "input.messages[0].content";

/** Input images make every request an edit, whatever the path. */
function parseMessages(
  { wire }: Reading,
  task: ImageRequest["task"],
): Pick<ImageRequest, "prompt" | "images" | "task"> {
  const parts = partsOf(wire);
  const texts = parts.flatMap(({ part }) =>
    typeof part.text === "string" && part.text.trim() !== "" ? [part.text] : [],
  );
  const images = parts.flatMap(({ part, path: at }) => {
    const image = text(part.image);
    return image === undefined ? [] : [pictureOfText(image, `${at}.image`)];
  });
  if (texts.length === 0) throw missing(`${content}[0].text`);
  if (task === "edit" && images.length === 0) throw missing(`${content}[0].image`);
  return {
    prompt: texts.join("\n"),
    images: checkImages(images, content),
    task: images.length > 0 ? "edit" : "generate",
  };
}

/** The text, with a warning where the provider cuts it. */
function cutText(value: string, { warnings }: ImageSetting, field: keyof typeof maxChars): string {
  if ([...value].length > maxChars[field]) warnField(warnings, "approximated", field);
  return value;
}

const parameterRows = {
  extendPrompt: {
    path: "parameters.prompt_extend",
    schema: optional("boolean", { description: "Whether the provider may rewrite the prompt." }),
  },
  watermark: {
    path: "parameters.watermark",
    schema: optional("boolean", { description: "Whether to add a watermark to the image." }),
  },
  size: {
    path: "parameters.size",
    schema: optional("string", { maxLength: 32, description: "Width and height, such as `1328*1328`." }),
    parseMembers: ({ wire: { parameters } }) =>
      sizeFrom(["parameters.size", isObject(parameters) ? parameters.size : undefined]),
    render: (size, { warnings }) => fittedSize(size, warnings, dashscopeImageModels, "*"),
  },
  n: {
    path: "parameters.n",
    schema: optional("integer", { minimum: 1, maximum: 10, description: "Number of images to generate." }),
    renderMembers({ request, warnings }) {
      const n = request.n ?? (imageRow(dashscopeImageModels, warnings).needsCount ? 1 : undefined);
      return n === undefined ? {} : { parameters: { n } };
    },
  },
  seed: {
    path: "parameters.seed",
    schema: optional("integer", { minimum: 0, maximum: 2_147_483_647, description: "Seed for reproducible images." }),
  },
} satisfies Partial<ImageTable>;

const negativePrompt = {
  schema: optional("string", { description: "Description of what the image must not contain." }),
  parse: text,
  render: (value: string, setting: ImageSetting) => cutText(value, setting, "negativePrompt"),
};

/** A conversation of one message, and parameters. */
const fieldsOf = (task: ImageRequest["task"]): ImageTable => ({
  ...common,
  images: { path: content, limit: textsOnly(ownFiles), ...elsewhere },
  prompt: {
    path: content,
    parseMembers: (reading) => parseMessages(reading, task),
    renderMembers(setting) {
      const { images, prompt } = setting.request;
      const parts = [
        ...images.map((image) => ({ image: pictureText(image) })),
        { text: cutText(prompt, setting, "prompt") },
      ];
      return { input: { messages: [{ role: "user", content: parts }] } };
    },
  },
  negativePrompt: { path: "parameters.negative_prompt", ...negativePrompt },
  ...parameterRows,
  // Models that match the names of those that return bytes.
  delivery: {
    path: "output.choices",
    parseMembers: ({ wire }) => (answersBytes.test(String(wire.model)) ? { delivery: "base64" } : {}),
    ...elsewhere,
  },
});

const part = {
  text: optional("string", { description: "Description of the image, or of the change to make." }),
  image: optional("string", { description: "An input image: a URL or a data URI." }),
};
const messages = Type.Array(object({ role: optional("string"), content: Type.Array(object(part), { minItems: 1 }) }), {
  minItems: 1,
  description: "A single user message.",
});

const members: WireMembers = {
  model: { schema: Type.String({ minLength: 1, description: "ID of the model to use." }), lost: null },
  input: { schema: object({ messages }) },
  "input.messages": { lost: null },
  parameters: { schema: optional("object", { description: "Generation parameters." }) },
};

const parametersIn = ({ parameters }: JsonObject): JsonObject => (isObject(parameters) ? parameters : {});

/** The client's own wire, with the separator that this server expects, and `n` for models that require it. */
function passthroughRequest(wire: JsonObject, context: RenderContext): UpstreamRequest {
  const given = parametersIn(wire);
  const read = typeof given.size === "string" ? readSize(given.size, "parameters.size") : {};
  const size = read.width === undefined ? {} : { size: `${read.width}*${read.height}` };
  const needsCount = lookUpModel(dashscopeImageModels, context).row.needsCount === true;
  const parameters = { ...given, ...size, ...(given.n === undefined && needsCount ? { n: 1 } : {}) };
  const body = { ...wire, model: context.model, ...(Object.keys(parameters).length === 0 ? {} : { parameters }) };
  return { path, body };
}

function dividedWire(wire: JsonObject, most: number): JsonObject[] {
  const given = parametersIn(wire);
  const wanted = imageCount(typeof given.n === "number" ? { n: given.n } : {});
  return Array.from({ length: Math.ceil(wanted / most) }, (_, call) => ({
    ...wire,
    parameters: { ...given, n: Math.min(most, wanted - call * most) },
  }));
}

/** One image per call for models without a row, which all of them support. */
const maxItems = (context: RenderContext): number => lookUpModel(dashscopeImageModels, context).row.maxImages ?? 1;

function messagesDialect(task: ImageRequest["task"]): Omit<ImageDialect, "name"> {
  const fields = fieldsOf(task);
  const readFields = fieldReader(fields, members);
  return {
    operation: "image",
    request: {
      fields,
      schema: requestSchema(fields, members),
      parse: (wire) => imageRequest(String(wire.model), false, readFields(wire)),
      render: renderer(fields, { path: () => path, members: ({ model }) => ({ model, parameters: {} }) }),
      maxItems,
      fieldPath: fieldPaths(fields),
    },
    response: { parse: parseDashscope, render: renderReply },
    passthrough: {
      render: passthroughRequest,
      splitBatch: dividedWire,
      normalize: (reply, _wire, context) =>
        context === undefined ? reply : renderReply(parseDashscope(reply), context),
    },
    error: dashscopeImageErrors,
  };
}

export const dashscopeImages: ImageDialect = { name: "dashscope-images", ...messagesDialect("generate") };
export const dashscopeImageEdits: ImageDialect = {
  name: "dashscope-image-edits",
  variantOf: dashscopeImages,
  ...messagesDialect("edit"),
};

const taskFields: ImageTable = {
  ...common,
  prompt: { path: "input.prompt", render: (prompt, setting) => cutText(prompt, setting, "prompt") },
  negativePrompt: { path: "input.negative_prompt", render: negativePrompt.render },
  images: { path: "input.images", limit: textsOnly(ownFiles), render: (images) => images.map(pictureText) },
  ...parameterRows,
};

/** The same service where it returns a task, which the provider polls until it ends. */
export const dashscopeImageTasks = upstreamImages({
  name: "dashscope-image-tasks",
  fields: taskFields,
  path: (_context, { images }) => (images.length > 0 ? editTaskPath : taskPath),
  members: ({ model }) => ({ model, parameters: {} }),
  headers: { "X-DashScope-Async": "enable" },
  maxItems,
  parse: parseDashscope,
  error: dashscopeImageErrors,
});

/**
 * Models that generate images only as tasks:
 * https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference
 */
function isTaskModel(model: string): boolean {
  const [, major, minor] = /^wan(?:x)?(\d)\.(\d)/.exec(model) ?? [];
  if (major === undefined) return /^(?:wanx|flux|stable-diffusion)/.test(model);
  return Number(major) * 10 + Number(minor) < 26;
}

/** Which of the two dialects a model uses. */
export function speaksImages(dialect: { readonly name: string }, model: string): boolean {
  if (dialect.name === dashscopeImageTasks.name) return isTaskModel(model);
  return dialect.name !== dashscopeImages.name || !isTaskModel(model);
}
