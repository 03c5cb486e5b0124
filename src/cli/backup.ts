// `turnpike backup`: copies the databases of the data folder, its secret and, on request, its videos, while the gateway
// runs.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSettings, type Settings } from "../config/environment.ts";
import { secretFileOf } from "../config/secrets.ts";
import { copyDatabase } from "../store/backup.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { jsonText } from "./print.ts";

const folderMode = 0o700;
const fileMode = 0o600;

/** An existing backup is never overwritten. */
function emptyFolder(path: string): string {
  const folder = resolve(path);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`The folder ${folder} is not empty. Name a new folder for each backup.`);
  mkdirSync(folder, { recursive: true, mode: folderMode });
  chmodSync(folder, folderMode);
  return folder;
}

/** The store before the ledger, so that every request of a copied task is in the ledger's copy too. */
function databasesIn(dataFolder: string): string[] {
  const isLedger = (name: string): boolean => name.startsWith("ledger");
  // The index of usage is made from the ledger.
  const names = readdirSync(dataFolder).filter((name) => name.endsWith(".db") && name !== "usage.db");
  return [...names.filter((name) => !isLedger(name)), ...names.filter(isLedger)];
}

function copyPlain(dataFolder: string, folder: string, withVideos: boolean): string[] {
  const secret = secretFileOf(dataFolder);
  const files = [...(existsSync(secret) ? ["secret"] : []), "price-books", ...(withVideos ? ["videos"] : [])];
  const found = files.filter((name) => existsSync(join(dataFolder, name)));
  for (const name of found) cpSync(join(dataFolder, name), join(folder, name), { recursive: true });
  if (found.includes("secret")) chmodSync(join(folder, "secret"), fileMode);
  return found;
}

/** What the copy does not include, and so needs a backup of its own. */
function missingFrom({ databaseUrl, secret }: Settings, files: readonly string[]): string[] {
  return [
    ...(databaseUrl === undefined ? [] : ["PostgreSQL is not copied: use pg_dump for the database of DATABASE_URL."]),
    ...(secret === null || files.includes("secret")
      ? []
      : ["TURNPIKE_SECRET is not copied: store it in a safe place."]),
  ];
}

function backup(words: readonly string[]): void {
  const options = { json: { type: "boolean" }, videos: { type: "boolean" } } as const;
  const { values, positionals } = parseCommonFields(words, options, 1);
  const [target] = positionals;
  if (target === undefined) throw new UsageError("Missing folder. Usage: turnpike backup FOLDER.");
  const settings = readSettings(process.env, process.cwd());
  const { dataFolder } = settings;
  if (!existsSync(dataFolder)) throw new Error(`The data folder ${dataFolder} does not exist. Set TURNPIKE_DATA.`);
  const folder = emptyFolder(target);
  const databases = databasesIn(dataFolder);
  for (const name of databases) copyDatabase(join(dataFolder, name), join(folder, name));
  const files = [...databases, ...copyPlain(dataFolder, folder, values.videos === true)];
  const missing = missingFrom(settings, files);
  const sizes = files.map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
  const lines = [...sizes.map(({ name, bytes }) => `${join(folder, name)}  ${bytes} bytes`), ...missing];
  console.log(values.json ? jsonText({ folder, files: sizes, missing }) : lines.join("\n"));
}

export const backupCommand: Command = {
  usage: "turnpike backup FOLDER",
  summary: "copy the databases and the secret, also while the gateway runs",
  options: {
    "--videos": "copy stored videos as well",
    "--json": "print JSON",
  },
  run: backup,
};
