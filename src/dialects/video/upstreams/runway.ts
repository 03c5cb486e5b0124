// Runway: one path for texts and one for images, sizes instead of ratios, and a task that reports its progress.
import type { GatewayError } from "../../../canonical/error.ts";
import type { VideoImage, VideoRequest } from "../../../canonical/video.ts";
import type { Json, JsonObject } from "../../../lib/json.ts";
import { unsupported } from "../../errors.ts";
import { objectsIn } from "../../shared/json-accessors.ts";
import { lookUpModel, type ModelTable } from "../../shared/model-table.ts";
import { videoUpstream } from "../engine.ts";
import { faultError } from "../error-codes.ts";
import { imageValue, linked, numberOf, objectOf, textOf } from "../json-helpers.ts";
import { shortSide, sizeOf } from "../nearest-supported.ts";
import { ratioFor, resolutionFor, shapeBySize } from "../settings.ts";
import type { VideoRenderContext } from "../upstream.ts";
import type { Shape, SubmitBody, TaskReading, VendorSubmit, VideoRow } from "../vendor.ts";
import endpoints from "./runway-endpoints.json" with { type: "json" };

type RunwayPath = "image_to_video" | "text_to_video";

/** What a model accepts with a text or with an image, from the types of Runway's own SDK. */
interface RunwayRow extends VideoRow {
  readonly path: RunwayPath;
  /** Sizes that follow the image, one for each resolution, as in `auto_720p`. */
  readonly autoSizes?: readonly string[];
  /** The size is a required field. */
  readonly needsSize?: boolean;
}

const { source, checkedOn } = endpoints;
const docs = "https://docs.dev.runwayml.com/api";

/** Models that are no longer in the SDK's types. */
const older: readonly RunwayRow[] = [
  {
    ...{
      models: /^gen3a/i,
      source: docs,
      checkedOn,
      path: "image_to_video",
      audio: "never",
      images: ["first", "last"],
    },
    ...{ sizes: ["1280:768", "768:1280"], needsSize: true, durations: [5, 10], usualSeconds: 10 },
    options: ["seed", "contentModeration"],
  },
  ...(["image_to_video", "text_to_video"] as const).map(
    (path): RunwayRow => ({
      ...{ models: /^veo3$/i, source: docs, checkedOn, path, audio: "always" },
      ...{ sizes: ["1280:720", "720:1280", "1920:1080", "1080:1920"], needsSize: true },
      ...{ durations: [8], usualSeconds: 8, images: path === "image_to_video" ? ["first"] : [], options: [] },
    }),
  ),
];

const listed = (endpoints.rows as unknown as readonly Omit<RunwayRow, "source" | "checkedOn">[]).map((row) => ({
  ...row,
  source,
  checkedOn,
}));

const tableFor = (path: RunwayPath): ModelTable<RunwayRow> => ({
  rows: [...listed, ...older].filter((row) => row.path === path),
  unlisted: { models: /(?:)/, source, checkedOn, path },
});

const tables = { image_to_video: tableFor("image_to_video"), text_to_video: tableFor("text_to_video") };

/** The table of the path that the images require. Throws for a model that has only the other path. */
function models(request: VideoRequest, context: VideoRenderContext): ModelTable<RunwayRow> {
  const hasFrame = request.images.some(({ role }) => role !== "reference");
  const [path, other]: RunwayPath[] = hasFrame
    ? ["image_to_video", "text_to_video"]
    : ["text_to_video", "image_to_video"];
  const table = tables[path ?? "text_to_video"];
  if (lookUpModel(table, context).isListed || !lookUpModel(tables[other ?? "text_to_video"], context).isListed)
    return table;
  if (hasFrame) throw unsupported(request.images[0]?.path ?? "", "this model does not support image input.");
  throw unsupported(context.fieldPath("prompt"), "this model supports image-to-video only.");
}

/** For unknown models: the client's ratio, otherwise its size. */
function unbounded(request: VideoRequest): Shape {
  const size = sizeOf(request);
  const ratio = request.ratio ?? (size === null ? undefined : `${size.width}:${size.height}`);
  const resolution = request.resolution ?? (size === null ? undefined : `${Math.min(size.width, size.height)}p`);
  return { sent: { ratio, resolution: request.resolution }, made: { ...size, ratio, resolution } };
}

/** The shape of the video in the model's values. */
function shape(request: VideoRequest, row: RunwayRow): Shape | undefined {
  const { sizes, ratios, resolutions, autoSizes, needsSize, path } = row;
  const wantsResolutionOnly =
    request.ratio === undefined && sizeOf(request) === null && shortSide(request) !== undefined;
  if (autoSizes !== undefined && path === "image_to_video" && wantsResolutionOnly) {
    const tiers = autoSizes.map((word) => word.replace("auto_", ""));
    const resolution = resolutionFor(request, tiers);
    return { sent: { size: `auto_${resolution}` }, made: { resolution } };
  }
  if (sizes !== undefined) return shapeBySize(request, sizes, needsSize);
  if (ratios === undefined && resolutions === undefined) return unbounded(request);
  const sent = { ratio: ratioFor(request, ratios ?? []), resolution: resolutionFor(request, resolutions ?? []) };
  return { sent, made: sent };
}

/** A single frame, or both with their positions; references in a list of their own. */
function submit({ request: { images }, row: { path } }: VendorSubmit<RunwayRow>): SubmitBody {
  const [only] = images;
  if (only === undefined) return { path };
  if (path === "text_to_video") return { path, body: { references: images.map((image) => ({ uri: uriOf(image) })) } };
  const promptImage: Json =
    images.length === 1 ? uriOf(only) : images.map((image) => ({ uri: uriOf(image), position: image.role }));
  return { path, body: { promptImage } };
}

/** An image URL; only https is accepted. */
function uriOf(image: VideoImage): string {
  const text = imageValue(image);
  if (/^http:/i.test(text)) throw unsupported(image.path, "this provider fetches images from https URLs only.");
  return text;
}

function read({ status: word, progress, failureCode: code, failure: reason, output }: JsonObject): TaskReading {
  const part = /^running$/i.test(String(word)) ? numberOf(progress) : undefined;
  const percent = part === undefined ? undefined : Math.round(Math.min(1, Math.max(0, part)) * 100);
  const results = Array.isArray(output) ? output.flatMap((url) => linked(url)).map(({ place }) => ({ place })) : [];
  return { status: word, code, reason, percent, results };
}

function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const { error, issues } = objectOf(body);
  const details = objectsIn(issues).map(({ path, message }) =>
    [Array.isArray(path) ? path.join(".") : "", textOf(message)].filter(Boolean).join(": "),
  );
  const message = [textOf(error) || textOf(body), details.join("; ")].filter(Boolean).join(" ");
  const fault = /moderation|safety/i.test(message) && status === 400 ? "content" : undefined;
  return faultError(fault, { status, message, retryAfterMs });
}

export const runwayVideos = videoUpstream<RunwayRow>({
  name: "runway-videos",
  imageForms: ["url", "data"],
  httpsOnly: true,
  models,
  needsPrompt: "without-frames",
  images: { exclusive: true, lastNeedsFirst: true },
  fields: ({ sizes }) => ({
    ...{ model: "model", prompt: "promptText", seconds: "duration", size: "ratio", ratio: "ratio" },
    resolution: sizes === undefined ? "resolution" : { custom: "ratio" },
    ...{ fps: null, watermark: null, seed: "seed", negativePrompt: "negativePrompt", audio: "audio", n: null },
  }),
  native: ["contentModeration"],
  shape,
  reports: "size",
  submit,
  id: "id",
  states: {
    pending: "queued",
    throttled: "queued",
    running: "in_progress",
    succeeded: "completed",
    failed: "failed",
    cancelled: "cancelled",
  },
  // https://docs.dev.runwayml.com/errors/task-failures
  errorCodes: [
    [/SAFETY/i, "content"],
    [/^ASSET/i, "input"],
    [/TIMEOUT/i, "timeout"],
    [/^(?:THIRD_PARTY\.)?UNAVAILABLE/i, "busy"],
  ],
  error: parseError,
  read,
  poll: "GET tasks/{id}",
  cancel: "DELETE tasks/{id}",
  remove: "DELETE tasks/{id}",
  // A task may be polled at most every five seconds.
  pace: { firstMs: 6_000, mostMs: 10_000 },
  resultSeconds: 86_400,
});
