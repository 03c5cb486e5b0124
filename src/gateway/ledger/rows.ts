// The values of each column, and the statements of the hot path. Columns and their values are listed in the same order.
import type { Changes, Database, SQLQueryBindings, Statement } from "bun:sqlite";
import {
  type BilledUnits,
  cacheWrites,
  estimatedBuckets,
  uncachedInput,
  unitAmount,
  visibleOutput,
} from "../../canonical/usage.ts";
import type { LedgerAttempt, LedgerOpening, LedgerProgress, LedgerSettlement } from "./types.ts";

/** A prepared statement. As one array, values cost a tenth less than as arguments. */
export interface Write {
  run(values: readonly SQLQueryBindings[]): Changes;
}

const listed = (columns: string): readonly string[] => columns.trim().split(/\s+/);

const openingColumns = listed(`n id request_id at_ms organization project key_id end_user session
  operation dialect model stream input_tokens input_bound reserved cost_version price_version`);

/** Arrays are written out: a function per column costs 1 us per request. */
export function openingValues(n: number, given: LedgerOpening): SQLQueryBindings[] {
  const { id, requestId, atMs, organization = null, project = null, keyId, endUser = null, session = null } = given;
  const { operation, dialect, model, stream, inputTokens, inputBound } = given;
  const { reservedNanoDollars = null, costVersion = null, priceVersion = null } = given;
  // biome-ignore format: as the columns are listed
  return [
    n, id, requestId, atMs, organization, project, keyId, endUser, session,
    operation, dialect, model, stream ? 1 : 0, inputTokens, inputBound, reservedNanoDollars, costVersion, priceVersion,
  ];
}

/** Few requests are replays: the others are opened without the column. */
const replayColumns = [...openingColumns, "replay_of"];

export const replayValues = (n: number, given: LedgerOpening): SQLQueryBindings[] => [
  ...openingValues(n, given),
  given.replayOf ?? null,
];

const progressColumns = listed(
  "input_tokens cache_read_tokens cache_write_tokens output_tokens reasoning_tokens duration_ms",
);

/** Progress is an estimate: it does not separate kinds of input and output. */
export function progressValues(n: number, given: LedgerProgress, durationMs: number): SQLQueryBindings[] {
  const { usage, provider = null, upstreamModel = null } = given;
  const { cacheReadTokens, reasoningTokens } = usage;
  const tokens = [uncachedInput(usage), cacheReadTokens, cacheWrites(usage), visibleOutput(usage), reasoningTokens];
  return [...tokens, rounded(durationMs), provider, upstreamModel, n];
}

const settlementColumns = listed(`state http_status provider upstream_model credential attempt_started_ms attempts
  input_tokens cache_read_tokens cache_write_tokens output_tokens reasoning_tokens estimated charged
  first_byte_ms duration_ms error_code warnings timings`);
/** Writing a price runs the trigger of the spend, also where it stays null: requests without one are settled without them. */
const moneyColumns = ["cost", "price"];

function commonValues(end: LedgerSettlement): SQLQueryBindings[] {
  const { state, httpStatus, provider, upstreamModel, credential, attemptStartedMs, attempts, usage } = end;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, estimated } = usage;
  const { charged, firstByteMs, durationMs, errorCode, warnings, timings = null } = end;
  // biome-ignore format: as the columns are listed
  return [
    state, httpStatus, provider, upstreamModel, credential, rounded(attemptStartedMs), attempts,
    inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, estimated ? 1 : 0, charged ? 1 : 0,
    rounded(firstByteMs), rounded(durationMs), errorCode, warnings,
    timings,
  ];
}

/** Columns that few requests have: the others are settled without them. */
const rareColumns = listed(`cache_write_1h_tokens audio_input_tokens image_input_tokens audio_output_tokens
  image_output_tokens images audio_ms video_ms characters pages searches billed_requests unit_details estimated_buckets passed_over tier`);

const rareUnits = ["images", "audioMs", "videoMs", "characters", "pages", "searches", "requests"] as const;

function rareValues({ usage, passedOver, tier = null }: LedgerSettlement): SQLQueryBindings[] {
  const { cacheWrite1hTokens = 0, audioInputTokens = 0, imageInputTokens = 0 } = usage;
  const { audioOutputTokens = 0, imageOutputTokens = 0 } = usage;
  const tokens = [cacheWrite1hTokens, audioInputTokens, imageInputTokens, audioOutputTokens, imageOutputTokens];
  const units = rareUnits.map((kind) => unitAmount(usage, kind));
  const passed = passedOver === null ? null : JSON.stringify(passedOver);
  return [...tokens, ...units, detailsOf(usage.units), estimatedBuckets(usage).join(" ") || null, passed, tier];
}

function hasRareColumns({ usage, passedOver, tier = null }: LedgerSettlement): boolean {
  const { units, estimated, cacheWrite1hTokens, audioInputTokens, imageInputTokens } = usage;
  const { audioOutputTokens, imageOutputTokens } = usage;
  const rare = units ?? cacheWrite1hTokens ?? audioInputTokens ?? imageInputTokens;
  const hasRareUsage = (rare ?? audioOutputTokens ?? imageOutputTokens) !== undefined || estimated === true;
  return hasRareUsage || passedOver !== null || tier !== null;
}

type SettleStatement = "settle" | "settlePriced" | "settleRare";

/** The statement with the columns that a settlement needs. */
export function statementFor(end: LedgerSettlement): SettleStatement {
  if (hasRareColumns(end)) return "settleRare";
  return end.costNanoDollars === null && end.priceNanoDollars === null ? "settle" : "settlePriced";
}

/**
 * `row` is the number of an open row, or the id of a pending one. A settlement gets its position in the sequence when
 * it is written, at each try: rows are committed in the order of their numbers.
 */
export function settlementValues(
  row: number | string,
  end: LedgerSettlement,
  nextSequence: () => number,
): () => SQLQueryBindings[] {
  const values = commonValues(end);
  const statement = typeof row === "string" ? "settleRare" : statementFor(end);
  if (statement !== "settle") values.push(end.costNanoDollars, end.priceNanoDollars);
  if (statement === "settleRare") values.push(...rareValues(end));
  const place = values.length;
  values.push(0, row);
  return () => {
    values[place] = nextSequence();
    return values;
  };
}

const attemptColumns = listed(`id number provider upstream_model credential outcome error_code http_status
  started_ms first_byte_ms duration_ms possible_input_tokens cost cost_version`);

export function attemptValues(id: string, given: LedgerAttempt): SQLQueryBindings[] {
  const { number, provider, upstreamModel, credential = null, outcome, errorCode, httpStatus } = given;
  const { startedMs = null, firstByteMs = null, durationMs, possibleInputTokens } = given;
  const { costNanoDollars = null, costVersion = null } = given;
  // biome-ignore format: as the columns are listed
  return [
    id, number, provider, upstreamModel, credential, outcome, errorCode, httpStatus,
    rounded(startedMs), rounded(firstByteMs), rounded(durationMs), possibleInputTokens, costNanoDollars, costVersion,
  ];
}

const marksOf = (columns: readonly string[]): string => columns.map(() => "?").join(", ");
const setsOf = (columns: readonly string[]): string => columns.map((column) => `${column} = ?`).join(", ");

const opening = (state: "open" | "pending", columns = openingColumns): string =>
  `insert into requests (${columns.join(", ")}, state) values (${marksOf(columns)}, '${state}')`;
const progress = `update requests set ${setsOf(progressColumns)}, provider = coalesce(?, provider),
  upstream_model = coalesce(?, upstream_model) where n = ? and state = 'open'`;
const settlement = (columns: readonly string[], which: string): string =>
  `update requests set ${setsOf(columns)}, settled_seq = ? where ${which}`;
const attempt = `insert or ignore into attempts (${attemptColumns.join(", ")}) values (${marksOf(attemptColumns)})`;

export interface Statements {
  readonly open: Write;
  /** As `open`, for a row that outlives the process. */
  readonly openPending: Write;
  /** As `open`, for a repeated reply. */
  readonly openReplay: Write;
  readonly progress: Write;
  /** Without a cost and a price. */
  readonly settle: Write;
  readonly settlePriced: Write;
  /** As `settlePriced`, with the rare columns. */
  readonly settleRare: Write;
  /** As `settleRare`, by the id of a pending row. */
  readonly settlePending: Write;
  readonly attempt: Write;
  /** Stores the number up to which no row can be open. */
  readonly mark: Write;
}

function prepared(database: Database, sql: string): Write {
  const statement: Statement = database.prepare(sql);
  return statement;
}

export function prepareStatements(database: Database): Statements {
  const pricedColumns = [...settlementColumns, ...moneyColumns];
  const allColumns = [...pricedColumns, ...rareColumns];
  return {
    open: prepared(database, opening("open")),
    openPending: prepared(database, opening("pending")),
    openReplay: prepared(database, opening("open", replayColumns)),
    progress: prepared(database, progress),
    settle: prepared(database, settlement(settlementColumns, "n = ? and state = 'open'")),
    settlePriced: prepared(database, settlement(pricedColumns, "n = ? and state = 'open'")),
    settleRare: prepared(database, settlement(allColumns, "n = ? and state = 'open'")),
    settlePending: prepared(database, settlement(allColumns, "id = ? and state = 'pending'")),
    attempt: prepared(database, attempt),
    mark: prepared(database, "insert or replace into marks (name, n) values ('settled', ?)"),
  };
}

/** The units of a request one by one, if they have sizes and qualities, which the columns do not contain. */
function detailsOf(units: readonly BilledUnits[] | undefined): string | null {
  const hasVariants = units?.some(({ size, quality }) => size !== undefined || quality !== undefined);
  return hasVariants ? JSON.stringify(units) : null;
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}
