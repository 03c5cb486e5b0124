// Client keys with their rules. A secret is shown once, if the gateway generated it.
import { type Static, Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import { createKey, editKey, findKeyProject, type KeyEdit, revoke, rotate } from "../../gateway/policy/key-changes.ts";
import { type ProjectRules, type Rules, readRules } from "../../gateway/policy/rules.ts";
import type { JsonObject } from "../../lib/json.ts";
import { findKeyById, type KeyState, listKeyPage } from "../../store/key-pages.ts";
import type { KeyRow } from "../../store/keys.ts";
import { closed, isoTime, isoTimeOrNull, nullable, text } from "../fields.ts";
import { msOf } from "../query.ts";
import { type Action, type AdminContext, create, list, type Page, type Resource, update } from "../resource.ts";
import { changedKey, filters, givenSecret, newKey, object } from "./key-schemas.ts";

/** A key that the configuration file declares. */
export interface DeclaredKeyEntry {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly rules: Rules;
  readonly expiresAtMs: number | null;
  /** Its line in the file. */
  readonly line: number;
}

export interface KeyDependencies {
  readonly pepper: Uint8Array;
  readonly declaredKeys: () => readonly DeclaredKeyEntry[];
  readonly declaredProjects: () => ReadonlyMap<string, ProjectRules>;
  /** Applies a change in this process at once. */
  readonly keysChanged: () => Promise<void>;
}

function stateOf({ revokedAtMs, disabledAtMs, expiresAtMs }: KeyRow, nowMs: number): KeyState {
  if (revokedAtMs !== null) return "revoked";
  if (disabledAtMs !== null) return "disabled";
  return expiresAtMs !== null && expiresAtMs <= nowMs ? "expired" : "active";
}

const plainRules = (value: Rules): JsonObject => value as JsonObject;

function written(row: KeyRow, nowMs: number): JsonObject {
  return {
    object: "key",
    ...{
      id: row.id,
      source: "api",
      file_line: null,
      name: row.name,
      project_id: row.projectId,
      state: stateOf(row, nowMs),
    },
    preview: row.preview,
    rules: row.rules === null ? {} : plainRules(readRules(row.rules)),
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as JsonObject),
    created_at: isoTime(row.createdAtMs),
    expires_at: isoTimeOrNull(row.expiresAtMs),
    disabled_at: isoTimeOrNull(row.disabledAtMs),
    revoked_at: isoTimeOrNull(row.revokedAtMs),
    work_ended_at: isoTimeOrNull(row.workEndedAtMs),
    previous_until: isoTimeOrNull(row.previousUntilMs),
    version: row.version,
  };
}

function declared(key: DeclaredKeyEntry, nowMs: number) {
  const { id, name: own, projectId: project, rules: given, expiresAtMs, line } = key;
  const isOver = expiresAtMs !== null && expiresAtMs <= nowMs;
  return {
    object: "key",
    ...{
      id,
      source: "file",
      file_line: line,
      name: own,
      project_id: project,
      state: isOver ? "expired" : "active",
      preview: "…",
    },
    ...{ rules: plainRules(given), metadata: null, created_at: null, expires_at: isoTimeOrNull(expiresAtMs) },
    ...{ disabled_at: null, revoked_at: null, work_ended_at: null, previous_until: null, version: null },
  };
}

function expiryOf(value: string | null | undefined): number | null {
  return value === null || value === undefined ? null : msOf("expires_at", value);
}

async function projectOf({ declaredProjects }: KeyDependencies, { store }: AdminContext, id = "default") {
  const project = await findKeyProject(store, declaredProjects(), id);
  if (project.id === id) return project;
  throw new GatewayError("invalid_value", "Invalid 'project_id': no project has this ID.", { param: "project_id" });
}

async function made(dependencies: KeyDependencies, context: AdminContext, body: Static<typeof newKey>) {
  const { pepper } = dependencies;
  const { store, nowMs } = context;
  const project = await projectOf(dependencies, context, body.project_id);
  const { row, secret } = await createKey(store, pepper, {
    ...{ name: body.name, project, rules: body.rules ?? {}, secret: body.secret ?? null, nowMs },
    ...{ expiresAtMs: expiryOf(body.expires_at), metadata: body.metadata ?? null },
  });
  return { row, secret: body.secret === undefined ? secret : null };
}

const secretOnce = { secret: nullable(text("The key, where the gateway made it. It is not shown again.")) };

function refuseDeclared({ declaredKeys }: KeyDependencies, id: string): void {
  if (!declaredKeys().some((key) => key.id === id)) return;
  throw new GatewayError(
    "defined_in_file",
    `The key '${id}' is defined by the configuration file and cannot be changed here.`,
    {
      param: "id",
    },
  );
}

async function change(
  dependencies: KeyDependencies,
  context: AdminContext,
  id: string,
  body: Static<typeof changedKey>,
): Promise<void> {
  const { store, nowMs } = context;
  const project = body.project_id === undefined ? undefined : await projectOf(dependencies, context, body.project_id);
  const before = await findKeyById(store, id);
  const disabledAtMs = body.disabled === true ? (before?.disabledAtMs ?? nowMs) : null;
  const edit: KeyEdit = {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(project === undefined ? {} : { projectId: project.id }),
    ...(body.expires_at === undefined ? {} : { expiresAtMs: expiryOf(body.expires_at) }),
    ...(body.disabled === undefined ? {} : { disabledAtMs }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata === null ? null : JSON.stringify(body.metadata) }),
    ...(body.rules === undefined ? {} : { rules: body.rules }),
  };
  await editKey(store, id, edit);
}

const maxBatch = 100;
const maxGraceSeconds = 2_592_000;

function batchAction(dependencies: KeyDependencies): Action {
  return {
    summary: "Creates several keys, all of them or none.",
    ...{ scope: "collection", effect: "transaction" },
    body: Type.Object({ keys: Type.Array(newKey, { minItems: 1, maxItems: maxBatch, description: "Keys." }) }, closed),
    reply: Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(Type.Object({ ...object.properties, ...secretOnce })),
    }),
    async run(context, _id, body) {
      const created: JsonObject[] = [];
      for (const each of body.keys as unknown as Static<typeof newKey>[]) {
        const { row, secret } = await made(dependencies, context, each);
        created.push({ ...written(row, context.nowMs), secret });
      }
      return { object: "list", data: created };
    },
    audited: ({ data }) => ({ ids: (data as JsonObject[]).map(({ id }) => id ?? null) }),
  };
}

function rotateAction(dependencies: KeyDependencies): Action {
  return {
    summary: "Gives a key a new secret. ID, rules and counters stay.",
    ...{ scope: "object", effect: "transaction" },
    body: Type.Object(
      {
        grace_seconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: maxGraceSeconds,
            description: "The old secret is accepted so long. Default 0.",
          }),
        ),
        secret: Type.Optional(givenSecret),
      },
      closed,
    ),
    async run({ store, nowMs }, id, body) {
      refuseDeclared(dependencies, id);
      const given = (body.secret as string | undefined) ?? null;
      const graceMs = Number(body.grace_seconds ?? 0) * 1_000;
      const { secret } = await rotate(store, dependencies.pepper, id, { secret: given, graceMs, nowMs });
      return { secret: given === null ? secret : null };
    },
  };
}

function revokeAction(dependencies: KeyDependencies): Action {
  return {
    summary: "Revokes a key at once. Doing it again changes nothing.",
    ...{ scope: "object", effect: "transaction" },
    body: Type.Object(
      {
        now: Type.Optional(
          Type.Boolean({
            description: "End its requests, background responses and videos too. Default false: they may finish.",
          }),
        ),
      },
      closed,
    ),
    async run({ store, nowMs }, id, { now }) {
      refuseDeclared(dependencies, id);
      await revoke(store, id, { endsWork: now === true, nowMs });
      return undefined;
    },
  };
}

type Filters = Static<typeof filters>;

/** Keys of the file come last, because they have no creation time. */
async function page(
  { declaredKeys }: KeyDependencies,
  { store, nowMs }: AdminContext,
  { filters: wanted, limit, after }: { filters: Filters; limit: number; after: readonly (string | number)[] | null },
): Promise<Page> {
  const [createdAtMs, id] = (after ?? []) as [number?, string?];
  const isInFile = createdAtMs === -1;
  const place = createdAtMs === undefined || id === undefined ? {} : { after: { createdAtMs, id } };
  const { project_id: projectId, name: own, state } = wanted;
  const listing = { projectId, name: own, state, nowMs, limit: limit + 1, ...place };
  const rows = isInFile ? [] : await listKeyPage(store, listing);
  const stored = rows.map((row) => ({ shown: written(row, nowMs), place: [row.createdAtMs, row.id] }));
  const file = declaredKeys()
    .map((key) => ({ shown: declared(key, nowMs) as JsonObject, place: [-1, key.id] }))
    .filter(({ shown }) => projectId === undefined || shown.project_id === projectId)
    .filter(({ shown }) => (own === undefined || shown.name === own) && (state === undefined || shown.state === state))
    .filter(({ place: [, fileId = ""] }) => !isInFile || String(fileId) > (id ?? ""))
    .sort((one, other) => (String(one.place[1]) < String(other.place[1]) ? -1 : 1));
  const all = [...stored, ...file];
  const last = all[limit - 1];
  return {
    data: all.slice(0, limit).map(({ shown }) => shown),
    next: all.length > limit && last !== undefined ? last.place : null,
  };
}

export function keys(dependencies: KeyDependencies): Resource {
  return {
    ...{ name: "keys", title: "key", object },
    list: list(filters, [0, ""], (context, request) => page(dependencies, context, request)),
    async get({ store, nowMs }, id) {
      const inFile = dependencies.declaredKeys().find((key) => key.id === id);
      if (inFile !== undefined) return declared(inFile, nowMs);
      const row = await findKeyById(store, id);
      return row === undefined ? undefined : written(row, nowMs);
    },
    create: create(
      newKey,
      async (context, body) => {
        const { row, secret } = await made(dependencies, context, body);
        return { id: row.id, once: { secret } };
      },
      secretOnce,
    ),
    update: update(changedKey, async (context, id, body) => {
      refuseDeclared(dependencies, id);
      await change(dependencies, context, id, body);
    }),
    committed: dependencies.keysChanged,
    actions: {
      batch: batchAction(dependencies),
      rotate: rotateAction(dependencies),
      revoke: revokeAction(dependencies),
    },
  };
}
