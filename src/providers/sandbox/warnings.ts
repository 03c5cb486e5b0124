// Warnings for the fields that the sandbox ignores, which strict mode refuses.
import type { ImageRequest } from "../../canonical/image.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { RenderContext } from "../../dialects/dialect.ts";
import type { FieldTable } from "../../dialects/field-table.ts";
import { bytesOnly, common, elsewhere, noOption } from "../../dialects/images/fields.ts";
import { renderer } from "../../dialects/render-fields.ts";
import { warnField } from "../../dialects/shared/warnings.ts";
import type { VideoRenderContext } from "../../dialects/video/upstream.ts";
import { approximationWarnings, dropped, fixedSound } from "../../dialects/video/warnings.ts";
import { sampleVideo } from "./sample-video.ts";

/** The image fields that the sandbox uses. */
const imageFields: FieldTable<ImageRequest> = {
  ...common,
  prompt: { path: "prompt" },
  negativePrompt: noOption,
  images: { path: "images", ...elsewhere },
  mask: { path: "mask", ...elsewhere },
  size: { path: "size", ...elsewhere },
  partialImages: { path: "partialImages" },
  fileFormat: {
    path: "fileFormat",
    render(format, { warnings }) {
      if (format !== "png") warnField(warnings, "approximated", "fileFormat");
      return undefined;
    },
  },
  delivery: { path: "delivery", ...bytesOnly },
};
const renderImage = renderer(imageFields, { path: () => "" });

type WarningsFor = (ask: never, context: RenderContext) => readonly Warning[];

const byOperation: { readonly [operation in OperationRequest["operation"]]?: WarningsFor } = {
  chat: ({ media, unmappedFields: extras, completion }: Extract<OperationRequest, { operation: "chat" }>) => {
    const unread = completion === undefined ? extras.filter(({ rule }) => rule !== "ignore") : [];
    const paths = [...(media === undefined ? [] : [media.path]), ...unread.map(({ path }) => path)];
    return paths.map((path) => ({ code: "dropped", path }));
  },
  image: (request: ImageRequest, context) => renderImage(request, context).warnings,
};

/** The fields of a request that the sandbox ignores. */
export function warningsFor(request: OperationRequest, context: RenderContext): readonly Warning[] {
  return byOperation[request.operation]?.(request as never, context) ?? [];
}

const made = { seconds: sampleVideo.seconds, width: sampleVideo.width, height: sampleVideo.height, ratio: "16:9" };

/** The same for a video, which is always the same one. */
export function videoWarnings(request: VideoRequest, context: VideoRenderContext): readonly Warning[] {
  const fps = request.fps === sampleVideo.fps ? [] : (["fps"] as const);
  return [
    ...approximationWarnings(request, made, context),
    ...dropped(request, context, [...fps, "seed", "negativePrompt", "watermark"]),
    ...fixedSound(request, context, false),
  ];
}
