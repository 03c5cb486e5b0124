// Writes settings into a file of another program, with a backup, and removes them again.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Json } from "../lib/json.ts";
import {
  changeSettings,
  newSettingsText,
  parseSettings,
  type SettingPath,
  type SettingsFile,
  valueAt,
} from "./settings-file.ts";

const privateMode = 0o600;

/** The backup of the file before the first change. */
const backupOf = (path: string): string => `${path}.turnpike-backup`;
/** The record for the undo. */
const recordOf = (path: string): string => `${path}.turnpike-undo`;

const step = Type.Union([Type.String(), Type.Object({ name: Type.String() })]);
const undoRecord = Type.Object({
  /** False if the file was created. */
  existed: Type.Boolean(),
  /** SHA-256 of the written file, in hex: if the file was not changed since, it is restored byte by byte. */
  written: Type.String(),
  /** The value of each setting before; `previous` is absent if it was not set. */
  settings: Type.Array(Type.Object({ path: Type.Array(step), previous: Type.Optional(Type.Unknown()) })),
});

interface UndoRecord {
  readonly existed: boolean;
  readonly written: string;
  readonly settings: readonly { readonly path: SettingPath; readonly previous?: Json | undefined }[];
}

const hashOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

const readIfThere = (path: string): string | null => (existsSync(path) ? readFileSync(path, "utf8") : null);

function readRecord(path: string): UndoRecord | null {
  const text = readIfThere(recordOf(path));
  if (text === null) return null;
  const record: unknown = JSON.parse(text);
  if (!Value.Check(undoRecord, record))
    throw new Error(`${recordOf(path)} is damaged. The earlier file is ${backupOf(path)}.`);
  return record as UndoRecord;
}

/** Replaces a file atomically, so that a program that reads it meanwhile sees the old one or the new one. */
function replaceFile(path: string, text: string, mode: number): void {
  const part = `${path}.turnpike-part`;
  writeFileSync(part, text, { mode });
  chmodSync(part, mode);
  renameSync(part, path);
}

/** The target of a symbolic link: the link itself stays. */
const targetOf = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/** Writes the settings, leaving the rest of the file unchanged. A backup is stored next to it until the undo. */
export function writeSettings(file: SettingsFile): void {
  const path = targetOf(file.path);
  const before = readIfThere(path);
  const earlier = readRecord(path);
  const text = before === null ? newSettingsText(file) : changedText(file, before);
  mkdirSync(dirname(path), { recursive: true });
  if (earlier === null && before !== null) replaceFile(backupOf(path), before, privateMode);
  const root = before === null ? undefined : parseSettings(file.format, before);
  const settings = earlier?.settings ?? file.settings.map(([each]) => ({ path: each, previous: valueAt(root, each) }));
  const known = new Set(settings.map(({ path: each }) => JSON.stringify(each)));
  const added = file.settings.filter(([each]) => !known.has(JSON.stringify(each)));
  const record: UndoRecord = {
    existed: earlier?.existed ?? before !== null,
    written: hashOf(text),
    settings: [...settings, ...added.map(([each]) => ({ path: each, previous: valueAt(root, each) }))],
  };
  replaceFile(recordOf(path), JSON.stringify(record), privateMode);
  replaceFile(path, text, before === null ? privateMode : statSync(path).mode & 0o777);
}

function changedText(file: SettingsFile, before: string): string {
  try {
    return changeSettings(file.format, before, file.settings);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new Error(
      `${file.path} was not changed: ${reason}. Add the settings by hand; without --write they are printed.`,
      {
        cause,
      },
    );
  }
}

/**
 * The result of an undo: the original file, the settings removed from a file that was changed since, or nothing to
 * undo.
 */
type Undone = "restored" | "removed" | "nothing";

/** Removes the settings. A file that was not changed since is restored byte by byte. */
export function undoSettings(file: SettingsFile): Undone {
  const path = targetOf(file.path);
  const record = readRecord(path);
  if (record === null) return "nothing";
  const now = readIfThere(path);
  const isUnchanged = now === null || hashOf(now) === record.written;
  const before = readIfThere(backupOf(path));
  if (isUnchanged && before !== null)
    replaceFile(path, before, now === null ? privateMode : statSync(path).mode & 0o777);
  else if (isUnchanged && !record.existed) rmSync(path, { force: true });
  else if (now !== null) removeFrom(file, path, now, record);
  rmSync(recordOf(path));
  rmSync(backupOf(path), { force: true });
  return isUnchanged ? "restored" : "removed";
}

function removeFrom({ format }: SettingsFile, path: string, now: string, { settings }: UndoRecord): void {
  const earlier = settings.map(({ path: each, previous }) => [each, previous] as const);
  replaceFile(path, changeSettings(format, now, earlier), statSync(path).mode & 0o777);
}
