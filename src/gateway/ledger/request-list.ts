// Pages of requests, filtered, the newest first: for the command line and the admin API.
import type { SQLQueryBindings } from "bun:sqlite";
import { type RequestRow, readRequestRows, requestsSql } from "./columns.ts";
import { ledgerFiles, readFile } from "./files.ts";

/** Exact values, and times in Unix milliseconds: from `sinceMs` on, and before `untilMs`. */
export interface RequestListFilter {
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly organization?: string;
  readonly project?: string;
  readonly key?: string;
  readonly endUser?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly operation?: string;
  readonly state?: string;
  readonly errorCode?: string;
  readonly httpStatus?: number;
  readonly minDurationMs?: number;
  readonly minCostNanoDollars?: number;
  /** The gateway's own id, or the one that the client saw. */
  readonly requestId?: string;
}

export interface RequestListQuery {
  readonly filter?: RequestListFilter;
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

export interface RequestPage {
  readonly rows: readonly RequestRow[];
  /** Null when there are no more. A page may have fewer rows than its limit, and a next one. */
  readonly next: string | null;
}

/** Throws an Error for a cursor that is not one of a page. */
export function readRequestPage(dataFolder: string, { filter = {}, limit, cursor }: RequestListQuery): RequestPage {
  const place = cursor === undefined ? null : placeOf(cursor);
  const files = ledgerFiles(dataFolder);
  const first = place === null ? 0 : files.findIndex(({ id }) => id === place.file);
  const rows: RequestRow[] = [];
  for (const [index, { path, id }] of files.entries()) {
    if (index < first || first < 0) continue;
    const below = place !== null && index === first ? place.n : undefined;
    const { where, values } = conditions(filter, below);
    const sql = `${requestsSql} ${where} order by n desc limit ?`;
    const wanted = limit - rows.length;
    const found = readRequestRows(readFile(path, sql, [...values, wanted + 1]));
    rows.push(...found.slice(0, wanted));
    const more = found[wanted];
    if (more !== undefined) return { rows, next: `${id}.${more.n + 1}` };
  }
  return { rows, next: null };
}

interface Place {
  /** Id of a ledger file. */
  readonly file: string;
  readonly n: number;
}

function placeOf(cursor: string): Place {
  const [, file, n] = /^([a-z0-9]+)\.(\d{1,15})$/.exec(cursor) ?? [];
  if (file === undefined) throw new Error("The cursor is not one of a page of requests.");
  return { file, n: Number(n) };
}

const columns: readonly (readonly [keyof RequestListFilter, string])[] = [
  ["sinceMs", "at_ms >= ?"],
  ["untilMs", "at_ms < ?"],
  ["organization", "organization = ?"],
  ["project", "project = ?"],
  ["key", "key_id = ?"],
  ["endUser", "end_user = ?"],
  ["model", "model = ?"],
  ["provider", "provider = ?"],
  ["operation", "operation = ?"],
  ["state", "state = ?"],
  ["errorCode", "error_code = ?"],
  ["httpStatus", "http_status = ?"],
  ["minDurationMs", "duration_ms >= ?"],
  ["minCostNanoDollars", "cost >= ?"],
  ["requestId", "? in (id, request_id)"],
];

function conditions(filter: RequestListFilter, below: number | undefined) {
  const asked = columns.flatMap(([name, clause]) => {
    const value = filter[name];
    return value === undefined ? [] : [{ clause, value }];
  });
  if (below !== undefined) asked.push({ clause: "n < ?", value: below });
  const values: SQLQueryBindings[] = asked.map(({ value }) => value);
  return { where: asked.length === 0 ? "" : `where ${asked.map(({ clause }) => clause).join(" and ")}`, values };
}
