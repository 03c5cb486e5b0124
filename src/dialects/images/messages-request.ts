// What an image request in the shape of the specification wants.
import type { ImageField, ImageRequest, InputImage } from "../../canonical/image.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { missing } from "../errors.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { objectsIn, optionalNumber, optionalText } from "../shared/json-accessors.ts";
import { checkImages, pictureOfText } from "./input-images.ts";
import { answersBytes } from "./openai-request.ts";
import { readSize } from "./sizes.ts";

const fieldOf: ReadonlyMap<string, ImageField> = new Map([
  ["n", "n"],
  ["negative_prompt", "negativePrompt"],
  ["prompt_extend", "extendPrompt"],
  ["watermark", "watermark"],
  ["size", "size"],
  ["seed", "seed"],
]);
const structure = new Set(["model", "input", "parameters"]);
const content = "input.messages[0].content[0]";

interface Part {
  readonly part: JsonObject;
  readonly path: string;
}

function partsOf(wire: JsonObject): Part[] {
  const messages = objectsIn(isObject(wire.input) ? wire.input.messages : undefined);
  return messages.flatMap((message, at) =>
    objectsIn(message.content).map((part, index) => ({ part, path: `input.messages[${at}].content[${index}]` })),
  );
}

const textsIn = (parts: readonly Part[]): Part[] =>
  parts.filter(({ part }) => typeof part.text === "string" && part.text.trim() !== "");

function readImages(parts: readonly Part[]): readonly InputImage[] {
  const images = parts.flatMap(({ part, path }): InputImage[] =>
    typeof part.image === "string" && part.image !== "" ? [pictureOfText(part.image, `${path}.image`)] : [],
  );
  return checkImages(images, "input.messages[0].content");
}

function readExtras(wire: JsonObject, parameters: JsonObject): UnmappedField[] {
  const above = Object.keys(wire).filter((name) => !structure.has(name) && !isAbsent(wire[name]));
  const inside = Object.keys(parameters).filter((name) => !fieldOf.has(name) && !isAbsent(parameters[name]));
  return [...above, ...inside.map((name) => `parameters.${name}`)].map((path) => ({ path, rule: "warn" }));
}

function readSaid(parameters: JsonObject, prompt: string): ImageRequest["said"] {
  const entries = [...fieldOf].filter(([name]) => !isAbsent(parameters[name]) && parameters[name] !== "");
  return { prompt, ...Object.fromEntries(entries.map(([name, field]) => [field, `parameters.${name}`])) };
}

const truths = ({
  prompt_extend: extendPrompt,
  watermark,
}: JsonObject): Pick<ImageRequest, "extendPrompt" | "watermark"> => ({
  ...(typeof extendPrompt === "boolean" ? { extendPrompt } : {}),
  ...(typeof watermark === "boolean" ? { watermark } : {}),
});

/** From a wire that has passed its schema. `task` is what the path is for; images make every request an edit. */
export function parseMessages(wire: JsonObject, task: ImageRequest["task"]): ImageRequest {
  const parts = partsOf(wire);
  const parameters = isObject(wire.parameters) ? wire.parameters : {};
  const texts = textsIn(parts);
  const images = readImages(parts);
  if (texts.length === 0) throw missing(`${content}.text`);
  if (task === "edit" && images.length === 0) throw missing(`${content}.image`);
  return {
    operation: "image",
    task: images.length > 0 ? "edit" : "generate",
    model: wire.model as string,
    stream: false,
    prompt: texts.map(({ part }) => part.text).join("\n"),
    images,
    ...(typeof parameters.size === "string" ? readSize(parameters.size, "parameters.size") : {}),
    ...optionalNumber(parameters, "n", "n"),
    ...optionalText(parameters, "negative_prompt", "negativePrompt"),
    ...optionalNumber(parameters, "seed", "seed"),
    ...truths(parameters),
    ...(answersBytes.test(String(wire.model)) ? { delivery: "base64" } : {}),
    said: readSaid(parameters, `${texts[0]?.path ?? content}.text`),
    unmappedFields: readExtras(wire, parameters),
  };
}
