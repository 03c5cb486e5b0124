// End users: everything that is held about one, and its deletion. The audit log has a keyed hash in place of the id.
import { Type } from "typebox";
import { deleteEndUser, referenceOf } from "../../gateway/end-users/delete.ts";
import { heldData } from "../../gateway/end-users/held-data.ts";
import type { LedgerReader } from "../../gateway/ledger/reader.ts";
import type { JsonObject } from "../../lib/json.ts";
import { closed, integer, text } from "../fields.ts";
import type { Action, Resource } from "../resource.ts";

export interface EndUserDependencies {
  readonly pepper: Uint8Array;
  readonly dataFolder: string;
  readonly reader: () => Pick<LedgerReader, "requests">;
  /** Makes a deletion count in this process at once. */
  readonly endUsersChanged: () => Promise<void>;
}

/** More of one end user is for the command line. */
const maxObjects = 10_000;

const body = Type.Object(
  {
    end_user: Type.String({ minLength: 1, maxLength: 512, description: "As requests named it." }),
    project_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "Its project. Default `default`." }),
    ),
  },
  closed,
);

const reference = text("Keyed hash of the end user, as in the audit log.");

const exported = Type.Object({
  object: Type.Literal("end_user_export"),
  reference,
  data: Type.Array(Type.Object({}), { description: "Requests, bodies, responses and videos; `type` names which." }),
  has_more: Type.Boolean({
    description: "Whether there is more than an answer can hold. `turnpike end-users export` has all.",
  }),
});

const deleted = Type.Object({
  object: Type.Literal("end_user_deletion"),
  reference,
  marker: text("What the ledger has in place of the end user's ID."),
  responses: integer("Stored responses that were deleted."),
  videos: integer("Videos that were deleted."),
});

const plain = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

const wanted = ({ end_user: endUser, project_id: project }: JsonObject) => ({
  endUser: String(endUser),
  project: project === undefined ? "default" : String(project),
});

/** Who exports whose data is in the audit log. */
const audited = ({ reference: hash }: JsonObject): JsonObject => ({ reference: hash ?? null });

function exportAction({ pepper, dataFolder, reader }: EndUserDependencies): Action {
  return {
    summary:
      "Returns what is held about an end user: requests and bodies of this instance, responses and videos of all.",
    ...{ scope: "collection", effect: "transaction", body, reply: exported, audited },
    async run({ store }, _id, given) {
      const { project, endUser } = wanted(given);
      const data: JsonObject[] = [];
      const sources = {
        store,
        dataFolder,
        requests: (query: Parameters<LedgerReader["requests"]>[0]) => reader().requests(query),
      };
      for await (const object of heldData(sources, project, endUser)) {
        if (data.length === maxObjects) break;
        data.push(JSON.parse(JSON.stringify(object, plain)) as JsonObject);
      }
      const hash = referenceOf(pepper, project, endUser);
      return { object: "end_user_export", reference: hash, data, has_more: data.length === maxObjects };
    },
  };
}

function eraseAction({ pepper }: EndUserDependencies): Action {
  return {
    summary: "Deletes an end user's content, and replaces its ID in every ledger. Sums stay.",
    ...{ scope: "collection", effect: "transaction", body, reply: deleted, audited },
    async run({ store, nowMs }, _id, given) {
      const { project, endUser } = wanted(given);
      const deletion = await deleteEndUser(store, { pepper, project, endUser, nowMs });
      return { object: "end_user_deletion", reference: referenceOf(pepper, project, endUser), ...deletion };
    },
  };
}

export function endUsers(dependencies: EndUserDependencies): Resource {
  return {
    ...{ name: "end-users", title: "end user", object: exported },
    committed: dependencies.endUsersChanged,
    actions: { export: exportAction(dependencies), erase: eraseAction(dependencies) },
  };
}
