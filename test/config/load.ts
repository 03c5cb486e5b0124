// Loads a configuration as the start does: settings from these variables, the file from this text, then everything in it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Configuration, readConfiguration } from "../../src/config/configuration.ts";
import { readSettings } from "../../src/config/environment.ts";
import type { ReadConfig } from "../../src/config/file.ts";
import { buildCatalog } from "../../src/config/providers.ts";
import type { Catalog } from "../../src/gateway/routing/catalog.ts";

export interface Loaded {
  file: ReadConfig;
  catalog: Catalog;
  configuration: Configuration;
}

/** Throws what the start would say. */
export function load(yaml: string, environment: Record<string, string> = {}): Loaded {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-config-"));
  try {
    writeFileSync(join(folder, "turnpike.yaml"), yaml);
    const settings = readSettings(environment, folder);
    const configuration = readConfiguration(settings);
    return { file: configuration.file, catalog: buildCatalog(configuration.file), configuration };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The sentence with which loading fails. */
export function faultOf(yaml: string, environment: Record<string, string> = {}): string {
  try {
    load(yaml, environment);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  throw new Error("the configuration was accepted");
}
