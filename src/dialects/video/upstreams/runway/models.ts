// The models behind Runway: what each accepts for a text and for an image, from the types of Runway's own SDK.
import type { VideoRequest } from "../../../../canonical/video.ts";
import type { ModelRow, ModelTable } from "../../../shared/model-table.ts";
import { durationFor, ratioFor, resolutionFor } from "../../capabilities.ts";
import { nearestSize, shortSide, sizeOf } from "../../nearest-supported.ts";
import type { RenderedSettings } from "../../warnings.ts";
import endpoints from "./endpoints.json" with { type: "json" };

export type RunwayPath = "image_to_video" | "text_to_video";

export interface RunwayRow extends ModelRow {
  readonly path: RunwayPath;
  /** Sizes that follow the image, one for each resolution, as in `auto_720p`. */
  readonly autoSizes?: readonly string[];
  /** The size is a required field. */
  readonly needsSize?: boolean;
  readonly needsPrompt?: boolean;
  /** What is requested where the client said no length; absent where the length may be left out. */
  readonly usualSeconds?: number;
  /** The other fields that it has; all of them where absent. */
  readonly options?: readonly string[];
}

const { source, checkedOn } = endpoints;
const docs = "https://docs.dev.runwayml.com/api";

/** Models that the SDK's types do not list any more. */
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

export const runwayModels = { image_to_video: tableFor("image_to_video"), text_to_video: tableFor("text_to_video") };

export interface RunwayShape {
  readonly members: { readonly ratio?: string | undefined; readonly resolution?: string | undefined };
  readonly made: RenderedSettings;
}

const pixelsOf = (size: string): { width: number; height: number } => {
  const [width = 0, height = 0] = size.split(":").map(Number);
  return { width, height };
};

/** A size says ratio and resolution at once. */
function bySize(request: VideoRequest, { sizes = [], needsSize }: RunwayRow): RunwayShape {
  const size = nearestSize(request, sizes) ?? (needsSize ? sizes[0] : undefined);
  if (size === undefined) return { members: {}, made: {} };
  const { width, height } = pixelsOf(size);
  return { members: { ratio: size }, made: { ratio: size, resolution: `${Math.min(width, height)}p`, width, height } };
}

/** Nothing is known of the model: a ratio as the client said it, else its size. */
function unbounded(request: VideoRequest): RunwayShape {
  const size = sizeOf(request);
  const ratio = request.ratio ?? (size === null ? undefined : `${size.width}:${size.height}`);
  const resolution = request.resolution ?? (size === null ? undefined : `${Math.min(size.width, size.height)}p`);
  return { members: { ratio, resolution: request.resolution }, made: { ...size, ratio, resolution } };
}

/** The shape of the video, in the words that the model has for it. */
export function shapeFor(request: VideoRequest, row: RunwayRow): RunwayShape {
  const { sizes, ratios, resolutions, autoSizes } = row;
  const wantsResolutionOnly =
    request.ratio === undefined && sizeOf(request) === null && shortSide(request) !== undefined;
  if (autoSizes !== undefined && row.path === "image_to_video" && wantsResolutionOnly) {
    const resolution = resolutionFor(
      request,
      autoSizes.map((word) => word.replace("auto_", "")),
    );
    return { members: { ratio: `auto_${resolution}` }, made: { resolution } };
  }
  if (sizes !== undefined) return bySize(request, row);
  if (ratios === undefined && resolutions === undefined) return unbounded(request);
  const members = { ratio: ratioFor(request, ratios ?? []), resolution: resolutionFor(request, resolutions ?? []) };
  return { members, made: members };
}

export function secondsFor(
  { seconds: wanted }: VideoRequest,
  { usualSeconds, durations }: RunwayRow,
): number | undefined {
  const seconds = wanted ?? usualSeconds;
  return seconds === undefined ? undefined : durationFor(seconds, durations);
}
