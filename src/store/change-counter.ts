// Tables whose every change gets the next number, so that a running gateway detects changes with one cheap read.
import { Type } from "typebox";
import { failureOf, type StoreFailure } from "./failure.ts";
import { IntColumn, rowReader } from "./rows.ts";
import type { SqlValue, Store } from "./store.ts";

type VersionedTable = "keys" | "projects" | "catalog";

/**
 * Two writers with the same number conflict at the unique index; more than a few times means that something else is
 * wrong.
 */
const maxTries = 20;

const readVersion = rowReader("version", Type.Object({ version: IntColumn }));

/** SQL for the number of a new row. */
export function nextVersion(table: VersionedTable): string {
  return `(select coalesce(max(version), 0) + 1 from ${table})`;
}

/**
 * SQL for the number of a changed row. On PostgreSQL a row may have changed since the statement started, and using the
 * same number twice would hide the second change.
 */
export function laterVersion(table: VersionedTable, proposed: string): string {
  return `case when ${table}.version < ${proposed} then ${proposed} else ${table}.version + 1 end`;
}

/** Whether another writer has used the number of a change, so that the change itself can be repeated. */
export const isLostRace = (failure: StoreFailure, table: VersionedTable): boolean =>
  failure.kind === "duplicate" && failure.index === `${table}.version`;

/** Repeats a changing statement when another writer has used its number. */
export async function numbered(
  store: Store,
  table: VersionedTable,
  sql: string,
  parameters: readonly SqlValue[],
): Promise<readonly unknown[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await store.query(sql, parameters);
    } catch (thrown) {
      // The transaction has failed as a whole, and its owner repeats it.
      if (!isLostRace(failureOf(thrown), table) || tries === maxTries || store.isTransaction) throw thrown;
    }
  }
}

/** The number of the newest change: equal numbers mean equal contents. */
export async function tableVersion(store: Store, table: VersionedTable): Promise<number> {
  const rows = await store.query(`select coalesce(max(version), 0) as version from ${table}`);
  return readVersion(rows)[0]?.version ?? 0;
}
