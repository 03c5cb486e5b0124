// Hosts of models by many makers, where every model names its own inputs: canon's fields under the names of a row.
import type { VideoImage, VideoRequest } from "../../../canonical/video.ts";
import type { Warning } from "../../../canonical/warning.ts";
import { type Json, type JsonObject, omitUndefined } from "../../../lib/json.ts";
import { unsupported } from "../../errors.ts";
import type { ModelRow } from "../../shared/model-table.ts";
import { durationFor, ratioFor, resolutionFor } from "../capabilities.ts";
import { imageValue } from "../json-helpers.ts";
import { nearestSize } from "../nearest-supported.ts";
import type { VideoRenderContext } from "../upstream.ts";
import { approximationWarnings, dropped, type RenderedSettings } from "../warnings.ts";

/** A model behind a host. A field without a name is one that the model does not have. */
export interface HostedRow extends ModelRow {
  readonly fields: NonNullable<ModelRow["fields"]>;
  /** How a length is written: `5`, `"5"` or `"5s"`. A number where absent. */
  readonly secondsAs?: "number" | "text" | "unit";
  /** The field for references takes one image, not a list. */
  readonly singleReference?: boolean;
  /** Words of the model's own for the ratios. */
  readonly ratioWords?: { readonly [ratio: string]: string };
}

const writers = {
  number: (seconds: number): Json => seconds,
  text: String,
  unit: (seconds: number): Json => `${seconds}s`,
} as const;

/** The images as the model takes them, and the warnings for those that are used otherwise than requested. */
interface PlacedImages {
  readonly inputs: JsonObject;
  readonly warnings: readonly Warning[];
}

const refusals = {
  first: "this model does not support image input.",
  last: "this model does not support a last frame.",
  reference: "this model does not support reference images.",
} as const;

/** A model that only has a list of images takes frames there. */
function roleAt({ role }: VideoImage, { fields }: HostedRow): VideoImage["role"] {
  const hasOnlyList = fields.first === undefined && fields.last === undefined && fields.references !== undefined;
  return hasOnlyList ? "reference" : role;
}

function placeImages({ images }: VideoRequest, row: HostedRow): PlacedImages {
  const { fields, singleReference } = row;
  const placed = images.map((image) => ({ image, role: roleAt(image, row) }));
  const names = { first: fields.first, last: fields.last, reference: fields.references } as const;
  const stray = placed.find(({ role }) => names[role] === undefined);
  if (stray !== undefined) throw unsupported(stray.image.path, refusals[stray.image.role]);
  const references = placed.filter(({ role }) => role === "reference").map(({ image }) => image);
  const [one, more] = references;
  if (singleReference && more !== undefined) throw unsupported(more.path, "this model accepts one reference image.");
  const frames = placed.filter(({ role }) => role !== "reference");
  const list = singleReference && one !== undefined ? imageValue(one) : references.map(imageValue);
  return {
    inputs: {
      ...Object.fromEntries(frames.map(({ image, role }) => [names[role] ?? "", imageValue(image)])),
      ...(one === undefined ? {} : { [fields.references ?? ""]: list }),
    },
    warnings: placed
      .filter(({ image, role }) => image.role !== role)
      .map(({ image }) => ({ code: "approximated", path: image.path })),
  };
}

/** Canon's plain fields, under the names that the model has for them. */
const plain = ["seed", "fps", "negativePrompt", "audio"] as const;

function plainInputs(request: VideoRequest, { fields }: HostedRow): JsonObject {
  const named = plain.map((field) => [fields[field], request[field] as Json | undefined] as const);
  return Object.fromEntries(
    named.flatMap(([name, value]) => (name === undefined || value === undefined ? [] : [[name, value]])),
  );
}

type Requested = RenderedSettings & { readonly size?: string | undefined };

/** A size says ratio and resolution at once. */
function sizeRequested(request: VideoRequest, sizes: readonly string[]): Requested {
  const size = nearestSize(request, sizes);
  if (size === undefined) return {};
  const [width = 0, height = 0] = size.split("*").map(Number);
  return { size, width, height, ratio: size, resolution: `${Math.min(width, height)}p` };
}

/** What is requested of length, shape and resolution; nothing where the client said nothing. */
function madeOf(request: VideoRequest, { fields, durations, ratios, resolutions, sizes }: HostedRow): Requested {
  return {
    seconds:
      request.seconds === undefined || fields.seconds === undefined
        ? undefined
        : durationFor(request.seconds, durations),
    ratio: fields.ratio === undefined ? undefined : ratioFor(request, ratios),
    resolution: fields.resolution === undefined ? undefined : resolutionFor(request, resolutions),
    ...(fields.size === undefined ? {} : sizeRequested(request, sizes ?? [])),
  };
}

function soundLoss(request: VideoRequest, { fields, audio }: HostedRow): ("audio" | never)[] {
  if (fields.audio !== undefined || request.audio === undefined) return [];
  return audio === (request.audio ? "always" : "never") ? [] : ["audio"];
}

/** Warnings for what the model has no field for, and for what had to be rounded. */
function lossesOf(
  request: VideoRequest,
  row: HostedRow,
  made: RenderedSettings,
  context: VideoRenderContext,
): Warning[] {
  const nameless = (["seed", "fps", "negativePrompt"] as const).filter((field) => row.fields[field] === undefined);
  return [
    ...dropped(request, context, [...nameless, ...soundLoss(request, row), "watermark"]),
    ...approximationWarnings(request, made, context),
  ];
}

/** The input of a model, what will be made of it, and what is lost. */
export interface HostedInput {
  readonly input: JsonObject;
  readonly made: RenderedSettings;
  readonly warnings: readonly Warning[];
}

/** Throws `unsupported_parameter` for images that the model has no field for. */
export function hostedInput(request: VideoRequest, row: HostedRow, context: VideoRenderContext): HostedInput {
  const made = madeOf(request, row);
  const images = placeImages(request, row);
  const { seconds, ratio, resolution, size } = made;
  const wishes = [
    [row.fields.seconds, seconds === undefined ? undefined : writers[row.secondsAs ?? "number"](seconds)],
    [row.fields.ratio, ratio === undefined ? undefined : (row.ratioWords?.[ratio] ?? ratio)],
    [row.fields.resolution, resolution],
    [row.fields.size, size],
  ] as const;
  return {
    input: omitUndefined({
      prompt: request.prompt,
      ...images.inputs,
      ...plainInputs(request, row),
      ...Object.fromEntries(wishes.flatMap(([name, value]) => (name === undefined ? [] : [[name, value]]))),
    }),
    made,
    warnings: [...images.warnings, ...lossesOf(request, row, made, context)],
  };
}

/** Whether the video will have sound, as far as it is known. */
export function soundOf(request: VideoRequest, { fields, audio }: HostedRow): boolean | undefined {
  if (fields.audio !== undefined) return request.audio;
  return audio === undefined || audio === "optional" ? undefined : audio === "always";
}
