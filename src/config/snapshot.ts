// The configuration in effect as a file in the data folder, with marks in place of secrets: what `turnpike config plan` compares with.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json, type JsonObject, parseJsonText } from "../lib/json.ts";
import { deriveKey, type Secret } from "../lib/secret.ts";
import type { ReadConfig } from "./file.ts";
import { type Mark, secretMarks, withoutSecrets } from "./hide-secrets.ts";

const pathOf = (dataFolder: string): string => join(dataFolder, "configuration.json");
/** Marked in every snapshot: another mark is one of another secret. */
const known = "turnpike";

/** Marks that only the installation's secret makes. */
export const snapshotMarks = (secret: Secret): Mark => secretMarks(deriveKey(secret, "configuration"));

/** What a file configures, with marks in place of secrets. */
export function shownConfig({ config, environment }: ReadConfig, mark: Mark): JsonObject {
  return withoutSecrets(JSON.parse(JSON.stringify(config)) as Json, environment, mark) as JsonObject;
}

/** Replaces the snapshot of the data folder. */
export function writeSnapshot(dataFolder: string, file: ReadConfig, mark: Mark): void {
  const path = pathOf(dataFolder);
  writeFileSync(`${path}.new`, JSON.stringify({ mark: mark(known), config: shownConfig(file, mark) }));
  renameSync(`${path}.new`, path);
}

/** Throws an Error with one sentence where there is none, or none that can be compared. */
export function readSnapshot(dataFolder: string, mark: Mark): JsonObject {
  const path = pathOf(dataFolder);
  if (!existsSync(path))
    throw new Error(`The data folder ${dataFolder} has no configuration that was loaded. Start the gateway first.`);
  const snapshot = parseJsonText(readFileSync(path, "utf8"));
  const { mark: made, config } = isObject(snapshot) ? snapshot : {};
  if (!isObject(config)) throw new Error(`${path} is damaged. Restart the gateway to write it again.`);
  if (made !== mark(known)) throw new Error("TURNPIKE_SECRET does not match the secret of the gateway.");
  return config;
}
