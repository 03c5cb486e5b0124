// Files of versions that had one row for a unit and called the table `entries`: what their rows are in today's columns.
import type { Database } from "bun:sqlite";

/** Selects that give every column of today's tables, in the order of the tables. */
export interface OlderSelects {
  readonly requests: string;
  readonly attempts: string;
  readonly hasAttempts: boolean;
}

interface Column {
  readonly name: string;
  readonly dflt_value: string | null;
}

/** Columns that were added to the old table over time, and what rows without them have there. */
const added: { readonly [column: string]: string } = { charged: "1" };

export const hasTable = (database: Database, name: string): boolean =>
  database.query("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== null;

const columnsOf = (database: Database, table: string): Column[] =>
  database.query<Column, []>(`pragma table_info(${table})`).all();

/** Units in columns of their own, from one unit and its thousandths. */
function unitsOf(has: (column: string) => boolean): { readonly [column: string]: string } {
  if (!has("unit")) return {};
  const whole = (kind: string): string => `iif(unit = '${kind}', unit_thousandths / 1000, 0)`;
  const seconds = (which: string): string => `iif(unit = 'seconds' and ${which}, unit_thousandths, 0)`;
  return {
    images: whole("images"),
    characters: whole("characters"),
    searches: whole("searches"),
    audio_ms: seconds("operation <> 'video'"),
    video_ms: seconds("operation = 'video'"),
  };
}

/** Null for a file that has no table of an older version. `today` has the tables of this one. */
export function selectsOfOlder(database: Database, today: Database): OlderSelects | null {
  if (!hasTable(database, "entries")) return null;
  const older = new Set(columnsOf(database, "entries").map(({ name }) => name));
  const made: { readonly [column: string]: string } = {
    ...added,
    ...unitsOf((column) => older.has(column)),
    settled_seq: "iif(state in ('open', 'pending'), null, n)",
  };
  const columnValue = ({ name, dflt_value }: Column): string =>
    older.has(name) ? name : `${made[name] ?? dflt_value ?? "null"} as ${name}`;
  const ofAttempts = new Set(columnsOf(database, "attempts").map(({ name }) => name));
  const hasAttempts = ofAttempts.size > 0;
  const attemptValue = ({ name }: Column): string => (ofAttempts.has(name) ? name : `null as ${name}`);
  const attempts = columnsOf(today, "attempts").map(attemptValue).join(", ");
  return {
    requests: `select ${columnsOf(today, "requests").map(columnValue).join(", ")} from main.entries`,
    attempts: `select ${attempts} ${hasAttempts ? "from main.attempts" : "where 0"}`,
    hasAttempts,
  };
}
