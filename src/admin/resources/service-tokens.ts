// Service tokens: credentials of machines, with scopes and an expiry. A token is shown once.
import { type Static, Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import { randomId } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { hashKey } from "../../lib/secret.ts";
import {
  findServiceToken,
  insertServiceToken,
  listServiceTokens,
  revokeServiceToken,
  type ServiceTokenRow,
  updateServiceToken,
} from "../../store/service-tokens.ts";
import { scopesOf } from "../access.ts";
import { closed, givenTime, isoTime, isoTimeOrNull, nullable, shortText, text, time, version } from "../fields.ts";
import { msOf } from "../query.ts";
import { type AdminContext, type Changed, create, list, pageOf, type Resource, update } from "../resource.ts";
import { scopeNames } from "../roles.ts";

const name = shortText("A name that no other live token has.");
const scopes = Type.Array(Type.Enum([...scopeNames]), {
  minItems: 1,
  maxItems: scopeNames.length,
  uniqueItems: true,
  description: "What the token may be used for.",
});
const expiresAt = nullable(givenTime("When the token stops working; null: never."));

const newToken = Type.Object({ name, scopes, expires_at: Type.Optional(expiresAt) }, closed);
const changedToken = Type.Object(
  { name: Type.Optional(name), scopes: Type.Optional(scopes), expires_at: Type.Optional(expiresAt) },
  closed,
);

const object = Type.Object({
  object: Type.Literal("service_token"),
  id: text("The token's ID."),
  name,
  scopes,
  preview: text("Start and end of the token."),
  created_at: time("When it was created."),
  expires_at: nullable(time("When it stops working.")),
  revoked_at: nullable(time("When it was revoked.")),
  last_used_at: nullable(time("When it was last used, to the minute.")),
  version,
});

function written(row: ServiceTokenRow): JsonObject {
  return {
    object: "service_token",
    id: row.id,
    name: row.name,
    scopes: [...scopesOf(row)],
    preview: row.preview,
    created_at: isoTime(row.createdAtMs),
    expires_at: isoTimeOrNull(row.expiresAtMs),
    revoked_at: isoTimeOrNull(row.revokedAtMs),
    last_used_at: isoTimeOrNull(row.lastUsedAtMs),
    version: row.version,
  };
}

/** A time in the future, or never. */
function expiryOf(value: string | null | undefined, nowMs: number): number | null {
  if (value === null || value === undefined) return null;
  const ms = msOf("expires_at", value);
  if (ms > nowMs) return ms;
  throw new GatewayError("invalid_value", "Invalid 'expires_at': it must be in the future.", { param: "expires_at" });
}

async function liveRow({ store }: AdminContext, id: string): Promise<ServiceTokenRow> {
  const row = await findServiceToken(store, id);
  if (row === undefined) throw new GatewayError("object_not_found", "The service token does not exist.");
  if (row.revokedAtMs === null) return row;
  throw new GatewayError("already_exists", "The service token is revoked and cannot be changed.", {
    code: "token_revoked",
  });
}

const prefix = "tps-";
const secretChars = 43;

async function createToken(
  { store, nowMs }: AdminContext,
  { name, scopes, expires_at: expiresAt }: Static<typeof newToken>,
  pepper: Uint8Array,
): Promise<Changed> {
  const secret = randomId(prefix, secretChars);
  const id = randomId("svc_");
  await insertServiceToken(store, {
    id,
    name,
    hash: hashKey(pepper, secret),
    preview: `${prefix}…${secret.slice(-4)}`,
    scopes: scopes.join(" "),
    createdAtMs: nowMs,
    expiresAtMs: expiryOf(expiresAt, nowMs),
  });
  return { id, once: { secret } };
}

export function serviceTokens(pepper: Uint8Array): Resource {
  return {
    name: "service-tokens",
    title: "service token",
    object,
    list: list(Type.Object({}, closed), [0, ""], async ({ store }, { limit, after }) => {
      const [createdAtMs, id] = (after ?? []) as [number?, string?];
      const place = createdAtMs === undefined || id === undefined ? undefined : { createdAtMs, id };
      const rows = await listServiceTokens(store, limit + 1, place);
      return pageOf(rows, limit, { write: written, place: (row) => [row.createdAtMs, row.id] });
    }),
    async get({ store }, id) {
      const row = await findServiceToken(store, id);
      return row === undefined ? undefined : written(row);
    },
    create: create(newToken, (context, body) => createToken(context, body, pepper), {
      secret: text("The token. It is not shown again."),
    }),
    update: update(changedToken, async (context, id, body) => {
      const row = await liveRow(context, id);
      await updateServiceToken(context.store, {
        id,
        name: body.name ?? row.name,
        scopes: body.scopes?.join(" ") ?? row.scopes,
        expiresAtMs: body.expires_at === undefined ? row.expiresAtMs : expiryOf(body.expires_at, context.nowMs),
      });
    }),
    actions: {
      revoke: {
        summary: "Revokes a service token at once. Doing it again changes nothing.",
        scope: "object",
        effect: "transaction",
        async run({ store, nowMs }, id) {
          await revokeServiceToken(store, id, nowMs);
          return undefined;
        },
      },
    },
  };
}
