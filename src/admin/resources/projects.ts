// Projects, which group keys, with the rules for all of their keys together.
import { type Static, Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import { changedProject, createProject, editProject, namePattern } from "../../gateway/policy/key-changes.ts";
import { type ProjectRules, projectSchema, readProjectRules } from "../../gateway/policy/rules.ts";
import type { JsonObject } from "../../lib/json.ts";
import { listProjects, type ProjectRow, removeProject } from "../../store/projects.ts";
import type { Store } from "../../store/store.ts";
import { closed, integer, isoTime, nullable, text, time, version } from "../fields.ts";
import { create, list, type Resource, update } from "../resource.ts";
import { pageById } from "./catalog-entries.ts";

export interface ProjectDependencies {
  /** Projects of the configuration file, by id. */
  readonly declaredProjects: () => ReadonlyMap<string, ProjectRules>;
  /** The line of a project of the file, by its name. */
  readonly projectLine: (name: string) => number;
  readonly keysChanged: () => Promise<void>;
}

const name = Type.String({ minLength: 1, maxLength: 64, description: "1 to 64 letters, digits or . _ @ : -" });
const givenName = Type.String({ ...name, pattern: namePattern });
const rules = Type.Object(projectSchema.properties, {
  ...closed,
  description: "What the project's keys may do together, what new keys inherit, and how end users are counted.",
});

const object = Type.Object({
  object: Type.Literal("project"),
  id: text("The project's ID."),
  source: Type.Enum(["api", "file"], { description: "Where it is defined. Projects of the file are read-only here." }),
  file_line: nullable(integer("Its line in the configuration file.")),
  name,
  organization_id: text("Its organization."),
  rules,
  created_at: nullable(time("When it was created.")),
  version: nullable(version),
});

const newProject = Type.Object({ name: givenName, rules: Type.Optional(rules) }, closed);
const changedFields = Type.Object({ name: Type.Optional(givenName), rules: Type.Optional(rules) }, closed);

function written(row: ProjectRow): JsonObject {
  return {
    object: "project",
    ...{ id: row.id, source: "api", file_line: null, name: row.name, organization_id: row.organizationId },
    rules: row.rules === null ? {} : (readProjectRules(row.rules) as JsonObject),
    ...{ created_at: isoTime(row.createdAtMs), version: row.version },
  };
}

function declared(id: string, given: ProjectRules, { projectLine }: ProjectDependencies): JsonObject {
  const own = id.replace(/^file:/, "");
  return {
    object: "project",
    ...{ id, source: "file", file_line: projectLine(own), name: own, organization_id: "default" },
    ...{ rules: given as JsonObject, created_at: null, version: null },
  };
}

/** Those of the file take precedence over those of the store, as for requests. */
async function allProjects(dependencies: ProjectDependencies, store: Store): Promise<JsonObject[]> {
  const file = dependencies.declaredProjects();
  const rows = (await listProjects(store)).filter((row) => row.removedAtMs === null && !file.has(row.id));
  return [...[...file].map(([id, given]) => declared(id, given, dependencies)), ...rows.map(written)];
}

function refuseDeclared({ declaredProjects }: ProjectDependencies, id: string): void {
  if (!declaredProjects().has(id)) return;
  throw new GatewayError(
    "defined_in_file",
    `The project '${id}' is defined by the configuration file and cannot be changed here.`,
    { param: "id" },
  );
}

function editOf({ name: given, rules: all }: Static<typeof changedFields>) {
  return { ...(given === undefined ? {} : { name: given }), ...(all === undefined ? {} : { rules: all }) };
}

export function projects(dependencies: ProjectDependencies): Resource {
  return {
    ...{ name: "projects", title: "project", object },
    list: list(Type.Object({}, closed), [""], async ({ store }, { limit, after }) =>
      pageById(await allProjects(dependencies, store), limit, after?.[0] as string | undefined),
    ),
    get: async ({ store }, id) => (await allProjects(dependencies, store)).find((project) => project.id === id),
    create: create(newProject, async ({ store, nowMs }, body) => {
      const { id } = await createProject(store, { name: body.name, rules: body.rules ?? {}, nowMs });
      return { id };
    }),
    update: update(changedFields, async ({ store }, id, body) => {
      refuseDeclared(dependencies, id);
      await editProject(store, id, editOf(body));
    }),
    delete: {
      async run({ store, nowMs }, id) {
        refuseDeclared(dependencies, id);
        if (id === "default")
          throw new GatewayError("already_exists", "The project 'default' is always there.", {
            code: "project_in_use",
          });
        changedProject(await removeProject(store, id, nowMs), id);
      },
    },
    committed: dependencies.keysChanged,
  };
}
