// The files of a folder and of the folders in it, as a test reads them that looks for what must not be there.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export interface FoundFile {
  /** Its path from the folder on. */
  readonly name: string;
  /** Its bytes, one character each. */
  readonly text: string;
}

export function filesBelow(folder: string): FoundFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path), text: readFileSync(path, "latin1") }));
}
