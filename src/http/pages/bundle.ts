// The built pages of /console and /docs: read from the executable, or from dist/ of the repository. scripts/console.ts writes it.
import { statSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../lib/json.ts";

interface ConsoleFile {
  readonly type: string;
  readonly br: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

export interface ConsoleBundle {
  /** Changes with every build. */
  readonly digest: string;
  /** Names of the files that an entry page loads. */
  readonly entries: { readonly console: string; readonly docs: string };
  readonly style: string;
  readonly icon: string;
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

const name = "console.bundle";
const path = join(import.meta.dir, "..", "..", "..", "dist", name);

/** The bundle within a compiled executable, which adds a hash to its name. */
function embedded(): Blob | undefined {
  return Bun.embeddedFiles.find((file) => "name" in file && /console(?:-\w+)?\.bundle$/.test(String(file.name)));
}

function fileOf(value: unknown): ConsoleFile {
  const { type, br, gzip } = isObject(value) ? value : {};
  const bytes = (text: unknown): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(String(text), "base64"));
  return { type: String(type), br: bytes(br), gzip: bytes(gzip) };
}

function parsed(text: string): ConsoleBundle {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !isObject(value.files) || !isObject(value.entries))
    throw new Error(`${name} is damaged: run npm run build:console.`);
  const { digest, entries: scripts, style, icon, files } = value;
  const entries = Object.entries(files).map(([each, file]) => [each, fileOf(file)] as const);
  return {
    ...{ digest: String(digest), style: String(style), icon: String(icon) },
    entries: { console: String(scripts.console), docs: String(scripts.docs) },
    files: new Map(entries),
  };
}

/** The time of the last change; null if it was not built. */
function changedMs(): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

export type BundleReader = () => Promise<ConsoleBundle | null>;

/** Reads the bundle at the first request, and again when it was built anew. Null: there is none. */
export function bundleReader(): BundleReader {
  const blob = embedded();
  let readMs: number | null = null;
  let bundle: Promise<ConsoleBundle> | null = null;
  return async () => {
    if (blob !== undefined) {
      bundle ??= blob.text().then(parsed);
      return bundle;
    }
    const ms = changedMs();
    if (ms === null) return null;
    if (ms !== readMs || bundle === null) bundle = Bun.file(path).text().then(parsed);
    readMs = ms;
    return bundle;
  };
}
