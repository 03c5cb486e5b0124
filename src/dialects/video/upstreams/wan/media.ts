// The images of a request in the members that a model of Wan has for them.
import type { VideoAsk } from "../../../../canonical/video.ts";
import { compact, type JsonObject } from "../../../../lib/json.ts";
import { checkRoles } from "../../capabilities.ts";
import { imageFor } from "../../images.ts";
import { imageSent } from "../../json-helpers.ts";
import type { VideoRenderContext } from "../../upstream.ts";
import type { WanRow } from "./models.ts";

const types = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;

/** Throws `unsupported_parameter` for images that the model has no place for, or lacks. */
export function mediaOf(ask: VideoAsk, row: WanRow, context: VideoRenderContext): JsonObject {
  checkRoles(ask, row, context);
  const { images } = ask;
  if (images.length === 0) return {};
  if (row.takesMedia) return { media: images.map((image) => ({ type: types[image.role], url: imageSent(image) })) };
  const references = images.filter(({ role }) => role === "reference");
  if (references.length > 0) return { reference_urls: references.map(imageSent) };
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  const image = first && imageSent(first);
  return last === undefined
    ? compact({ img_url: image })
    : compact({ first_frame_url: image, last_frame_url: imageSent(last) });
}
