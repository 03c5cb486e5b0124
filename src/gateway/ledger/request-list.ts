// Pages of requests, filtered, newest first: for the command line and the admin API.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { Type } from "typebox";
import { IntColumn, rowReader } from "../../store/rows.ts";
import { columnOf, type RequestRow, readRequestRows, requestsSql } from "./columns.ts";
import { type LedgerFile, queryFile } from "./files.ts";
import { blocksOfId } from "./request-ids.ts";
import { blockRows, withUsageIndex } from "./usage-index.ts";

/** Exact values, and times in Unix milliseconds: from `sinceMs` on, and before `untilMs`. */
export interface RequestListFilter {
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly organization?: string;
  readonly project?: string;
  readonly key?: string;
  readonly endUser?: string;
  readonly session?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly operation?: string;
  readonly state?: string;
  readonly errorCode?: string;
  readonly httpStatus?: number;
  readonly minDurationMs?: number;
  readonly maxDurationMs?: number;
  readonly minCostNanoDollars?: number;
  readonly maxCostNanoDollars?: number;
  /** The gateway's own id, or the client's request id. */
  readonly requestId?: string;
}

export interface RequestListQuery {
  readonly filter?: RequestListFilter;
  readonly limit: number;
  /** `next` of the previous page. */
  readonly cursor?: string;
}

export interface RequestPage {
  readonly rows: readonly RequestRow[];
  /** Null when there are no more. A page may have fewer rows than its limit and still a next page. */
  readonly next: string | null;
}

/** Maximum blocks to read for one page: a page of values that never occur together ends before its limit. */
const maxBlocks = 48;

/** Throws an Error for an invalid cursor. */
export function readRequestPage(dataFolder: string, { filter = {}, limit, cursor }: RequestListQuery): RequestPage {
  const place = cursor === undefined ? null : placeOf(cursor);
  return withUsageIndex(dataFolder, ({ files, database }) => {
    const first = place === null ? 0 : files.findIndex(({ id }) => id === place.file);
    if (first < 0) throw notACursor();
    const rows: RequestRow[] = [];
    for (const [index, file] of files.entries()) {
      if (index < first) continue;
      const below = place !== null && index === first ? place.n : Number.MAX_SAFE_INTEGER;
      const wanted = limit - rows.length;
      const page = pageOf(database, file, { filter, below, limit: wanted + 1 });
      rows.push(...page.rows.slice(0, wanted));
      const next = page.rows[wanted]?.n ?? page.stoppedAt;
      if (next !== null) return { rows, next: `${file.id}.${next + 1}` };
    }
    return { rows, next: null };
  });
}

/** The requests with this id of the gateway or the client, newest first: clients may use an id twice. */
export function findRequests(dataFolder: string, id: string, limit: number): RequestRow[] {
  const part = { filter: { requestId: id }, below: Number.MAX_SAFE_INTEGER, limit };
  const rows = withUsageIndex(dataFolder, ({ files, database }) =>
    files.flatMap((file) => pageOf(database, file, part).rows),
  );
  return rows.sort((one, other) => other.atMs - one.atMs || (one.id > other.id ? -1 : 1)).slice(0, limit);
}

interface Part {
  readonly filter: RequestListFilter;
  /** Rows with smaller numbers only. */
  readonly below: number;
  readonly limit: number;
}

/** Rows of one file; `stoppedAt` is the number of the last row that was read if more blocks are left. */
function pageOf(database: Database, { path, id }: LedgerFile, part: Part) {
  const { where, values } = conditions(part.filter);
  const blocks = blocksFor(database, id, part);
  const sql = `${requestsSql} where n >= ? and n < ? ${where} order by n desc limit ?`;
  // An id is in few blocks, unless its client uses it again and again.
  const isOnlyId = part.filter.requestId !== undefined && Object.keys(part.filter).length === 1;
  return queryFile(path, (query) => {
    const rows: RequestRow[] = [];
    const read = (from: number, to: number): void => {
      rows.push(...readRequestRows(query(sql, from, Math.min(to, part.below), ...values, part.limit - rows.length)));
    };
    if (blocks === null) read(0, part.below);
    for (const [count, block] of (blocks ?? []).entries()) {
      if (rows.length >= part.limit) break;
      if (count >= maxBlocks && !isOnlyId) return { rows, stoppedAt: (block + 1) * blockRows - 1 };
      read(block * blockRows, (block + 1) * blockRows);
    }
    return { rows, stoppedAt: null };
  });
}

const readBlocks = rowReader("blocks", Type.Object({ block: IntColumn }));

/**
 * The blocks that may have matching rows, newest first; null if every block may. Unsettled rows are in none of the
 * zones.
 */
function blocksFor(database: Database, ledger: string, { filter, below }: Part): number[] | null {
  const { sinceMs, untilMs, requestId } = filter;
  const last = Math.floor((below - 1) / blockRows);
  if (requestId !== undefined)
    return blocksOfId(database, ledger, requestId, blockRows).filter((block) => block <= last);
  if (unsettled.includes(filter.state ?? "")) return blocksOfUnsettled(database, ledger, last);
  const zones = columns.filter(([name]) => typeof filter[name] === "string");
  const isBounded = boundedFilters.some((name) => filter[name] !== undefined);
  if (zones.length === 0 && !isBounded) return null;
  const clauses = ["ledger = ?", "block <= ?", "max_at >= ?", "min_at < ?"];
  const range = [sinceMs ?? 0, untilMs ?? Number.MAX_SAFE_INTEGER];
  const values: SQLQueryBindings[] = [ledger, last, ...range];
  const late = `exists (select 1 from late where late.ledger = blocks.ledger
    and late.n between block * ${blockRows} and block * ${blockRows} + ${blockRows - 1})`;
  const zone = `exists (select 1 from zones z where z.ledger = blocks.ledger and z.name = ? and z.value = ? and z.block = blocks.block)`;
  if (zones.length > 0) clauses.push(`(${late} or (${zones.map(() => zone).join(" and ")}))`);
  for (const [name, column] of zones) values.push(column, filter[name] ?? "");
  const sql = `select block from blocks where ${clauses.join(" and ")} order by block desc limit ${maxBlocks + 1}`;
  return readBlocks(database.query(sql).all(...values)).map(({ block }) => block);
}

const unsettled: readonly string[] = ["open", "pending"];

function blocksOfUnsettled(database: Database, ledger: string, last: number): number[] {
  const sql = `select distinct n / ${blockRows} as block from late where ledger = ? order by 1 desc`;
  return readBlocks(database.query(sql).all(ledger)).flatMap(({ block }) => (block <= last ? block : []));
}

interface Place {
  /** Id of a ledger file. */
  readonly file: string;
  readonly n: number;
}

const notACursor = (): Error => new Error("The cursor is not one of a page of requests.");

function placeOf(cursor: string): Place {
  const [, file, n] = /^([a-z0-9]+)\.(\d{1,15})$/.exec(cursor) ?? [];
  if (file === undefined) throw notACursor();
  return { file, n: Number(n) };
}

/** Filters of exact values, by column. */
const columns: readonly (readonly [keyof RequestListFilter, string])[] = [
  ["organization", "organization"],
  ["project", "project"],
  ["key", "key_id"],
  ["endUser", "end_user"],
  ["session", "session"],
  ["model", "model"],
  ["provider", "provider"],
  ["operation", "operation"],
  ["state", "state"],
  ["errorCode", columnOf("errorCode")],
];

/** Filters that the index does not support. */
const otherClauses: readonly (readonly [keyof RequestListFilter, string])[] = [
  ["sinceMs", "at_ms >= ?"],
  ["untilMs", "at_ms < ?"],
  ["httpStatus", "http_status = ?"],
  ["minDurationMs", "duration_ms >= ?"],
  ["maxDurationMs", "duration_ms <= ?"],
  ["minCostNanoDollars", "cost >= ?"],
  ["maxCostNanoDollars", "cost <= ?"],
  ["requestId", "? in (id, request_id)"],
];

/** A page by only these also ends after some blocks. */
const boundedFilters = otherClauses.map(([name]) => name);

function conditions(filter: RequestListFilter) {
  const clauses: string[] = [];
  const values: SQLQueryBindings[] = [];
  const add = (clause: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    clauses.push(`and ${clause}`);
    values.push(value);
  };
  for (const [name, clause] of otherClauses) add(clause, filter[name]);
  for (const [name, column] of columns) add(`${column} = ?`, filter[name]);
  return { where: clauses.join(" "), values };
}
