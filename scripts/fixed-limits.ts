// Limits that a user can meet and the file cannot set: those of a format or a vendor, and sizes of buffers. The document takes their values from the source.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constantsOf } from "./constants.ts";
import rows from "./fixed-limits.json";

export interface FixedLimit {
  /** The constant, as `path name`. */
  readonly constant: string;
  readonly unit: string;
  /** What a client gets beyond it; null where there is no error, and `meaning` says what happens. */
  readonly error: string | null;
  readonly meaning: string;
}

/** In the order of the document. */
export const fixedLimits: readonly FixedLimit[] = rows;

const root = join(import.meta.dir, "..");

/** The value of a constant in the source. */
export function fixedValue(constant: string): number {
  const [path = "", name] = constant.split(" ");
  const found = constantsOf(path, readFileSync(join(root, path), "utf8")).find((each) => each.name === name);
  if (found === undefined) throw new Error(`${path} has no numeric constant ${name}: see scripts/fixed-limits.json`);
  return found.value;
}
