// Small named values that an installation keeps: what was generated at the first start, and what the console sets.
import { Type } from "typebox";
import { rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

const readSettings = rowReader("settings", Type.Object({ value: Type.String() }));

/** Undefined when nobody has written it. */
export async function readSetting(store: Store, name: string): Promise<string | undefined> {
  return readSettings(await store.query("select value from settings where name = $1", [name]))[0]?.value;
}

/** Writes the value unless there is one, and gives the value that won: the same one to every instance that starts. */
export async function writeSettingIfAbsent(store: Store, name: string, value: string): Promise<string> {
  const sql = `insert into settings (name, value) values ($1, $2)
    on conflict (name) do update set value = settings.value returning value`;
  return readSettings(await store.query(sql, [name, value]))[0]?.value ?? value;
}

export async function writeSetting(store: Store, name: string, value: string): Promise<void> {
  const sql = `insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`;
  await store.query(sql, [name, value]);
}
