// What providers, routes and prices share: entries are written here or defined elsewhere, and a change is served at
// once.
import { type TObject, Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import type { JsonObject } from "../../lib/json.ts";
import {
  type CatalogEntry,
  type CatalogKind,
  findCatalogEntry,
  listCatalog,
  putCatalogEntry,
  removeCatalogEntry,
} from "../../store/catalog.ts";
import type { Store } from "../../store/store.ts";
import { closed, integer, isoTime, nullable, text, time, version } from "../fields.ts";
import type { DefinedEntry, LiveCatalog } from "../live-catalog.ts";
import { type AdminContext, list, type Page, type Resource } from "../resource.ts";
import { readEntry, type StoredEntry, writeEntry } from "../stored-entries.ts";

/** Members of every entry. */
export const entryMembers = {
  id: text("The name of the entry."),
  source: Type.Enum(["api", "file", "environment", "built_in", "discovered"], {
    description: "Where it is defined. Only entries of `api` can be changed.",
  }),
  file_line: nullable(integer("Its line in the configuration file; null where it is defined elsewhere.")),
  created_at: nullable(time("When it was created; null where it is defined elsewhere.")),
  updated_at: nullable(time("When it was last changed.")),
  version: nullable(version),
};

export interface EntryKind {
  readonly kind: CatalogKind;
  readonly title: string;
  readonly catalog: () => LiveCatalog;
  /** Members of an entry in addition to the common ones. */
  members(id: string, entry: Pick<StoredEntry, "config" | "credentials" | "headerNames">): JsonObject;
}

function written({ title, members }: EntryKind, row: CatalogEntry): JsonObject {
  const entry = readEntry(row);
  return {
    object: title,
    id: row.name,
    source: "api",
    file_line: null,
    ...members(row.name, entry),
    created_at: isoTime(entry.createdAtMs),
    updated_at: isoTime(entry.updatedAtMs),
    version: row.version,
  };
}

function defined({ title, members }: EntryKind, { id, source, line, config }: DefinedEntry): JsonObject {
  const times = { created_at: null, updated_at: null, version: null };
  return { object: title, id, source, file_line: line ?? null, ...members(id, { config }), ...times };
}

async function getEntry(kind: EntryKind, { store }: AdminContext, id: string): Promise<JsonObject | undefined> {
  const elsewhere = kind
    .catalog()
    .defined(kind.kind)
    .find((entry) => entry.id === id);
  if (elsewhere !== undefined) return defined(kind, elsewhere);
  const row = await findCatalogEntry(store, kind.kind, id);
  return row === undefined ? undefined : written(kind, row);
}

/** A page of objects in memory, ordered by id. */
export function pageById(objects: readonly JsonObject[], limit: number, after: string | undefined): Page {
  const sorted = [...objects].sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
  const rest = after === undefined ? sorted : sorted.filter(({ id }) => String(id) > after);
  const data = rest.slice(0, limit);
  return { data, next: rest.length > limit ? [String(data.at(-1)?.id)] : null };
}

async function allEntries(kind: EntryKind, { store }: AdminContext): Promise<JsonObject[]> {
  const elsewhere = kind.catalog().defined(kind.kind);
  const taken = new Set(elsewhere.map(({ id }) => id));
  const rows = (await listCatalog(store)).filter((row) => row.kind === kind.kind && !taken.has(row.name));
  return [...elsewhere.map((entry) => defined(kind, entry)), ...rows.map((row) => written(kind, row))];
}

/** The read verbs of a kind of entry. */
export function readingVerbs(kind: EntryKind): Pick<Resource, "list" | "get"> {
  const filters: TObject = Type.Object({}, closed);
  return {
    list: list(filters, [""], async (context, { limit, after }) =>
      pageById(await allEntries(kind, context), limit, after?.[0] as string | undefined),
    ),
    get: (context, id) => getEntry(kind, context, id),
  };
}

const places: { readonly [source in DefinedEntry["source"]]: string } = {
  api: "the admin API",
  file: "the configuration file",
  environment: "an environment variable",
  built_in: "the gateway itself",
  discovered: "a model server on this machine",
};

/** Throws status 409 for an entry that is defined elsewhere. */
function refuseDefined({ kind, title, catalog }: EntryKind, id: string): void {
  const entry = catalog()
    .defined(kind)
    .find((each) => each.id === id);
  if (entry === undefined) return;
  throw new GatewayError(
    "defined_in_file",
    `The ${title} '${id}' is defined by ${places[entry.source]} and cannot be changed here.`,
    { code: entry.source === "file" ? "defined_in_file" : `defined_by_${entry.source}`, param: "id" },
  );
}

/** Writes a new entry. */
export async function createEntry(kind: EntryKind, { store }: AdminContext, id: string, entry: StoredEntry) {
  refuseDefined(kind, id);
  if ((await findCatalogEntry(store, kind.kind, id)) !== undefined)
    throw new GatewayError("already_exists", `The ${kind.title} '${id}' already exists.`, { param: "id" });
  await putEntry(kind, store, id, entry);
  return { id };
}

/** Changes an entry; `change` receives the stored one. */
export async function changeEntry(
  kind: EntryKind,
  { store, nowMs }: AdminContext,
  id: string,
  change: (before: StoredEntry) => Partial<StoredEntry>,
): Promise<void> {
  refuseDefined(kind, id);
  const row = await findCatalogEntry(store, kind.kind, id);
  if (row === undefined) throw new GatewayError("object_not_found", `The ${kind.title} does not exist.`);
  const before = readEntry(row);
  await putEntry(kind, store, id, { ...before, ...change(before), updatedAtMs: nowMs });
}

async function putEntry({ kind, catalog }: EntryKind, store: Store, name: string, entry: StoredEntry): Promise<void> {
  await putCatalogEntry(store, { kind, name, body: writeEntry(entry) });
  await catalog().check(store);
}

export async function deleteEntry(kind: EntryKind, { store }: AdminContext, id: string): Promise<void> {
  refuseDefined(kind, id);
  await removeCatalogEntry(store, kind.kind, id);
  await kind.catalog().check(store);
}
