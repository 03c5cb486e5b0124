// What the sandbox does not act on: a warning for each field, which strict mode refuses.

import type { ImageField } from "../../canonical/image.ts";
import type { Ask } from "../../canonical/operation.ts";
import type { VideoAsk } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { RenderContext } from "../../dialects/dialect.ts";
import { noteLost, noteSaid } from "../../dialects/images/field-support.ts";
import type { VideoRenderContext } from "../../dialects/video/upstream.ts";
import { dropped, fixedSound, misfits } from "../../dialects/video/warnings.ts";
import { clip } from "./sample-video.ts";

const drawnFields: readonly ImageField[] = ["size", "partialImages", "fileFormat"];

type Losses = (ask: never, context: RenderContext) => readonly Warning[];

const byOperation: { readonly [operation in Ask["operation"]]?: Losses } = {
  chat: ({ media, extras, completion }: Extract<Ask, { operation: "chat" }>) => {
    const unread = completion === undefined ? extras.filter(({ rule }) => rule !== "quiet") : [];
    const paths = [...(media === undefined ? [] : [media.path]), ...unread.map(({ path }) => path)];
    return paths.map((path) => ({ code: "dropped", path }));
  },
  image(ask: Extract<Ask, { operation: "image" }>, context) {
    const notes = { context, warnings: [] as Warning[] };
    noteLost(ask, notes, drawnFields);
    if (ask.fileFormat !== undefined && ask.fileFormat !== "png") noteSaid(ask, notes, "approximated", "fileFormat");
    if (ask.delivery === "url") noteSaid(ask, notes, "approximated", "delivery");
    return notes.warnings;
  },
};

/** The fields of a request that the sandbox does not act on. */
export function losses(ask: Ask, context: RenderContext): readonly Warning[] {
  return byOperation[ask.operation]?.(ask as never, context) ?? [];
}

const made = { seconds: clip.seconds, width: clip.width, height: clip.height, ratio: "16:9" };

/** The same for a video: whatever was asked for, there is one. */
export function videoLosses(ask: VideoAsk, context: VideoRenderContext): readonly Warning[] {
  const fps = ask.fps === clip.fps ? [] : (["fps"] as const);
  return [
    ...misfits(ask, made, context),
    ...dropped(ask, context, [...fps, "seed", "negativePrompt", "watermark"]),
    ...fixedSound(ask, context, false),
  ];
}
