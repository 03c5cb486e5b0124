// Commits rows together, and finds out which of them the disk refuses.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { Write } from "./table.ts";

export interface Row {
  readonly statement: Write;
  readonly values: SQLQueryBindings[];
}

export interface FailedRow<Kind extends Row> {
  readonly row: Kind;
  readonly error: unknown;
}

/** Runs rows as one transaction and gives those that failed; all others are committed when it returns. */
export type CommitRows = <Kind extends Row>(rows: readonly Kind[]) => readonly FailedRow<Kind>[];

/** A single row commits by itself, without the two statements around it. When a transaction fails, each row gets its own. */
export function rowCommitter(database: Database): CommitRows {
  const begin = database.prepare("begin immediate");
  const commit = database.prepare("commit");
  const together = (rows: readonly Row[]) => {
    begin.run();
    for (const row of rows) row.statement.run(...row.values);
    commit.run();
  };
  return (rows) => {
    if (rows.length === 1) return runEach(rows);
    try {
      together(rows);
      return [];
    } catch {
      if (database.inTransaction) database.run("rollback");
      return runEach(rows);
    }
  };
}

function runEach<Kind extends Row>(rows: readonly Kind[]): FailedRow<Kind>[] {
  const failed: FailedRow<Kind>[] = [];
  for (const row of rows) {
    try {
      row.statement.run(...row.values);
    } catch (error) {
      failed.push({ row, error });
    }
  }
  return failed;
}

/** Whether the same row can succeed later: the disk is full, broken or locked. A row that breaks a rule never can. */
export function isTransient(error: unknown): boolean {
  const code = String(Object(error).code);
  return code.startsWith("SQLITE_") && !/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE|MISUSE)/.test(code);
}
