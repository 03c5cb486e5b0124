// Reads the ledger, also while a gateway writes it: the newest requests of all its files, and what belongs to one.
import type { SQLQueryBindings } from "bun:sqlite";
import { type Adjustment, adjustmentsSql, readAdjustmentRows } from "./adjustments.ts";
import {
  type AttemptRow,
  attemptsSql,
  type RequestRow,
  readAttemptRows,
  readRequestRows,
  requestsSql,
} from "./columns.ts";
import { readFiles } from "./files.ts";

export type { AttemptRow, RequestRow } from "./columns.ts";

/** Times in Unix milliseconds: from `sinceMs` on, and before `untilMs`. */
interface RequestFilter {
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly keyId?: string;
}

/** Newest first, at most `limit`. */
export function readRequests(dataFolder: string, filter: RequestFilter & { readonly limit: number }): RequestRow[] {
  const { where, values } = conditions(filter);
  const sql = `${requestsSql} ${where} order by n desc limit ?`;
  const files = readFiles(dataFolder, sql, [...values, filter.limit]);
  return merged(files.map(readRequestRows)).slice(0, filter.limit);
}

const isNewer = (one: RequestRow, other: RequestRow): boolean =>
  one.atMs === other.atMs ? one.id > other.id : one.atMs > other.atMs;

/** One list of several, by time and id; each file keeps its own order. */
function merged(files: readonly (readonly RequestRow[])[]): RequestRow[] {
  const [first = [], ...others] = files;
  return others.reduce<RequestRow[]>((left, right) => mergedTwo(left, right), [...first]);
}

function mergedTwo(left: readonly RequestRow[], right: readonly RequestRow[]): RequestRow[] {
  const rows: RequestRow[] = [];
  let next = 0;
  for (const row of left) {
    for (let other = right[next]; other !== undefined && isNewer(other, row); other = right[++next]) rows.push(other);
    rows.push(row);
  }
  return [...rows, ...right.slice(next)];
}

/** The attempts of one request in order, except the one in its row. */
export function readAttempts(dataFolder: string, id: string): AttemptRow[] {
  const sql = `${attemptsSql} where id = ? order by number`;
  return readFiles(dataFolder, sql, [id]).flatMap(readAttemptRows);
}

/** The adjustments of one request, the first one first. */
export function readAdjustments(dataFolder: string, n: number, id: string): Adjustment[] {
  const sql = `${adjustmentsSql} and n = ? and requests.id = ? order by repricing`;
  return readFiles(dataFolder, sql, [n, id]).flatMap(readAdjustmentRows);
}

/** The successful attempt, which is in the request's own row; null if there was none. */
export function answeredAttempt(request: RequestRow, others: readonly AttemptRow[]): AttemptRow | null {
  const { id, provider, upstreamModel, credential, attempts: number, firstByteMs, durationMs } = request;
  if (provider === null || upstreamModel === null || number === 0) return null;
  if (others.some((attempt) => attempt.number === number)) return null;
  const { attemptStartedMs: startedMs, httpStatus, costNanoDollars, costVersion } = request;
  const waits = { startedMs, firstByteMs, durationMs: durationMs === null ? null : durationMs - (startedMs ?? 0) };
  const attempted = {
    id,
    number,
    provider,
    upstreamModel,
    credential,
    outcome: "answered",
    errorCode: request.errorCode,
  };
  return { ...attempted, httpStatus, ...waits, possibleInputTokens: 0, costNanoDollars, costVersion };
}

function conditions({ sinceMs, untilMs, keyId }: RequestFilter): { where: string; values: SQLQueryBindings[] } {
  const given: readonly (readonly [string, string | number | undefined])[] = [
    ["at_ms >= ?", sinceMs],
    ["at_ms < ?", untilMs],
    ["key_id = ?", keyId],
  ];
  const clauses: string[] = [];
  const values: SQLQueryBindings[] = [];
  for (const [clause, value] of given) {
    if (value === undefined) continue;
    clauses.push(clause);
    values.push(value);
  }
  return { where: clauses.length > 0 ? `where ${clauses.join(" and ")}` : "", values };
}
