// The images of a request in the members that a model of Wan has for them.
import type { VideoAsk, VideoImage } from "../../../../canon/video.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { unsupported } from "../../../reject.ts";
import { imageFor } from "../../images.ts";
import type { VideoRenderContext } from "../../upstream.ts";
import { imageSent } from "../../wire.ts";
import type { Offer, WanKind } from "./offers.ts";

const types = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;

type Role = VideoImage["role"];

/** The roles that a kind has a place for, and those that it cannot do without. */
const rolesOf: { readonly [kind in WanKind]: { readonly takes: readonly Role[]; readonly needs: readonly Role[] } } = {
  text: { takes: [], needs: [] },
  frame: { takes: ["first"], needs: ["first"] },
  frames: { takes: ["first", "last"], needs: ["first", "last"] },
  references: { takes: ["reference"], needs: ["reference"] },
  any: { takes: ["first", "last", "reference"], needs: [] },
};

/** Newer models that animate a frame take a last one too, and those of references a first one. */
const newerRoles: typeof rolesOf = {
  ...rolesOf,
  frame: { takes: ["first", "last"], needs: ["first"] },
  references: { takes: ["first", "reference"], needs: ["reference"] },
};

const words = { first: "a first frame", last: "a last frame", reference: "images for reference" } as const;

function check({ images }: VideoAsk, { kind, isNewer }: Offer, context: VideoRenderContext): void {
  const { takes, needs } = (isNewer ? newerRoles : rolesOf)[kind];
  const stray = images.find(({ role }) => !takes.includes(role));
  if (stray !== undefined) throw unsupported(stray.path, `it does not take ${words[stray.role]}.`);
  const lacking = needs.find((role) => images.every((image) => image.role !== role));
  if (lacking !== undefined) throw unsupported(context.fieldPath("model"), `it needs ${words[lacking]}.`);
}

/** Throws `unsupported_parameter` for images that the model has no place for, or lacks. */
export function mediaOf(ask: VideoAsk, offer: Offer, context: VideoRenderContext): JsonObject {
  check(ask, offer, context);
  const { images } = ask;
  if (images.length === 0) return {};
  if (offer.isNewer) return { media: images.map((image) => ({ type: types[image.role], url: imageSent(image) })) };
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  if (offer.kind === "references") return { reference_urls: images.map(imageSent) };
  if (first !== undefined && last !== undefined)
    return { first_frame_url: imageSent(first), last_frame_url: imageSent(last) };
  if (first === undefined) throw unsupported(images[0]?.path ?? "", "it takes a first frame.");
  return { img_url: imageSent(first) };
}
