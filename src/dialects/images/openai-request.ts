// What a request in OpenAI's shape wants, as JSON or as a form.
import type { ImageField, ImageRequest, InputImage } from "../../canonical/image.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RequestMeta } from "../dialect.ts";
import { missing } from "../errors.ts";
import { filesNamed } from "../shared/form-values.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { optionalNumber, optionalText } from "../shared/json-accessors.ts";
import { checkImages, pictureOfFile, pictureOfText } from "./input-images.ts";
import { readSize } from "./sizes.ts";

/** These models always answer with bytes, and their clients count on it. */
export const answersBytes = /^(?:chatgpt|gpt)-image(?:-|$)/;

const fieldOf: ReadonlyMap<string, ImageField> = new Map([
  ["prompt", "prompt"],
  ["negative_prompt", "negativePrompt"],
  ["n", "n"],
  ["size", "size"],
  ["aspect_ratio", "size"],
  ["quality", "quality"],
  ["style", "style"],
  ["background", "background"],
  ["input_fidelity", "inputFidelity"],
  ["moderation", "moderation"],
  ["output_format", "fileFormat"],
  ["output_compression", "compression"],
  ["partial_images", "partialImages"],
  ["response_format", "delivery"],
  ["prompt_extend", "extendPrompt"],
  ["watermark", "watermark"],
  ["seed", "seed"],
  ["user", "endUser"],
]);
const structure = new Set(["model", "image", "images", "mask", "stream"]);
const quiet = new Set(["safety_identifier"]);

/** `names` in the order of the table, so that a size stands before a ratio. */
function readSaid(wire: JsonObject): ImageRequest["said"] {
  const entries = [...fieldOf].filter(([name]) => !isAbsent(wire[name]) && wire[name] !== "");
  return Object.fromEntries(entries.map(([name, field]) => [field, name]));
}

function readExtras(wire: JsonObject, { files = [] }: RequestMeta): UnmappedField[] {
  const unknown = Object.keys(wire).filter(
    (name) => !fieldOf.has(name) && !structure.has(name) && !isAbsent(wire[name]),
  );
  const known = [...filesNamed(files, "image"), ...filesNamed(files, "mask")];
  const unread = files.filter((file) => !known.includes(file)).map(({ field }) => field);
  return [...new Set([...unknown, ...unread])].map((path) => ({ path, rule: quiet.has(path) ? "ignore" : "warn" }));
}

function readReference(reference: Json, path: string): InputImage {
  if (typeof reference === "string") return pictureOfText(reference, path);
  const { image_url: url, file_id: id } = isObject(reference) ? reference : {};
  if (typeof url === "string" && url !== "") return pictureOfText(url, `${path}.image_url`);
  if (typeof id === "string" && id !== "") return { source: { kind: "file", id }, path: `${path}.file_id` };
  throw missing(`${path}.image_url`);
}

function readList(value: Json | undefined, path: string): InputImage[] {
  if (typeof value === "string") return value === "" ? [] : [readReference(value, path)];
  return Array.isArray(value) ? value.map((item, index) => readReference(item, `${path}[${index}]`)) : [];
}

/** Images in any of the places where clients put them, in order. */
function readImages(wire: JsonObject, { files }: RequestMeta): readonly InputImage[] {
  const uploaded = filesNamed(files, "image").map((file) => pictureOfFile(file, file.field));
  const images = [...uploaded, ...readList(wire.image, "image"), ...readList(wire.images, "images")];
  return checkImages(images, wire.images === undefined ? "image" : "images");
}

function readMask(wire: JsonObject, { files }: RequestMeta): { readonly mask?: InputImage } {
  const [file] = filesNamed(files, "mask");
  if (file !== undefined) return { mask: pictureOfFile(file, "mask") };
  return isObject(wire.mask) ? { mask: readReference(wire.mask, "mask") } : {};
}

function readShape(wire: JsonObject): Pick<ImageRequest, "width" | "height" | "ratio" | "resolution"> {
  const ratio = typeof wire.aspect_ratio === "string" ? readSize(wire.aspect_ratio, "aspect_ratio") : {};
  return { ...ratio, ...(typeof wire.size === "string" ? readSize(wire.size, "size") : {}) };
}

/** A stream tells bytes alone, and so do models that are named like those that do. */
function readDelivery(wire: JsonObject): { readonly delivery?: NonNullable<ImageRequest["delivery"]> } {
  if (wire.stream === true || answersBytes.test(String(wire.model))) return { delivery: "base64" };
  if (wire.response_format === "b64_json") return { delivery: "base64" };
  return wire.response_format === "url" ? { delivery: "url" } : {};
}

const truth = <Name extends string>(wire: JsonObject, name: string, as: Name): { readonly [key in Name]?: boolean } =>
  typeof wire[name] === "boolean" ? ({ [as]: wire[name] } as { [key in Name]: boolean }) : {};

/** From a wire that has passed its schema. `task` is what the path is for; images make every request an edit. */
export function parseRequest(wire: JsonObject, envelope: RequestMeta, task: ImageRequest["task"]): ImageRequest {
  const images = readImages(wire, envelope);
  if (task === "edit" && images.length === 0) throw missing("image");
  return {
    operation: "image",
    task: images.length > 0 ? "edit" : "generate",
    model: wire.model as string,
    stream: wire.stream === true,
    prompt: wire.prompt as string,
    images,
    ...readMask(wire, envelope),
    ...readShape(wire),
    ...readDelivery(wire),
    ...optionalText(wire, "negative_prompt", "negativePrompt"),
    ...optionalNumber(wire, "n", "n"),
    ...optionalText(wire, "quality", "quality"),
    ...optionalText(wire, "style", "style"),
    ...optionalText(wire, "background", "background"),
    ...optionalText(wire, "input_fidelity", "inputFidelity"),
    ...optionalText(wire, "moderation", "moderation"),
    ...optionalText(wire, "output_format", "fileFormat"),
    ...optionalNumber(wire, "output_compression", "compression"),
    ...optionalNumber(wire, "partial_images", "partialImages"),
    ...truth(wire, "prompt_extend", "extendPrompt"),
    ...truth(wire, "watermark", "watermark"),
    ...optionalNumber(wire, "seed", "seed"),
    ...optionalText(wire, "user", "endUser"),
    said: readSaid(wire),
    unmappedFields: readExtras(wire, envelope),
  };
}
