// Rows and halves that the tables of image formats share.
import type { ImageRequest, ImageResponse } from "../../canonical/image.ts";
import type { Json } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { dropped, type FieldTable, ignored, type RenderSetting, rejected } from "../field-table.ts";
import type { ReadFields } from "../read-fields.ts";
import { warnField } from "../shared/warnings.ts";
import { upstreamsOf } from "../upstream-format.ts";

export type ImageDialect = Dialect<ImageRequest, ImageResponse>;
export type ImageTable = FieldTable<ImageRequest>;
export type ImageSetting = RenderSetting<ImageRequest>;

/** The text of a member; undefined when it is empty. */
export const text = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The request of a client from the parsed fields, which always include prompt, images and task. */
export function imageRequest(model: string, stream: boolean, read: ReadFields<ImageRequest>): ImageRequest {
  const fields = read.fields as Pick<ImageRequest, "task" | "prompt" | "images">;
  return { operation: "image", model, stream, ...fields, unmappedFields: read.unmappedFields };
}

export const noOption = dropped("the format has no such option");

/** The upstream half of a field that only clients of the format have. */
export const notSent = { limit: () => noOption } as const;
/** The upstream half of a field that is not a member of the body. */
export const elsewhere = { render: () => undefined } as const;

/** Fields that most formats lack, and what the gateway itself does for them. */
export const common = {
  quality: noOption,
  style: noOption,
  background: noOption,
  inputFidelity: noOption,
  moderation: noOption,
  fileFormat: noOption,
  compression: noOption,
  partialImages: noOption,
  extendPrompt: noOption,
  watermark: noOption,
  seed: noOption,
  task: ignored("a request with images is an edit"),
  n: ignored("the gateway asks several times"),
  delivery: ignored("the gateway fetches the bytes that a client wants"),
  endUser: ignored("the format has no end users"),
  mask: rejected("this model does not support masks."),
} as const;

export const noImages = rejected("this model does not support image input.");

/** The prompt followed by the negative prompt, for formats without a member for that. */
export function wholePrompt({ request: { prompt, negativePrompt }, warnings }: ImageSetting): string {
  if (negativePrompt === undefined) return prompt;
  warnField(warnings, "approximated", "negativePrompt");
  return `${prompt}\n\nAvoid: ${negativePrompt}`;
}

/** A prompt that includes the negative prompt. */
export const promptAt = (path: string) =>
  ({
    prompt: { path, render: (_prompt: string, setting: ImageSetting) => wholePrompt(setting) },
    negativePrompt: { path, carriedBy: "prompt" },
  }) as const;

/** Models that return only bytes. They are not stored under a URL, so clients that request URLs get bytes. */
export const bytesOnly = {
  render(delivery: NonNullable<ImageRequest["delivery"]>, { warnings }: ImageSetting): undefined {
    if (delivery === "url") warnField(warnings, "approximated", "delivery");
  },
} as const;

/** Whether the response contains bytes or URLs, with the format's values for each. */
export const deliveryAt = (path: string, base64: string, url?: string) => ({
  path,
  renderMembers: ({ request }: ImageSetting) => {
    const word = request.delivery === "base64" ? base64 : url;
    return word === undefined ? {} : { [path]: word };
  },
});

/** The format of image servers. */
export const upstreamImages = upstreamsOf<ImageRequest, ImageResponse>("image");
