// Projects, which group keys. Their rules are JSON text, which gateway/policy/rules.ts parses.
import { type Static, Type } from "typebox";
import { isLostRace, laterVersion, nextVersion, numbered, tableVersion } from "./change-counter.ts";
import { failureOf } from "./failure.ts";
import { IntColumn, NullableInt, NullableText, rowReader } from "./rows.ts";
import type { SqlValue, Store } from "./store.ts";

const shape = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  name: Type.String(),
  rules: NullableText,
  createdAtMs: IntColumn,
  removedAtMs: NullableInt,
  version: IntColumn,
});

export type ProjectRow = Static<typeof shape>;
type NewProject = Omit<ProjectRow, "removedAtMs" | "version">;

/** `taken`: another project has the name. `stale`: the row has another version than expected. */
export type ProjectChanged =
  | { readonly kind: "written"; readonly project: ProjectRow }
  | { readonly kind: "taken" | "missing" | "stale" | "in_use" };

const readProjects = rowReader("projects", shape);
const columns = `id, organization_id as "organizationId", name, rules, created_at_ms as "createdAtMs",
  removed_at_ms as "removedAtMs", version`;
const next = `version = ${laterVersion("projects", nextVersion("projects"))}`;

async function written(write: () => Promise<readonly unknown[]>): Promise<ProjectChanged | null> {
  try {
    const project = readProjects(await write())[0];
    return project === undefined ? null : { kind: "written", project };
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (failure.kind !== "duplicate" || isLostRace(failure, "projects")) throw thrown;
    return { kind: "taken" };
  }
}

/** Adds a project with a name that no other project of its organization has. */
export async function insertProject(store: Store, project: NewProject): Promise<ProjectChanged> {
  const { id, organizationId, name, rules, createdAtMs } = project;
  const sql = `insert into projects (id, organization_id, name, rules, created_at_ms, version)
    values ($1, $2, $3, $4, $5, ${nextVersion("projects")}) returning ${columns}`;
  const values = [id, organizationId, name, rules, createdAtMs];
  return (await written(() => numbered(store, "projects", sql, values))) ?? { kind: "taken" };
}

/** Why a change affected no row; `otherwise` if the project exists. */
async function missed(store: Store, id: SqlValue, otherwise: "stale" | "in_use"): Promise<ProjectChanged> {
  const rows = readProjects(await store.query(`select ${columns} from projects where id = $1`, [id]));
  return { kind: rows[0]?.removedAtMs === null ? otherwise : "missing" };
}

/** Changes a project, only if it has version `ifVersion` when that is given. */
export async function updateProject(
  store: Store,
  id: string,
  change: Partial<Pick<ProjectRow, "name" | "rules">>,
  ifVersion: number | null = null,
): Promise<ProjectChanged> {
  const names = Object.keys(change) as (keyof typeof change)[];
  // Parameters must appear in the order of their numbers, because SQLite counts them.
  const sets = names.map((name, index) => `${name} = $${index + 1}`);
  const condition = ifVersion === null ? "" : `and version = $${sets.length + 2}`;
  const sql = `update projects set ${[...sets, next].join(", ")} where id = $${sets.length + 1}
    and removed_at_ms is null ${condition} returning ${columns}`;
  const values = [...names.map((name) => change[name] ?? null), id, ...(ifVersion === null ? [] : [ifVersion])];
  return (await written(() => numbered(store, "projects", sql, values))) ?? (await missed(store, id, "stale"));
}

/** Removes a project without live keys. Its row stays for the requests that refer to it. */
export async function removeProject(store: Store, id: string, nowMs: number): Promise<ProjectChanged> {
  const sql = `update projects set removed_at_ms = $1, ${next} where id = $2 and removed_at_ms is null
    and not exists (select 1 from keys where project_id = $2 and revoked_at_ms is null) returning ${columns}`;
  const removed = await written(() => numbered(store, "projects", sql, [nowMs, id]));
  return removed ?? (await missed(store, id, "in_use"));
}

/** All projects, including removed ones, in the order of their last change; with `afterVersion` only later changes. */
export async function listProjects(store: Store, afterVersion = 0): Promise<ProjectRow[]> {
  const sql = `select ${columns} from projects where version > $1 order by version`;
  return readProjects(await store.query(sql, [afterVersion]));
}

/** Changes whenever any project changes. */
export const projectsVersion = (store: Store): Promise<number> => tableVersion(store, "projects");
