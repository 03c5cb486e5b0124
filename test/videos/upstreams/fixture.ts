// Recorded answers of vendors, with the ids and addresses of a test in the place of theirs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reply } from "../../support/upstream.ts";

const folder = join(import.meta.dir, "../../fixtures/video");

/** The answer in this file, with each of these texts replaced wherever it stands. */
export function recorded(file: string, replaced: Record<string, string>, status = 200): Reply {
  const text = readFileSync(join(folder, file), "utf8");
  for (const old of Object.keys(replaced)) if (!text.includes(old)) throw new Error(`${file} does not say ${old}`);
  const filled = Object.entries(replaced).reduce((filledText, [old, fresh]) => filledText.replaceAll(old, fresh), text);
  return { status, json: JSON.parse(filled) };
}
