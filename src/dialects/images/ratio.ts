// The ratio out of a server's own that comes nearest to the shape that a client wants.
import type { ImageAsk } from "../../canon/image.ts";
import type { Notes } from "../shared/notes.ts";
import { noteSaid } from "./fields.ts";
import { ratioFor } from "./sizes.ts";

/** A ratio is nearer to what was meant than nothing, and never quite the same as pixels. */
export function ratioNoted(ask: ImageAsk, notes: Notes, ratios: readonly [string, ...string[]]): string | undefined {
  const ratio = ratioFor(ask, ratios);
  if (ratio !== undefined && ratio !== ask.ratio) noteSaid(ask, notes, "approximated", "size");
  return ratio;
}
