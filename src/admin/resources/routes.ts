// Routes: model names that the operator defines, with their candidates in order.
import { type TObject, Type } from "typebox";
import type { JsonObject } from "../../lib/json.ts";
import { closed } from "../fields.ts";
import type { LiveCatalog } from "../live-catalog.ts";
import { create, type Resource, update } from "../resource.ts";
import {
  changeEntry,
  createEntry,
  deleteEntry,
  type EntryKind,
  entryMembers,
  readingVerbs,
} from "./catalog-entries.ts";
import { type ExplainDependencies, explainAction } from "./route-explanation.ts";

interface RouteDependencies extends ExplainDependencies {
  readonly catalog: () => LiveCatalog;
  /** The schema of an entry in the configuration file. */
  readonly schema: TObject;
}

const id = Type.String({ pattern: "^\\S{1,200}$", description: "The model name that clients use, without spaces." });

const object = Type.Object({
  object: Type.Literal("route"),
  ...entryMembers,
  config: Type.Object({}, { description: "As in `models.<name>` of the configuration file." }),
});

export function routes(dependencies: RouteDependencies): Resource {
  const { catalog, schema } = dependencies;
  const kind: EntryKind = { kind: "route", title: "route", catalog, members: (_id, { config }) => ({ config }) };
  return {
    ...{ name: "routes", title: "route", object },
    ...readingVerbs(kind),
    create: create(Type.Object({ id, config: schema }, closed), (context, body) => {
      const { nowMs } = context;
      const entry = { config: body.config as JsonObject, createdAtMs: nowMs, updatedAtMs: nowMs };
      return createEntry(kind, context, body.id, entry);
    }),
    update: update(Type.Object({ config: schema }, closed), (context, name, body) =>
      changeEntry(kind, context, name, () => ({ config: body.config as JsonObject })),
    ),
    delete: { run: (context, name) => deleteEntry(kind, context, name) },
    committed: () => catalog().refresh(),
    actions: { explain: explainAction(dependencies) },
  };
}
