// Suggestions for misspelled names.
import { closest, distance } from "fastest-levenshtein";

/** ` Did you mean 'models'?`, or nothing if no known name is similar. Starts with a space, ends without a period. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const nearest = closest(name, known);
  const near = distance(name, nearest) <= Math.max(1, Math.floor(nearest.length / 3));
  return near ? `. Did you mean '${nearest}'?` : "";
}
