// How keys are shown on the command line: all of them as a table, or the one that was changed.
import { fileKeyId } from "../config/access.ts";
import type { Rules } from "../gateway/policy/rules.ts";
import type { KeyRow } from "../store/keys.ts";
import { listProjects } from "../store/projects.ts";
import type { Store } from "../store/store.ts";
import type { Opened } from "./open.ts";
import { jsonText } from "./print.ts";

/** A key of the store or the file, as `list` shows it. */
interface ListedKey {
  readonly name: string;
  readonly id: string;
  readonly key: string;
  readonly state: "live" | "revoked" | "disabled" | "expired";
  readonly project: string;
  readonly created: string | null;
  readonly expires: string | null;
  readonly source: "store" | "file";
  readonly rules: Rules | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

function stateOf(row: KeyRow): ListedKey["state"] {
  if (row.revokedAtMs !== null) return "revoked";
  if (row.disabledAtMs !== null) return "disabled";
  return row.expiresAtMs !== null && row.expiresAtMs <= Date.now() ? "expired" : "live";
}

const day = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString().slice(0, 10));

/** A key of the store; `projects` has the names of projects by id. */
export const listed = (row: KeyRow, projects: ReadonlyMap<string, string>): ListedKey => ({
  name: row.name,
  id: row.id,
  key: row.preview,
  state: stateOf(row),
  created: day(row.createdAtMs),
  expires: day(row.expiresAtMs),
  source: "store",
  project: projects.get(row.projectId) ?? row.projectId,
  rules: row.rules === null ? null : (JSON.parse(row.rules) as Rules),
  metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, string>),
});

/** A key of the file. */
export const declared = (name: string): ListedKey => ({
  project: "",
  rules: null,
  metadata: null,
  name,
  id: fileKeyId(name),
  key: "…",
  state: "live",
  created: null,
  expires: null,
  source: "file",
});

/** The columns of the table. */
export const columns = ["name", "id", "key", "state", "created", "expires", "source", "project"] as const;

/** By id. */
export const projectNames = async (store: Store): Promise<ReadonlyMap<string, string>> =>
  new Map((await listProjects(store)).map(({ id, name }) => [id, name]));

/** The key as `list` shows it, or a sentence: `done` is the end of it. */
export async function printChange({ store }: Opened, row: KeyRow, asJson: boolean, done: string): Promise<void> {
  const sentence = `Key '${row.name}' (${row.id}) is ${done}`;
  console.log(asJson ? jsonText(listed(row, await projectNames(store))) : sentence.replace(/\.?$/, "."));
}
