// Hosts of models by many vendors, where every model has its own input names: the fields of a row's model.
import type { VideoImage } from "../../../canonical/video.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { unsupported } from "../../errors.ts";
import { imageValue } from "../json-helpers.ts";
import { shapeBySize } from "../settings.ts";
import type { SettingFields, SubmitBody, VendorSubmit, VideoRow, VideoVendor } from "../vendor.ts";

/** A hosted model. A field without a name is one that the model does not have. */
export interface HostedRow extends VideoRow {
  readonly fields: NonNullable<VideoRow["fields"]>;
  /** How a length is written: `5`, `"5"` or `"5s"`. A number where absent. */
  readonly secondsAs?: "number" | "text" | "unit";
  /** The field for references accepts one image, not a list. */
  readonly singleReference?: boolean;
  /** The model's own values for the ratios. */
  readonly ratioWords?: { readonly [ratio: string]: string };
}

const secondsWriters = {
  number: (seconds: number) => seconds,
  text: String,
  unit: (seconds: number) => `${seconds}s`,
} as const;

const named = (name: string | undefined, prefix: string): string | null => (name === undefined ? null : prefix + name);

/** The table of fields of a row; `prefix` is the path of the inputs. */
export function hostedFields(prefix: string): (row: HostedRow) => SettingFields {
  return ({ fields, secondsAs = "number", ratioWords }) => ({
    model: { custom: "path" },
    prompt: `${prefix}prompt`,
    seconds: fields.seconds === undefined ? null : { at: prefix + fields.seconds, as: secondsWriters[secondsAs] },
    size: named(fields.size, prefix),
    ratio:
      fields.ratio === undefined
        ? null
        : { at: prefix + fields.ratio, as: (ratio: string) => ratioWords?.[ratio] ?? ratio },
    resolution: named(fields.resolution, prefix),
    seed: named(fields.seed, prefix),
    fps: named(fields.fps, prefix),
    negativePrompt: named(fields.negativePrompt, prefix),
    n: null,
    audio: named(fields.audio, prefix),
    watermark: null,
  });
}

/** A model with a field for a size uses it instead of ratio and resolution. */
export const hostedShape: NonNullable<VideoVendor<HostedRow>["shape"]> = (request, { fields, sizes }) =>
  fields.size === undefined ? undefined : shapeBySize(request, sizes ?? []);

const refusals = {
  first: "this model does not support image input.",
  last: "this model does not support a last frame.",
  reference: "this model does not support reference images.",
} as const;

/** A model with only a list of images accepts frames there. */
function roleAt({ role }: VideoImage, { fields }: HostedRow): VideoImage["role"] {
  const hasOnlyList = fields.first === undefined && fields.last === undefined && fields.references !== undefined;
  return hasOnlyList ? "reference" : role;
}

/** The images in the model's own fields, with a warning for each that is used otherwise than requested. */
export function hostedImages({
  request,
  row,
}: VendorSubmit<HostedRow>): { inputs: JsonObject } & Pick<SubmitBody, "warnings"> {
  const { fields, singleReference } = row;
  const placed = request.images.map((image) => ({ image, role: roleAt(image, row) }));
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
