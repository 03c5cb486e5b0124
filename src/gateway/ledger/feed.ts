// Settled requests in the order of their settlement: rows settle late, so an export by time would miss some.
import type { Database } from "bun:sqlite";
import { type Static, Type } from "typebox";
import { IntColumn, rowReader } from "../../store/rows.ts";
import { type Adjustment, adjustmentsSql, readAdjustmentRows } from "./adjustments.ts";
import { type RequestRow, readRequestRows, requestsSql } from "./columns.ts";
import { type LedgerFile, queryFile } from "./files.ts";
import { adjustedThrough, withUsageIndex } from "./usage-index.ts";

export interface FeedQuery {
  /** The `next` of the previous page; absent: from the first settlement on. */
  readonly after?: string;
  readonly limit: number;
}

export interface FeedPage {
  readonly rows: readonly RequestRow[];
  /** What was booked for requests of this page or of earlier ones. */
  readonly adjustments: readonly Adjustment[];
  /** The `after` of the next page; unchanged if nothing has settled since. */
  readonly next: string;
  readonly hasMore: boolean;
}

/** The `after` of a reader that starts now. */
export function feedEnd(dataFolder: string): string {
  return withUsageIndex(dataFolder, ({ files: [current], database }) => {
    if (current === undefined) return "";
    const sql = "select 0 as n, coalesce(max(seq), 0) as seq from feed where ledger = ?";
    return `${current.id}.${readPlaces(database.query(sql).all(current.id))[0]?.seq ?? 0}`;
  });
}

const readPlaces = rowReader("feed", Type.Object({ seq: IntColumn, n: IntColumn }));
type Place = Static<ReturnType<typeof Type.Object<{ seq: typeof IntColumn; n: typeof IntColumn }>>>;

/** How far a reader has come in one ledger: its last settlement, and its last adjustment. */
interface Cursor {
  readonly seq: number;
  readonly repricing: number;
  readonly n: number;
}

const beginning: Cursor = { seq: 0, repricing: 0, n: 0 };

interface Part extends Pick<FeedPage, "rows" | "adjustments" | "hasMore"> {
  readonly cursor: Cursor;
}

/** Ledgers that were moved aside come first, the current one last. Throws an Error for an invalid cursor. */
export function readFeed(dataFolder: string, { after, limit }: FeedQuery): FeedPage {
  return withUsageIndex(dataFolder, ({ files, database }) => {
    const oldestFirst = [...files.slice(1), ...files.slice(0, 1)];
    const start = startOf(after);
    const first = start === null ? 0 : oldestFirst.findIndex(({ id }) => id === start.ledger);
    if (first < 0) throw notACursor();
    const rows: RequestRow[] = [];
    const adjustments: Adjustment[] = [];
    let next = after ?? "";
    for (const [index, file] of oldestFirst.entries()) {
      if (index < first) continue;
      const from = start !== null && index === first ? start : beginning;
      const part = partOf(database, file, from, limit - rows.length - adjustments.length);
      rows.push(...part.rows);
      adjustments.push(...part.adjustments);
      if (part.rows.length + part.adjustments.length > 0) next = cursorText(file.id, part.cursor);
      if (part.hasMore) return { rows, adjustments, next, hasMore: true };
    }
    return { rows, adjustments, next, hasMore: false };
  });
}

/** Adjustments come after every settlement that precedes them, and so after the requests that they change. */
function partOf(database: Database, { id, path }: LedgerFile, from: Cursor, limit: number): Part {
  const sql = "select seq, n from feed where ledger = ? and seq > ? order by seq limit ?";
  const found = readPlaces(database.query(sql).all(id, from.seq, limit + 1));
  const rows = rowsAt(path, found.slice(0, limit));
  const { seq } = found[Math.min(limit, found.length) - 1] ?? from;
  if (found.length > limit) return { rows, adjustments: [], hasMore: true, cursor: { ...from, seq } };
  const wanted = limit - found.length;
  const values = [from.repricing, from.n, adjustedThrough(database, id), wanted + 1];
  const booked = readAdjustmentRows(queryFile(path, (query) => query(adjustmentsAfter, ...values)));
  const adjustments = booked.slice(0, wanted);
  const { repricing, n } = adjustments.at(-1) ?? from;
  return { rows, adjustments, hasMore: booked.length > wanted, cursor: { seq, repricing, n } };
}

const adjustmentsAfter = `${adjustmentsSql} and (repricing, n) > (?, ?) and repricing <= ? order by repricing, n limit ?`;

function rowsAt(path: string, places: readonly Place[]): RequestRow[] {
  const sql = `${requestsSql} where n in (select value from json_each(?))`;
  const numbers = JSON.stringify(places.map(({ n }) => n));
  const found = new Map(readRequestRows(queryFile(path, (query) => query(sql, numbers))).map((row) => [row.n, row]));
  return places.flatMap(({ n }) => found.get(n) ?? []);
}

const notACursor = (): Error => new Error("The cursor is not one of the feed.");

const cursorText = (ledger: string, { seq, repricing, n }: Cursor): string =>
  repricing === 0 ? `${ledger}.${seq}` : `${ledger}.${seq}.${repricing}.${n}`;

function startOf(after: string | undefined): (Cursor & { readonly ledger: string }) | null {
  if (after === undefined || after === "") return null;
  const [, ledger, ...numbers] = /^([a-z0-9]+)\.(\d{1,15})(?:\.(\d{1,15})\.(\d{1,15}))?$/.exec(after) ?? [];
  if (ledger === undefined) throw notACursor();
  const [seq = 0, repricing = 0, n = 0] = numbers.map((text) => Number(text ?? 0));
  return { ledger, seq, repricing, n };
}
