// What a new process makes of the rows that a dead one left open.
import type { Database } from "bun:sqlite";
import { type Static, Type } from "typebox";
import { BigIntColumn, IntColumn, NullableText, rowReader } from "../../store/rows.ts";
import type { OpenReservation } from "./types.ts";

export interface Recovered {
  readonly interrupted: number;
  readonly reservations: readonly OpenReservation[];
  /** The number of the next row. */
  readonly nextNumber: number;
  /** The place of the next settlement in the sequence. */
  readonly nextSequence: number;
}

const reservationShape = Type.Object({
  id: Type.String(),
  state: Type.Union([Type.Literal("interrupted"), Type.Literal("pending")]),
  atMs: IntColumn,
  organization: NullableText,
  project: NullableText,
  keyId: Type.String(),
  endUser: NullableText,
  reservedNanoDollars: BigIntColumn,
});

const readReservations = rowReader<typeof reservationShape>("requests", reservationShape);

const reservation = (state: string): string => `select id, '${state}' as state, at_ms as "atMs", organization, project,
  key_id as "keyId", end_user as "endUser", reserved as "reservedNanoDollars" from requests`;

/**
 * Rows still open become `interrupted`, with what had been reported of them. Only rows above the mark are looked at, so a start
 * costs the same with a thousand rows as with a hundred million.
 */
export function recover(database: Database): Recovered {
  const mark = numberOf(database, "select n from marks where name = 'settled'");
  const lastNumber = numberOf(database, "select max(n) as n from requests");
  const sequence = firstSequence(database);
  const reservations = reservationsAbove(database, mark);
  const interrupt = database.prepare(`update requests set state = 'interrupted', estimated = 1,
    error_code = 'interrupted', settled_seq = ? + n where n > ? and state = 'open'`);
  const interrupted = interrupt.run(sequence - mark, mark).changes;
  return { interrupted, reservations, nextNumber: lastNumber + 1, nextSequence: sequence + lastNumber - mark + 1 };
}

/** More settlements than one process can write. */
const settlementsPerStart = 2 ** 32;

/**
 * The sequence of settlements rises and has gaps: each start has a range of its own. The last number that was given would need an
 * index to be found, which costs each settlement a tenth of its time.
 */
function firstSequence(database: Database): number {
  database.run(`insert into marks (name, n) values ('starts', 1) on conflict (name) do update set n = n + 1`);
  return numberOf(database, "select n from marks where name = 'starts'") * settlementsPerStart;
}

/** In one query: what open rows above the mark and all pending rows hold. */
function reservationsAbove(database: Database, mark: number): Static<typeof reservationShape>[] {
  const sql = `${reservation("interrupted")} where n > ? and state = 'open' and reserved is not null
    union all ${reservation("pending")} where state = 'pending' and reserved is not null`;
  using statement = database.prepare(sql);
  return readReservations(statement.safeIntegers(true).all(mark));
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
