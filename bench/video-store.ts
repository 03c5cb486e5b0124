// Ten thousand open tasks in the files of a gateway that is not running: copies of one that it took itself.
import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Rows beside the gateway, which must not run meanwhile; the ledger's rows go along. */
export interface TaskFiles {
  /** Copies the one task until there are so many. */
  multiply(count: number): void;
  /** When all of them are due, in milliseconds from now; before now is overdue. */
  due(inMs: number): void;
}

function columnsOf(database: Database, table: string, without: string[]): string[] {
  const rows = database.query(`pragma table_info("${table}")`).all() as { name: string }[];
  return rows.map(({ name }) => name).filter((name) => !without.includes(name));
}

/** Copies the rows of one table, with these columns made anew from the number of the copy, `place`. */
function copy(
  database: Database,
  table: string,
  count: number,
  fresh: Record<string, string>,
  without: string[],
): void {
  const columns = columnsOf(database, table, without);
  const values = columns.map((name) => fresh[name] ?? `"${name}"`);
  database.run(
    `with recursive copies(place) as (select 1 union all select place + 1 from copies where place < ?)
     insert into "${table}" (${columns.map((name) => `"${name}"`).join(", ")})
     select ${values.join(", ")} from copies, (select * from "${table}" limit 1)`,
    [count - 1],
  );
}

export function taskFiles(folder: string): TaskFiles {
  const within = (file: string, change: (database: Database) => void): void => {
    const database = new Database(join(folder, "data", file));
    change(database);
    database.close();
  };
  return {
    multiply(count) {
      const id = `'task_copy' || printf('%016d', place)`;
      const exchange = `'copy-' || printf('%08d', place)`;
      const candidate = `json_set(candidate, '$.exchangeId', ${exchange})`;
      within("turnpike.db", (tasks) => copy(tasks, "tasks", count, { id, candidate }, []));
      within("ledger.db", (ledger) => copy(ledger, "requests", count, { id: exchange }, ["n"]));
    },
    due(inMs) {
      within("turnpike.db", (tasks) =>
        tasks.run("update tasks set next_poll_at_ms = ?, lease_owner = null, lease_until_ms = null", [
          Date.now() + inMs,
        ]),
      );
    },
  };
}
