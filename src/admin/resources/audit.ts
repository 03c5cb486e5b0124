// The audit log: list and verification.
import { Type } from "typebox";
import type { JsonObject } from "../../lib/json.ts";
import { type AuditRow, findAudit, listAudit, verifyAudit } from "../../store/audit.ts";
import { closed, givenTime, integer, isoTime, nullable, shortText, text, time } from "../fields.ts";
import { msOf } from "../query.ts";
import { list, pageOf, type Resource } from "../resource.ts";

const object = Type.Object({
  object: Type.Literal("audit_entry"),
  id: text("The number of the entry: entries are numbered without gaps."),
  created_at: time("When the change was made."),
  actor: Type.Object({ kind: text("`admin_key` or `service_token`."), id: text("ID."), name: text("Name.") }),
  action: text("The verb, such as `create` or `revoke`."),
  resource: text("The resource, as in its path."),
  object_id: nullable(text("ID of the object.")),
  request_id: text("The `x-request-id` of the request."),
  change: Type.Object({}, { description: "Members that changed, `before` and `after`. Secrets are never included." }),
  previous_hash: text("Hash of the entry before it."),
  hash: text("SHA-256 of the previous hash and the entry."),
});

const filters = Type.Object(
  {
    resource: Type.Optional(shortText("Only changes of this resource.")),
    object_id: Type.Optional(shortText("Only changes of this object.")),
    actor_id: Type.Optional(shortText("Only changes by this actor.")),
    since: Type.Optional(givenTime("From this time on.")),
    until: Type.Optional(givenTime("Before this time.")),
  },
  closed,
);

function written(row: AuditRow): JsonObject {
  return {
    object: "audit_entry",
    id: String(row.seq),
    created_at: isoTime(row.atMs),
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    action: row.action,
    resource: row.resource,
    object_id: row.objectId,
    request_id: row.requestId,
    change: JSON.parse(row.change) as JsonObject,
    previous_hash: row.previousHash,
    hash: row.hash,
  };
}

export const audit: Resource = {
  name: "audit",
  title: "audit entry",
  object,
  list: list(filters, [0], async ({ store }, { filters: wanted, limit, after }) => {
    const [beforeSeq] = (after ?? []) as [number?];
    const { resource, object_id: objectId, actor_id: actorId, since, until } = wanted;
    const [sinceMs, untilMs] = [msOf("since", since), msOf("until", until)];
    const rows = await listAudit(store, { resource, objectId, actorId, sinceMs, untilMs, beforeSeq }, limit + 1);
    return pageOf(rows, limit, { write: written, place: ({ seq }) => [seq] });
  }),
  async get({ store }, id) {
    const row = /^\d{1,15}$/.test(id) ? await findAudit(store, Number(id)) : undefined;
    return row === undefined ? undefined : written(row);
  },
  actions: {
    verify: {
      summary: "Computes the hash of every entry again, and reports the first that is missing or has been changed.",
      scope: "collection",
      effect: "read",
      reply: Type.Object({
        object: Type.Literal("audit_proof"),
        valid: Type.Boolean({ description: "True where no entry is missing or has been changed." }),
        entries: integer("Entries that are proven."),
        hash: text("Hash of the last of them. Store it elsewhere to prove later that the log was not replaced."),
        broken_at: nullable(integer("Number of the first entry that is missing or has been changed.")),
      }),
      async run({ store }) {
        const { entries, hash, brokenAt } = await verifyAudit(store);
        return { object: "audit_proof", valid: brokenAt === null, entries, hash, broken_at: brokenAt };
      },
    },
  },
};
