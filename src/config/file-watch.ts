// Watches files by looking at them each second: it sees files that editors replace, links that are swapped, and network folders, where notifications of the system are lost.
import { statSync } from "node:fs";
import { stat } from "node:fs/promises";

export interface FileWatch {
  /** From now on these are watched. What they are now has been read. */
  watch(files: readonly string[]): void;
  /** The next look finds a change. */
  expire(): void;
  stop(): void;
}

const everyMs = 1_000;
/** A file that is being written changes again within this time. */
const settleMs = 100;

interface Print {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** Of what a link leads to. */
const textOf = ({ dev, ino, size, mtimeNs, ctimeNs }: Print): string => [dev, ino, size, mtimeNs, ctimeNs].join(" ");
const missing = "missing";

const now = (file: string): string => {
  const print = statSync(file, { bigint: true, throwIfNoEntry: false });
  return print === undefined ? missing : textOf(print);
};

/** As `now`, without the event loop waiting for a slow disk. */
const look = (file: string): Promise<string> => stat(file, { bigint: true }).then(textOf, () => missing);

/** Calls `changed` when a file is another one than before, and no more is written to it. */
export function watchFiles(changed: () => Promise<void>): FileWatch {
  let seen = new Map<string, string>();
  let isBusy = false;
  const prints = async (): Promise<Map<string, string>> =>
    new Map(await Promise.all([...seen.keys()].map(async (file) => [file, await look(file)] as const)));
  const isSame = (prints: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): boolean =>
    [...prints].every(([file, print]) => others.get(file) === print);
  const check = async (): Promise<void> => {
    const found = await prints();
    if (isSame(seen, found)) return;
    await Bun.sleep(settleMs);
    if (!isSame(found, await prints())) return;
    seen = found;
    await changed();
  };
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void check().finally(() => {
      isBusy = false;
    });
  }, everyMs);
  timer.unref();
  return {
    watch(files) {
      seen = new Map(files.map((file) => [file, seen.get(file) ?? now(file)]));
    },
    expire() {
      seen = new Map([...seen.keys()].map((file) => [file, ""]));
    },
    stop: () => clearInterval(timer),
  };
}
