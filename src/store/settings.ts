// Small named values of an installation: generated at the first start, or set in the console.
import { Type } from "typebox";
import { rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

const readSettings = rowReader("settings", Type.Object({ value: Type.String() }));

/** Undefined if it was never written. */
export async function readSetting(store: Store, name: string): Promise<string | undefined> {
  return readSettings(await store.query("select value from settings where name = $1", [name]))[0]?.value;
}

/** Writes the value unless one exists, and returns the stored value: the same for all instances that start. */
export async function writeSettingIfAbsent(store: Store, name: string, value: string): Promise<string> {
  const sql = `insert into settings (name, value) values ($1, $2)
    on conflict (name) do update set value = settings.value returning value`;
  return readSettings(await store.query(sql, [name, value]))[0]?.value ?? value;
}

export async function writeSetting(store: Store, name: string, value: string): Promise<void> {
  const sql = `insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`;
  await store.query(sql, [name, value]);
}
