// Sessions of the console: list, and end.
import { Type } from "typebox";
import type { JsonObject } from "../../lib/json.ts";
import { endSession, findSession, listSessions, type SessionRow } from "../../store/sessions.ts";
import { closed, isoTime, isoTimeOrNull, nullable, text, time } from "../fields.ts";
import { list, pageOf, type Resource } from "../resource.ts";

const object = Type.Object({
  object: Type.Literal("session"),
  id: text("ID."),
  actor: Type.Object({ kind: text("`admin_key`, `service_token` or `user`."), id: text("ID."), name: text("Name.") }),
  address: text("The address that signed in."),
  user_agent: text("The browser that signed in, as it names itself."),
  created_at: time("When it began."),
  last_seen_at: time("Its last request, to the minute."),
  expires_at: time("When it ends at the latest."),
  revoked_at: nullable(time("When it was ended.")),
});

function written(row: SessionRow): JsonObject {
  return {
    object: "session",
    id: row.id,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    address: row.address,
    user_agent: row.userAgent,
    created_at: isoTime(row.createdAtMs),
    last_seen_at: isoTime(row.lastSeenAtMs),
    expires_at: isoTime(row.expiresAtMs),
    revoked_at: isoTimeOrNull(row.endedAtMs),
  };
}

export const sessions: Resource = {
  name: "sessions",
  title: "session",
  object,
  list: list(Type.Object({}, closed), [0, ""], async ({ store }, { limit, after }) => {
    const [createdAtMs, id] = (after ?? []) as [number?, string?];
    const place = createdAtMs === undefined || id === undefined ? undefined : { createdAtMs, id };
    const rows = await listSessions(store, limit + 1, place);
    return pageOf(rows, limit, { write: written, place: (row) => [row.createdAtMs, row.id] });
  }),
  async get({ store }, id) {
    const row = await findSession(store, id);
    return row === undefined ? undefined : written(row);
  },
  actions: {
    revoke: {
      summary: "Ends a session at once. Doing it again changes nothing.",
      scope: "object",
      effect: "transaction",
      async run({ store, nowMs }, id) {
        await endSession(store, id, nowMs);
        return undefined;
      },
    },
  },
};
