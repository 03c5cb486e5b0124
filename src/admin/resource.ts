// The contract of a resource of the admin API: the schema of its objects, and its verbs. One file each, listed in
// resources/index.ts.
import type { Static, TObject, TSchema } from "typebox";
import type { JsonObject } from "../lib/json.ts";
import type { Store } from "../store/store.ts";
import type { Principal } from "./permissions.ts";

/** What a verb may use. In a change, `store` is the one of its transaction. */
export interface AdminContext {
  readonly store: Store;
  readonly nowMs: number;
  readonly principal: Principal;
  readonly requestId: string;
  /** The URL of the gateway as the caller reaches it, for links. */
  readonly base: string;
}

/** The start of the next page, opaque except to the resource. */
export type Position = readonly (string | number)[];

export interface PageRequest<Filters> {
  readonly filters: Filters;
  readonly limit: number;
  readonly after: Position | null;
}

/** At most `limit` objects; `next` is null at the end. */
export interface Page {
  readonly data: readonly JsonObject[];
  readonly next: Position | null;
}

export interface ListVerb {
  readonly filters: TObject;
  /** An example of a position: cursors are checked against the types of its parts. */
  readonly position: Position;
  run(context: AdminContext, page: PageRequest<JsonObject>): Promise<Page>;
}

/** The result of a change. */
export interface Changed {
  readonly id: string;
  /**
   * Members of the reply in addition to the object, such as a secret that is shown once. Not written to the audit log.
   */
  readonly once?: JsonObject;
}

interface CreateVerb {
  readonly body: TObject;
  /** Schemas of members of the reply in addition to the object. */
  readonly once?: Readonly<Record<string, TSchema>>;
  run(context: AdminContext, body: JsonObject): Promise<Changed>;
}

interface UpdateVerb {
  readonly body: TObject;
  run(context: AdminContext, id: string, body: JsonObject): Promise<void>;
}

interface DeleteVerb {
  run(context: AdminContext, id: string): Promise<void>;
}

/** An additional verb, `POST …/{id}/{name}`, or `POST …/{name}` for all objects. */
export interface Action {
  readonly summary: string;
  readonly scope: "object" | "collection";
  readonly body?: TObject;
  /** The schema of the reply; absent: the object after the change. */
  readonly reply?: TObject;
  /**
   * `transaction`: a change with its audit entry. `outside`: more than a change of the store; its entry is written
   * before it starts. `read`: changes nothing.
   */
  readonly effect: "transaction" | "outside" | "read";
  run(context: AdminContext, id: string, body: JsonObject): Promise<JsonObject | undefined>;
  /** What is written to the audit log for a change of several objects, without secrets. */
  readonly audited?: (reply: JsonObject) => JsonObject;
  /** What is written to the audit log before `outside` starts, without secrets. */
  readonly requested?: (body: JsonObject) => JsonObject;
}

export interface Resource {
  /** The name in the path. */
  readonly name: string;
  /** The name of one object in a sentence. */
  readonly title: string;
  /** Every member of an object. `id` identifies it; `version`, if it has one, changes with every change. */
  readonly object: TObject;
  /** Members that change by themselves: they are not written to the audit log. */
  readonly unaudited?: readonly string[];
  readonly list?: ListVerb;
  readonly get?: (context: AdminContext, id: string) => Promise<JsonObject | undefined>;
  readonly create?: CreateVerb;
  readonly update?: UpdateVerb;
  readonly delete?: DeleteVerb;
  readonly actions?: Readonly<Record<string, Action>>;
  /** Verbs with an endpoint of their own, since they answer with a file. */
  readonly files?: readonly string[];
  /** Runs after a change has been committed, before the reply. */
  readonly committed?: () => Promise<void>;
}

/** Ties the type of the filters to their schema. */
export function list<Filters extends TObject>(
  filters: Filters,
  position: Position,
  run: (context: AdminContext, page: PageRequest<Static<Filters>>) => Promise<Page>,
): ListVerb {
  return { filters, position, run: (context, page) => run(context, page as PageRequest<Static<Filters>>) };
}

export function create<Body extends TObject>(
  body: Body,
  run: (context: AdminContext, body: Static<Body>) => Promise<Changed>,
  once?: CreateVerb["once"],
): CreateVerb {
  const verb: CreateVerb = { body, run: (context, given) => run(context, given as Static<Body>) };
  return once === undefined ? verb : { ...verb, once };
}

export function update<Body extends TObject>(
  body: Body,
  run: (context: AdminContext, id: string, body: Static<Body>) => Promise<void>,
): UpdateVerb {
  return { body, run: (context, id, given) => run(context, id, given as Static<Body>) };
}

/** Expects one row more than the page, which shows whether there is a next page and where it starts. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  { write, place }: { write(row: Row): JsonObject; place(row: Row): Position },
): Page {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { data: shown.map(write), next: rows.length > limit && last !== undefined ? place(last) : null };
}

export type VerbName = string;

/** Every verb that a resource has, by name. */
export function verbsOf(resource: Resource): readonly VerbName[] {
  const usual = (["list", "get", "create", "update", "delete"] as const).filter((verb) => resource[verb] !== undefined);
  return [...usual, ...Object.keys(resource.actions ?? {})];
}
