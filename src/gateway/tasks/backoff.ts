// When to ask again: waits that grow, are spread so that tasks do not march in step, and respect what an upstream asks for.
import type { VideoUpstream } from "../../dialects/video/upstream.ts";
import type { VideoParts } from "./dependencies.ts";
import type { Task } from "./task.ts";

const growth = 1.3;
const firstMs = 5_000;
const mostMs = 10_000;
/** The longest wait after trouble. */
const mostTroubleMs = 60_000;
/** Waits are spread by a fifth to either side. */
const spread = 0.2;

type Pace = Pick<VideoParts, "random" | "waitScale">;

/** A wait, spread and scaled; whole milliseconds. */
export function spreadWait(waitMs: number, { random, waitScale }: Pace): number {
  return Math.max(1, Math.round(waitMs * waitScale * (1 - spread + 2 * spread * random())));
}

/** The wait before the first poll. */
export function firstWait(upstream: VideoUpstream): number {
  return upstream.pace?.firstMs ?? firstMs;
}

/** The wait after a poll that told something. */
export function nextWait({ kept }: Task, upstream: VideoUpstream): number {
  const most = upstream.pace?.mostMs ?? mostMs;
  return Math.min(most, Math.max(1, kept.waitMs) * growth);
}

/** The wait after a poll of which nothing came; `askedMs` is what the upstream asked for. */
export function troubleWait({ kept }: Task, askedMs: number | undefined): number {
  const grown = Math.min(mostTroubleMs, firstMs * 2 ** Math.min(kept.troubles, 5));
  return Math.max(grown, askedMs ?? 0);
}

/** How waits between the tries of an errand grow. */
export interface ErrandWaits {
  readonly firstMs: number;
  readonly growth: number;
  readonly mostMs: number;
}

/** The wait behind so many tries, spread and scaled; whole milliseconds. */
export function errandWait({ firstMs, growth, mostMs }: ErrandWaits, tries: number, pace: Pace): number {
  return spreadWait(Math.min(mostMs, firstMs * growth ** (tries - 1)), pace);
}
