// What the ledger of a gateway says, read from its file beside the gateway.
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

/** One request in the ledger. Tokens in disjoint buckets; times in milliseconds. */
export interface LedgerRow {
  id: string;
  state: "open" | "pending" | "completed" | "failed" | "cancelled" | "rejected" | "interrupted";
  operation: string;
  dialect: string;
  /** As the client asked for it. */
  model: string;
  stream: boolean;
  provider: string | null;
  upstreamModel: string | null;
  attempts: number;
  httpStatus: number | null;
  errorCode: string | null;
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  estimated: boolean;
  charged: boolean;
  inputBound: number | null;
  warnings: string | null;
}

/** All requests in the ledger, oldest first. */
export function ledgerRows(dataFolder: string): LedgerRow[] {
  const file = join(dataFolder, "ledger.db");
  if (!existsSync(file)) return [];
  using database = new Database(file, { readonly: true });
  const rows = database.query("select * from requests order by n").all() as Record<string, unknown>[];
  return rows.map(rowOf);
}

/** The one row after the first `before`, as soon as it has settled. Fails when there are more. */
export function settledRow(dataFolder: string, before: number): Promise<LedgerRow> {
  return until("the request has settled in the ledger", () => {
    const added = ledgerRows(dataFolder).slice(before);
    if (added.length > 1) throw new Error(`one request left ${added.length} rows in the ledger`);
    return added[0] && added[0].state !== "open" && added[0].state !== "pending" && added[0];
  });
}

function rowOf(row: Record<string, unknown>): LedgerRow {
  const named = Object.entries(row).map(([column, value]) => [camelCase(column), value]);
  const { stream, estimated, charged, ...rest } = Object.fromEntries(named) as LedgerRow;
  return { ...rest, stream: Boolean(stream), estimated: Boolean(estimated), charged: Boolean(charged) };
}

function camelCase(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
