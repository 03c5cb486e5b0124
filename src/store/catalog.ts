// Catalog entries written through the admin API: providers, routes and prices, as JSON.
import { type Static, Type } from "typebox";
import { laterVersion, nextVersion, numbered, tableVersion } from "./change-counter.ts";
import { IntColumn, NullableText, rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

const kinds = Type.Union([Type.Literal("provider"), Type.Literal("route"), Type.Literal("price")]);
const shape = Type.Object({ kind: kinds, name: Type.String(), body: NullableText, version: IntColumn });

export type CatalogKind = Static<typeof kinds>;
/** `body` is JSON text; null marks a removed entry. `version` is the number of its last change. */
export type CatalogEntry = Static<typeof shape>;

const readEntries = rowReader("catalog", shape);

/** Writes an entry and returns its new version; undefined when it already had this body, and nothing changed. */
export async function putCatalogEntry(
  store: Store,
  entry: { readonly kind: CatalogKind; readonly name: string; readonly body: string },
): Promise<number | undefined> {
  const sql = `insert into catalog (kind, name, body, version) values ($1, $2, $3, ${nextVersion("catalog")})
    on conflict (kind, name) do update set body = excluded.body, version = ${laterVersion("catalog", "excluded.version")}
    where catalog.body is distinct from excluded.body
    returning kind, name, body, version`;
  const rows = readEntries(await numbered(store, "catalog", sql, [entry.kind, entry.name, entry.body]));
  return rows[0]?.version;
}

/** All entries, in the order of the last change. */
export async function listCatalog(store: Store): Promise<CatalogEntry[]> {
  const sql = "select kind, name, body, version from catalog where body is not null order by version";
  return readEntries(await store.query(sql));
}

export async function findCatalogEntry(
  store: Store,
  kind: CatalogKind,
  name: string,
): Promise<CatalogEntry | undefined> {
  const sql = "select kind, name, body, version from catalog where kind = $1 and name = $2 and body is not null";
  return readEntries(await store.query(sql, [kind, name]))[0];
}

/** Returns whether the entry existed. Its row stays as a mark, so that the version never decreases. */
export async function removeCatalogEntry(store: Store, kind: CatalogKind, name: string): Promise<boolean> {
  const sql = `update catalog set body = null, version = ${laterVersion("catalog", nextVersion("catalog"))}
    where kind = $1 and name = $2 and body is not null returning kind, name, body, version`;
  return (await numbered(store, "catalog", sql, [kind, name])).length > 0;
}

/** Changes whenever any entry changes; cheap enough to read every second. */
export async function catalogVersion(store: Store): Promise<number> {
  return await tableVersion(store, "catalog");
}
