// What stands in answers about finished tasks: links, pixels, and words that tell a refusal.
import type { VideoResult } from "../../canonical/video.ts";
import type { VideoErrorTable } from "./error-codes.ts";
import { proportion, shortSide } from "./nearest-supported.ts";

/** A result at an open address; none where the value is no such address. */
export function linked(url: unknown, more: Omit<VideoResult, "place"> = {}): VideoResult[] {
  if (typeof url !== "string" || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return [];
  return [{ place: { kind: "url", url }, mediaType: "video/mp4", ...more }];
}

/** The pixels of a ratio at a tier such as `720p`: the tier is the short side. */
export function pixelsOf(ratio: string, resolution: string): { width: number; height: number } {
  const shape = proportion(ratio) ?? 1;
  const side = shortSide({ resolution }) ?? 0;
  const even = (value: number): number => Math.round(value / 2) * 2;
  return { width: even(side * Math.max(1, shape)), height: even(side * Math.max(1, 1 / shape)) };
}

/** For upstreams that tell a refusal of contents in prose alone. */
export const policyWords: VideoErrorTable = [
  [
    /risk control|content.{0,12}(?:polic|safety|filter|inspection)|sensitive|moderat|inappropriate|prohibited|responsible ai|usage guidelines|safety/i,
    "content",
  ],
];
