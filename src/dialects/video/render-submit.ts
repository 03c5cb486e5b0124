// Renders the submit of a video for a vendor from its table, with a warning for every loss.
import type { VideoRequest } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { missing, unsupported } from "../errors.ts";
import { lookUpModel, type ModelRow } from "../shared/model-table.ts";
import { imageFor } from "./images.ts";
import { deepMerge } from "./nearest-supported.ts";
import { effectOf, fitAudio, fitSettings } from "./settings.ts";
import type { VideoRenderContext, VideoRendered } from "./upstream.ts";
import type {
  ImageRules,
  SentSettings,
  SettingField,
  SettingFields,
  VideoRow,
  VideoSetting,
  VideoVendor,
} from "./vendor.ts";
import { approximationWarnings, dropped } from "./warnings.ts";

const isFrame = ({ role }: { role: string }): boolean => role !== "reference";

function checkPrompt(
  request: VideoRequest,
  { needsPrompt }: Pick<VideoVendor, "needsPrompt">,
  row: VideoRow,
  context: VideoRenderContext,
): void {
  const { prompt, images } = request;
  const isOptional =
    !row.needsPrompt &&
    ((needsPrompt === "without-images" && images.length > 0) ||
      (needsPrompt === "without-frames" && images.some(isFrame)));
  if (prompt === undefined && !isOptional) throw missing(context.fieldPath("prompt"));
}

const refusals = {
  first: "this model does not support a first frame.",
  last: "this model does not support a last frame.",
  reference: "this model does not support reference images.",
} as const;

const required = { first: "a first frame", last: "a last frame", reference: "reference images" } as const;

/** Throws `unsupported_parameter` for an image that the model does not support, and for a missing required one. */
function checkRoles(
  { images }: VideoRequest,
  { images: roles, needs = [] }: ModelRow,
  context: VideoRenderContext,
): void {
  const stray = images.find(({ role }) => roles?.includes(role) === false);
  if (stray !== undefined) throw unsupported(stray.path, refusals[stray.role]);
  const lacking = needs.find((role) => images.every((image) => image.role !== role));
  if (lacking !== undefined) throw unsupported(context.fieldPath("model"), `this model requires ${required[lacking]}.`);
}

function checkTogether({ images }: VideoRequest, { exclusive, lastNeedsFirst, mostReferences }: ImageRules): void {
  const references = images.filter(({ role }) => role === "reference");
  const [reference] = references;
  if (exclusive && reference !== undefined && images.some(isFrame))
    throw unsupported(reference.path, "this model accepts either frames or reference images, not both.");
  const stray = references[mostReferences ?? references.length];
  if (stray !== undefined)
    throw unsupported(
      stray.path,
      `this model accepts at most ${mostReferences} reference image${mostReferences === 1 ? "" : "s"}.`,
    );
  const last = imageFor(images, "last");
  if (lastNeedsFirst && last !== undefined && imageFor(images, "first") === undefined)
    throw unsupported(last.path, "a last frame requires a first frame.");
}

const isOffered = ({ options }: VideoRow, name: string): boolean => options?.includes(name) !== false;

const optionalSettings = ["negativePrompt", "seed", "audio"] as const;

/** The fields as this model has them. */
export function fieldsOf<Row extends VideoRow>({ fields }: VideoVendor<Row>, row: Row): SettingFields {
  const all = typeof fields === "function" ? fields(row) : fields;
  const missing = optionalSettings.filter((name) => !isOffered(row, name));
  return { ...all, ...Object.fromEntries(missing.map((name) => [name, null])) };
}

/** An object with one value at a path with dots. */
export function nested(path: string, value: Json | undefined): JsonObject {
  const [name = "", ...rest] = path.split(".");
  return { [name]: rest.length === 0 ? value : nested(rest.join("."), value) };
}

function written(field: SettingField, value: Json | undefined): JsonObject {
  if (field === null || value === undefined) return {};
  if (typeof field === "string") return nested(field, value);
  if (!("at" in field)) return {};
  const result = field.as(value as never);
  return result === undefined ? {} : nested(field.at, result);
}

/** A value that a client sent under the vendor's own name. */
function nativeValue(metadata: JsonObject, path: string): JsonObject {
  const names = path.split(".");
  const name = names.at(-1) ?? "";
  const [group = ""] = names;
  const grouped = names.length > 1 && isObject(metadata[group]) ? metadata[group][name] : undefined;
  const value = grouped ?? metadata[name];
  return value === undefined ? {} : nested(path, value);
}

const keysOf = (fields: SettingFields): VideoSetting[] => Object.keys(fields) as VideoSetting[];

const merge = (objects: readonly JsonObject[]): JsonObject => objects.reduce(deepMerge, {});

const plainSettings = ["negativePrompt", "fps", "seed", "watermark"] as const;

/** Settings that the format does not have, where the client requested another value. */
function lostSettings(request: VideoRequest, fields: SettingFields, context: VideoRenderContext): Warning[] {
  const order = keysOf(fields);
  const lost = plainSettings.filter((name) => {
    const field = fields[name];
    return field === null || (typeof field === "object" && "fixed" in field && field.fixed !== request[name]);
  });
  return dropped(
    request,
    context,
    lost.toSorted((left, right) => order.indexOf(left) - order.indexOf(right)),
  );
}

function valuesOf(
  request: VideoRequest,
  sent: SentSettings,
  model: string,
): { readonly [name: string]: Json | undefined } {
  const { prompt, negativePrompt, fps, seed, watermark, n } = request;
  return { prompt, negativePrompt, fps, seed, watermark, n: n > 1 ? n : undefined, ...sent, model };
}

/** Throws `missing_required_parameter` and `unsupported_parameter` for what must not be dropped. */
export function renderSubmit<Row extends VideoRow>(
  vendor: VideoVendor<Row>,
  given: VideoRequest,
  base: VideoRenderContext,
): VideoRendered {
  const request = vendor.normalize?.(given) ?? given;
  const context = vendor.modelFor?.(request, base) ?? base;
  const table = typeof vendor.models === "function" ? vendor.models(request, context) : vendor.models;
  const { row, isListed } = lookUpModel(table, context);
  if (!vendor.images?.ownRoles) checkRoles(request, row, context);
  checkTogether(request, vendor.images ?? {});
  checkPrompt(request, vendor, row, context);
  const fields = fieldsOf(vendor, row);
  const fitting = { request, row, vendor, fields };
  const { sent, made } = fitSettings(fitting);
  const audio = fitAudio(fitting);
  const values = valuesOf(request, { ...sent, audio: audio.sent }, context.model);
  const native = (vendor.native ?? []).filter((path) => isOffered(row, path));
  const settings = merge([
    ...native.map((path) => nativeValue(request.metadata, path)),
    ...keysOf(fields).map((name) => written(fields[name], values[name])),
  ]);
  const submit = vendor.submit({ request, context, row, sent: { ...sent, audio: audio.sent }, settings });
  const { path, body = {}, form, headers, upstreamState, warnings = [] } = submit;
  return {
    call: {
      path,
      body: form === undefined ? omitUndefined(deepMerge(settings, body)) : {},
      ...(form && { form }),
      ...(headers && { headers }),
    },
    warnings: [
      ...(isListed ? [] : [{ code: "unverified", path: context.fieldPath("model") } as const]),
      ...warnings,
      ...lostSettings(request, fields, context),
      ...(audio.isLost ? dropped(request, context, ["audio"]) : []),
      ...approximationWarnings(request, made, context),
    ],
    effect: effectOf(made, vendor.reports, audio.made),
    ...(upstreamState && { upstreamState }),
  };
}
