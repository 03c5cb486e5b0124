// What a new process makes of the rows that a dead one left open.
import type { Database } from "bun:sqlite";

/**
 * Rows still open become `interrupted`, with what had been reported of them. Only rows above the mark are
 * looked at, so a start costs the same with a thousand rows as with a hundred million.
 */
export function recover(database: Database): number {
  const mark = numberOf(database, "select n from marks where name = 'settled'");
  const interrupt =
    database.prepare(`update entries set state = 'interrupted', estimated = 1, error_code = 'interrupted'
    where n > ? and state = 'open'`);
  return interrupt.run(mark).changes;
}

/** The number of the next row. */
export function nextNumber(database: Database): number {
  return numberOf(database, "select max(n) as n from entries") + 1;
}

function numberOf(database: Database, sql: string): number {
  return Number(Object(database.query(sql).get()).n ?? 0);
}

/** The name of a ledger file, which lives as long as the file. */
export function ledgerId(database: Database): string {
  const made = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  database.prepare("insert or ignore into marks (name, n) values ('id', ?)").run(made);
  return numberOf(database, "select n from marks where name = 'id'").toString(36);
}
