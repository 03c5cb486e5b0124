// Recovers the open rows of a stopped process at the next start.
import type { Database } from "bun:sqlite";
import { type Static, Type } from "typebox";
import { BigIntColumn, IntColumn, NullableText, rowReader } from "../../store/rows.ts";
import type { Money } from "../prices/prices.ts";
import type { OpenReservation } from "./types.ts";

export interface Recovered {
  readonly interrupted: number;
  readonly reservations: readonly OpenReservation[];
  /** The number of the next row. */
  readonly nextNumber: number;
  /** The position of the next settlement in the sequence. */
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
 * Open rows become `interrupted`, with the usage recorded so far. Only rows above the mark are read, so a start costs
 * the same with a thousand rows as with a hundred million.
 */
export function recover(database: Database, priceOf?: (request: InterruptedRequest) => Money | null): Recovered {
  const mark = numberOf(database, "select n from marks where name = 'settled'");
  const lastNumber = numberOf(database, "select max(n) as n from requests");
  const sequence = firstSequence(database);
  const reservations = reservationsAbove(database, mark);
  const open = priceOf === undefined ? [] : openRequests(database, mark);
  const interrupt = database.prepare(`update requests set state = 'interrupted', estimated = 1,
    error_code = 'interrupted', settled_seq = ? + n where n > ? and state = 'open'`);
  const interrupted = interrupt.run(sequence - mark, mark).changes;
  if (priceOf !== undefined) charge(database, open, priceOf);
  return { interrupted, reservations, nextNumber: lastNumber + 1, nextSequence: sequence + lastNumber - mark + 1 };
}

const interruptedShape = Type.Object({
  n: IntColumn,
  atMs: IntColumn,
  operation: Type.String(),
  model: Type.String(),
  provider: NullableText,
  upstreamModel: NullableText,
  inputTokens: IntColumn,
  cacheReadTokens: IntColumn,
  cacheWriteTokens: IntColumn,
  outputTokens: IntColumn,
  reasoningTokens: IntColumn,
});

/** A request whose process stopped, with its usage so far. */
export type InterruptedRequest = Static<typeof interruptedShape>;

const readInterrupted = rowReader<typeof interruptedShape>("requests", interruptedShape);

function openRequests(database: Database, mark: number): InterruptedRequest[] {
  using statement = database.prepare(`select n, at_ms as "atMs", operation, model, provider,
    upstream_model as "upstreamModel", input_tokens as "inputTokens", cache_read_tokens as "cacheReadTokens",
    cache_write_tokens as "cacheWriteTokens", output_tokens as "outputTokens", reasoning_tokens as "reasoningTokens"
    from requests where n > ? and state = 'open'`);
  return readInterrupted(statement.safeIntegers(true).all(mark));
}

/** Interrupted requests are charged for their usage so far. */
function charge(
  database: Database,
  requests: readonly InterruptedRequest[],
  priceOf: (request: InterruptedRequest) => Money | null,
): void {
  const statement = database.prepare("update requests set cost = ?, price = ? where n = ?");
  for (const request of requests) {
    const money = priceOf(request);
    if (money !== null) statement.run(money.costNanoDollars, money.priceNanoDollars, request.n);
  }
}

/** More settlements than one process can write. */
const settlementsPerStart = 2 ** 32;

/**
 * The sequence of settlements rises and has gaps: each start has its own range. Finding the last number would need an
 * index, which costs each settlement a tenth of its time.
 */
function firstSequence(database: Database): number {
  database.run(`insert into marks (name, n) values ('starts', 1) on conflict (name) do update set n = n + 1`);
  return numberOf(database, "select n from marks where name = 'starts'") * settlementsPerStart;
}

/** In one query: the reservations of open rows above the mark and of all pending rows. */
function reservationsAbove(database: Database, mark: number): Static<typeof reservationShape>[] {
  const sql = `${reservation("interrupted")} where n > ? and state = 'open' and reserved is not null
    union all ${reservation("pending")} where state = 'pending' and reserved is not null`;
  using statement = database.prepare(sql);
  return readReservations(statement.safeIntegers(true).all(mark));
}

function numberOf(database: Database, sql: string): number {
  return Number(Object(database.query(sql).get()).n ?? 0);
}

/** The id of a ledger file, for the life of the file. */
export function ledgerId(database: Database): string {
  const made = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  database.prepare("insert or ignore into marks (name, n) values ('id', ?)").run(made);
  return numberOf(database, "select n from marks where name = 'id'").toString(36);
}
