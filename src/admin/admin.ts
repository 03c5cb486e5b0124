// One request to the admin API: permission, validation, the verb, and for a change its transaction with an audit entry.
import { GatewayError } from "../canonical/error.ts";
import type { Clock } from "../lib/clock.ts";
import type { JsonObject } from "../lib/json.ts";
import { type AuditEntry, appendAudit, lockAudit } from "../store/audit.ts";
import { failureOf } from "../store/failure.ts";
import type { Store } from "../store/store.ts";
import { type Principal, requireVerb, requireWritable, visible } from "./permissions.ts";
import { readPage, refuseUnknown, type Validate, writeCursor } from "./query.ts";
import type { Action, AdminContext, Resource, VerbName } from "./resource.ts";

interface AdminRequest {
  readonly principal: Principal;
  readonly requestId: string;
  readonly query: URLSearchParams;
  /** Empty for verbs about all objects. */
  readonly id: string;
  readonly body: JsonObject;
  /** The header `If-Match`. */
  readonly ifMatch: string | null;
  /** The URL of the gateway as the caller reaches it, for links. */
  readonly base: string;
}

export interface AdminReply {
  readonly status: number;
  readonly body: JsonObject;
  /** For the header `ETag`. */
  readonly version?: number;
}

interface AdminDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly validate: Validate;
}

export interface Admin {
  run(resource: Resource, verb: VerbName, request: AdminRequest): Promise<AdminReply>;
}

const maxTries = 20;

const notFound = ({ title }: Resource): GatewayError =>
  new GatewayError("object_not_found", `The ${title} does not exist.`);

/** Throws status 412 for a change based on an older version. */
function checkVersion({ version }: JsonObject, ifMatch: string | null): void {
  if (ifMatch === null || ifMatch.trim() === "*" || typeof version !== "number") return;
  const accepted = ifMatch.split(",").map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, "$1"));
  if (accepted.includes(String(version))) return;
  throw new GatewayError("version_conflict", `The object has changed: its version is ${version}. Read it again.`, {
    param: "if-match",
  });
}

/** Members that differ, before and after. */
function difference(before: JsonObject, after: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const of = (object: JsonObject) => Object.fromEntries(changed.map((name) => [name, object[name] ?? null]));
  return { before: of(before), after: of(after) };
}

function duplicateOf(resource: Resource, thrown: unknown): unknown {
  const failure = failureOf(thrown);
  if (failure.kind !== "duplicate") return thrown;
  const param = failure.index.split(".")[1] ?? null;
  return new GatewayError("already_exists", `Another ${resource.title} has this ${param ?? "value"}.`, { param });
}

interface Change {
  readonly action: string;
  readonly id: string;
  readonly before?: JsonObject | undefined;
  readonly after?: JsonObject | undefined;
}

/** The result of a change, with members of the reply in addition to the object. */
interface Done {
  readonly change: Change;
  readonly more?: JsonObject | undefined;
}

/** A request with everything that its verb uses. */
interface Call extends AdminRequest {
  readonly dependencies: AdminDependencies;
  readonly resource: Resource;
}

function contextOf({ dependencies, principal, requestId, base }: Call, inside = dependencies.store): AdminContext {
  return { store: inside, nowMs: dependencies.clock.nowMs(), principal, requestId, base };
}

async function objectOf({ resource, id }: Call, context: AdminContext, other = id): Promise<JsonObject> {
  const object = await resource.get?.(context, other);
  if (object === undefined) throw notFound(resource);
  return object;
}

function audited({ unaudited }: Resource, object: JsonObject | undefined): JsonObject | undefined {
  if (object === undefined || unaudited === undefined) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !unaudited.includes(name)));
}

function entryOf({ dependencies, principal, requestId, resource }: Call, change: Change): AuditEntry {
  const { action, id } = change;
  const [before, after] = [audited(resource, change.before), audited(resource, change.after)];
  const both = before !== undefined && after !== undefined;
  return {
    atMs: dependencies.clock.nowMs(),
    actorKind: principal.kind,
    actorId: principal.id,
    actorName: principal.name,
    action,
    resource: resource.name,
    objectId: id === "" ? null : id,
    requestId,
    change: JSON.stringify(both ? difference(before, after) : { before, after }),
  };
}

/** Commits the change together with its audit entry, or neither. */
async function inTransaction(call: Call, work: (context: AdminContext) => Promise<Done>): Promise<Done> {
  const { dependencies, resource } = call;
  const run = async (inside: Store): Promise<Done> => {
    const head = await lockAudit(inside);
    const done = await work(contextOf(call, inside));
    await appendAudit(inside, head, entryOf(call, done.change));
    return done;
  };
  for (let tries = 1; ; tries++) {
    try {
      const done = await dependencies.store.transaction(run);
      await resource.committed?.();
      return done;
    } catch (thrown) {
      const failure = failureOf(thrown);
      const lostRace = failure.kind === "duplicate" && failure.index.endsWith(".version");
      if (!lostRace || tries === maxTries) throw duplicateOf(resource, thrown);
    }
  }
}

async function list(call: Call): Promise<AdminReply> {
  const { resource, principal, dependencies, query } = call;
  const { list: verb, name } = resource;
  if (verb === undefined) throw notFound(resource);
  const page = readPage(query, name, verb, dependencies.validate);
  const { data, next } = await verb.run(contextOf(call), page);
  const shown = data.map((object) => visible(principal, name, object));
  const cursor = next === null ? null : writeCursor(name, page.filters, next);
  return { status: 200, body: { object: "list", data: shown, has_more: next !== null, next_cursor: cursor } };
}

async function create(call: Call): Promise<AdminReply> {
  const { create: verb } = call.resource;
  if (verb === undefined) throw notFound(call.resource);
  const done = await inTransaction(call, async (context) => {
    const { id, once } = await verb.run(context, call.body);
    return { change: { action: "create", id, after: await objectOf(call, context, id) }, more: once };
  });
  return { ...replyWith(call, done), status: 201 };
}

/** A change of one object, based on the version that the client has read. */
function changing(call: Call, action: string, run: (context: AdminContext) => Promise<JsonObject | undefined>) {
  return inTransaction(call, async (context) => {
    const before = await objectOf(call, context);
    checkVersion(before, call.ifMatch);
    const more = await run(context);
    const after = action === "delete" ? undefined : await objectOf(call, context);
    return { change: { action, id: call.id, before, after }, more };
  });
}

async function update(call: Call): Promise<AdminReply> {
  const { update: verb } = call.resource;
  const done = await changing(call, "update", async (context) => {
    await verb?.run(context, call.id, call.body);
    return undefined;
  });
  return replyWith(call, done);
}

async function remove(call: Call): Promise<AdminReply> {
  const { resource, id } = call;
  await changing(call, "delete", async (context) => {
    await resource.delete?.run(context, id);
    return undefined;
  });
  return { status: 200, body: { object: `${objectNameOf(resource)}.deleted`, id, deleted: true } };
}

async function act(call: Call, name: string, action: Action): Promise<AdminReply> {
  const { id, body, ifMatch } = call;
  const isAboutOne = action.scope === "object";
  if (action.effect === "transaction" && isAboutOne)
    return replyWith(call, await changing(call, name, (context) => action.run(context, id, body)));
  if (action.effect === "transaction") {
    const run = async (context: AdminContext): Promise<Done> => {
      const more = await action.run(context, id, body);
      return { more, change: { action: name, id, after: action.audited?.(more ?? {}) } };
    };
    return replyWith(call, await inTransaction(call, run));
  }
  const context = contextOf(call);
  if (isAboutOne) checkVersion(await objectOf(call, context), ifMatch);
  const requested = action.requested?.(body);
  if (action.effect === "outside")
    await inTransaction(call, async () => ({ change: { action: name, id, after: requested } }));
  const reply = await action.run(context, id, body);
  return replyWith(call, { change: { action: name, id, after: reply ?? (await objectOf(call, context)) } });
}

function replyWith({ resource, principal }: Call, { change: { after = {} }, more }: Done): AdminReply {
  const body = visible(principal, resource.name, { ...after, ...more });
  const { version } = after;
  return { status: 200, body, ...(typeof version === "number" ? { version } : {}) };
}

async function run(call: Call, verb: VerbName): Promise<AdminReply> {
  const { resource, principal, body, dependencies } = call;
  requireVerb(principal, resource.name, verb);
  if (verb === "list") return await list(call);
  refuseUnknown(call.query, []);
  if (verb === "get")
    return replyWith(call, { change: { action: verb, id: call.id, after: await objectOf(call, contextOf(call)) } });
  const schema = bodyOf(resource, verb);
  if (schema !== undefined) {
    dependencies.validate(schema, body);
    requireWritable(principal, resource.name, body);
  }
  if (verb === "create") return await create(call);
  if (verb === "update") return await update(call);
  if (verb === "delete") return await remove(call);
  const action = resource.actions?.[verb];
  if (action === undefined) throw notFound(resource);
  return await act(call, verb, action);
}

export function createAdmin(dependencies: AdminDependencies): Admin {
  return { run: (resource, verb, request) => run({ ...request, resource, dependencies }, verb) };
}

/** The schema of the body of a verb; undefined where it has none. */
export function bodyOf(resource: Resource, verb: VerbName) {
  if (verb === "create" || verb === "update") return resource[verb]?.body;
  return resource.actions?.[verb]?.body;
}

/** The value of `object` in an object: `service_token`. */
export const objectNameOf = ({ title }: Pick<Resource, "title">): string => title.replaceAll(" ", "_");
