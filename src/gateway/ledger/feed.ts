// Settled requests in the order of their settlement: rows settle late, so an export by time would miss some.
import { type Static, Type } from "typebox";
import { IntColumn, rowReader } from "../../store/rows.ts";
import { type RequestRow, readRequestRows, requestsSql } from "./columns.ts";
import { queryFile } from "./files.ts";
import { withUsageIndex } from "./usage-index.ts";

export interface FeedQuery {
  /** The `next` of the previous page; absent: from the first settlement on. */
  readonly after?: string;
  readonly limit: number;
}

export interface FeedPage {
  readonly rows: readonly RequestRow[];
  /** The `after` of the next page; unchanged if nothing has settled since. */
  readonly next: string;
  readonly hasMore: boolean;
}

const readPlaces = rowReader("feed", Type.Object({ seq: IntColumn, n: IntColumn }));
type Place = Static<ReturnType<typeof Type.Object<{ seq: typeof IntColumn; n: typeof IntColumn }>>>;

/** Ledgers that were moved aside come first, the current one last. Throws an Error for an invalid cursor. */
export function readFeed(dataFolder: string, { after, limit }: FeedQuery): FeedPage {
  return withUsageIndex(dataFolder, ({ files, database }) => {
    const oldestFirst = [...files.slice(1), ...files.slice(0, 1)];
    const start = startOf(after);
    const first = start === null ? 0 : oldestFirst.findIndex(({ id }) => id === start.ledger);
    if (first < 0) throw notACursor();
    const rows: RequestRow[] = [];
    let next = after ?? "";
    const sql = "select seq, n from feed where ledger = ? and seq > ? order by seq limit ?";
    for (const [index, { id, path }] of oldestFirst.entries()) {
      if (index < first) continue;
      const seq = start !== null && index === first ? start.seq : 0;
      const wanted = limit - rows.length;
      const places = readPlaces(database.query(sql).all(id, seq, wanted + 1));
      rows.push(...rowsAt(path, places.slice(0, wanted)));
      const last = places[Math.min(wanted, places.length) - 1];
      if (last !== undefined) next = `${id}.${last.seq}`;
      if (places.length > wanted) return { rows, next, hasMore: true };
    }
    return { rows, next, hasMore: false };
  });
}

function rowsAt(path: string, places: readonly Place[]): RequestRow[] {
  const sql = `${requestsSql} where n in (select value from json_each(?))`;
  const numbers = JSON.stringify(places.map(({ n }) => n));
  const found = new Map(readRequestRows(queryFile(path, (query) => query(sql, numbers))).map((row) => [row.n, row]));
  return places.flatMap(({ n }) => found.get(n) ?? []);
}

const notACursor = (): Error => new Error("The cursor is not one of the feed.");

function startOf(after: string | undefined): { readonly ledger: string; readonly seq: number } | null {
  if (after === undefined || after === "") return null;
  const [, ledger, seq] = /^([a-z0-9]+)\.(\d{1,15})$/.exec(after) ?? [];
  if (ledger === undefined) throw notACursor();
  return { ledger, seq: Number(seq) };
}
