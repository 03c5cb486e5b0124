// Large objects in a folder: written under a temporary name, synced, and renamed when complete.
import type { FileHandle } from "node:fs/promises";
import { access, constants, mkdir, open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { randomId } from "../../lib/ids.ts";
import type { Blobs } from "./blobs.ts";

/** The folder may contain other files. */
const partName = /^[\w.-]{1,100}\.[A-Za-z0-9]{12}\.part$/;
const deadAfterMs = 60 * 60_000;

async function writeAll(file: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let written = 0;
  for await (const chunk of chunks) {
    await file.writeFile(chunk);
    written += chunk.byteLength;
  }
  await file.sync();
  return written;
}

async function write(folder: string, name: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = join(folder, `${name}.${randomId("", 12)}.part`);
  const file = await open(part, "wx", 0o600);
  try {
    const written = await writeAll(file, chunks).finally(() => file.close());
    await rename(part, join(folder, name));
    return written;
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
}

async function tidy(folder: string, nowMs: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of (await readdir(folder)).filter((each) => partName.test(each))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && found.mtimeMs < nowMs - deadAfterMs) await rm(path, { force: true });
  }
}

export function folderBlobs(folder: string): Blobs {
  return {
    kind: "folder",
    write: (name, chunks) => write(folder, name, chunks),
    async open(name, size, start, end) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => null);
      return found?.isFile() && found.size === size ? Bun.file(path).slice(start, end).stream() : null;
    },
    remove: (name) => rm(join(folder, name), { force: true }),
    async freeBytes() {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    findProblem: () =>
      mkdir(folder, { recursive: true, mode: 0o700 })
        .then(() => access(folder, constants.W_OK))
        .then(
          () => null,
          () => `The folder '${folder}' is not writable.`,
        ),
    tidy: (nowMs) => tidy(folder, nowMs),
  };
}
