// What commands that read or change the store need: the settings, the store, the pepper.
import { readSettings, type Settings } from "../config/environment.ts";
import { pepperOf, prepareDataFolder, readSecret } from "../config/secrets.ts";
import { openStore, type Store } from "../store/store.ts";

export interface Opened {
  readonly settings: Settings;
  readonly store: Store;
  readonly pepper: Uint8Array;
}

/** Opens the store for one piece of work and closes it behind it. */
export async function withStore(work: (opened: Opened) => Promise<void>): Promise<void> {
  const settings = readSettings(process.env, process.cwd());
  prepareDataFolder(settings.dataFolder);
  const store = await openStore({ dataFolder: settings.dataFolder, databaseUrl: settings.databaseUrl });
  try {
    await work({ settings, store, pepper: pepperOf(readSecret(settings)) });
  } finally {
    await store.close();
  }
}

/** Columns of text, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
