// Price books of every version that was served, in files of the data folder, so that a request can be explained by its own.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomId } from "../../lib/ids.ts";
import { bookOfLayers } from "./price-book.ts";
import type { PriceRow, PriceRule } from "./price-row.ts";
import { type PriceSource, type Prices, pricesOfSources } from "./prices.ts";

/** What a file has: the cost book's layers, and the sources of prices, each the first one that has anything first. */
interface StoredBooks {
  readonly costVersion: string;
  readonly priceVersion: string;
  readonly cost: readonly (readonly PriceRow[])[];
  readonly selling: readonly { readonly rows: readonly PriceRow[]; readonly rules: readonly PriceRule[] }[];
}

const folderOf = (dataFolder: string): string => join(dataFolder, "price-books");
const nameOf = (costVersion: string, priceVersion: string): string => `${costVersion}_${priceVersion}.json.zst`;
const nameForm = /^([\w.]{1,200})_([\w.]{1,200})\.json\.zst$/;
const amounts = new Set(["per", "nanoDollars", "factorMillionths", "perRequestNanoDollars"]);

const plain = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
const exact = (name: string, value: unknown): unknown => (amounts.has(name) ? BigInt(String(value)) : value);

/** Nothing where the version has a file. */
export function storeBooks(dataFolder: string, { costVersion, priceVersion, cost, sources }: Prices): void {
  const folder = folderOf(dataFolder);
  const path = join(folder, nameOf(costVersion, priceVersion));
  if (existsSync(path)) return;
  const selling = sources.map(({ price, rules }) => ({ rows: price.rows, rules }));
  const books: StoredBooks = { costVersion, priceVersion, cost: cost.layers, selling };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const part = `${path}.${randomId("", 12)}.part`;
  writeFileSync(part, Bun.zstdCompressSync(JSON.stringify(books, plain)), { mode: 0o600 });
  renameSync(part, path);
}

function pricesOf({ costVersion, priceVersion, cost, selling }: StoredBooks): Prices {
  const sources: PriceSource[] = selling.map(({ rows, rules }) => ({ price: bookOfLayers("", [rows]), rules }));
  const price = bookOfLayers(
    priceVersion,
    selling.map(({ rows }) => rows),
  );
  return pricesOfSources(bookOfLayers(costVersion, cost), price, sources);
}

/** The prices of these versions; null where they were never served from this folder. */
export function readBooks(dataFolder: string, costVersion: string | null, priceVersion: string | null): Prices | null {
  if (costVersion === null || priceVersion === null) return null;
  const name = nameOf(costVersion, priceVersion);
  const path = join(folderOf(dataFolder), name);
  if (!nameForm.test(name) || !existsSync(path)) return null;
  const text = new TextDecoder().decode(Bun.zstdDecompressSync(readFileSync(path)));
  return pricesOf(JSON.parse(text, exact) as StoredBooks);
}

interface BookVersion {
  readonly costVersion: string;
  readonly priceVersion: string;
  /** When it was first served. */
  readonly atMs: number;
}

/** The newest first. */
export function listBooks(dataFolder: string): BookVersion[] {
  const folder = folderOf(dataFolder);
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).flatMap((name) => {
    const [, costVersion, priceVersion] = nameForm.exec(name) ?? [];
    if (costVersion === undefined || priceVersion === undefined) return [];
    return [{ costVersion, priceVersion, atMs: Math.round(statSync(join(folder, name)).mtimeMs) }];
  });
  return found.sort((one, other) => other.atMs - one.atMs);
}

const lookEveryMs = 1_000;

/** Stores what is served, and what replaces it. */
export function followBooks(dataFolder: string, prices: () => Prices, failed: (cause: unknown) => void): () => void {
  let stored: Prices | null = null;
  const look = (): void => {
    const current = prices();
    if (current === stored) return;
    try {
      storeBooks(dataFolder, current);
      stored = current;
    } catch (cause) {
      failed(cause);
    }
  };
  look();
  const timer = setInterval(look, lookEveryMs).unref();
  return () => {
    clearInterval(timer);
    look();
  };
}
