// The images of a request in the members that a model of Wan has for them.
import type { VideoRequest } from "../../../../canonical/video.ts";
import { type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import { checkRoles } from "../../capabilities.ts";
import { imageFor } from "../../images.ts";
import { imageValue } from "../../json-helpers.ts";
import type { VideoRenderContext } from "../../upstream.ts";
import type { WanRow } from "./models.ts";

const types = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;

/** Throws `unsupported_parameter` for images that the model has no place for, or lacks. */
export function mediaOf(request: VideoRequest, row: WanRow, context: VideoRenderContext): JsonObject {
  checkRoles(request, row, context);
  const { images } = request;
  if (images.length === 0) return {};
  if (row.takesMedia) return { media: images.map((image) => ({ type: types[image.role], url: imageValue(image) })) };
  const references = images.filter(({ role }) => role === "reference");
  if (references.length > 0) return { reference_urls: references.map(imageValue) };
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  const image = first && imageValue(first);
  return last === undefined
    ? omitUndefined({ img_url: image })
    : omitUndefined({ first_frame_url: image, last_frame_url: imageValue(last) });
}
