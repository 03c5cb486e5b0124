// Users of the console: created with an invite, given a role, disabled and deleted.
import { type Static, Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import { randomId } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { findUser, insertUser, listUsers, removeUser, setInvite, type UserRow, updateUser } from "../../store/users.ts";
import { closed, isoTime, isoTimeOrNull, nullable, shortText, text, time, version } from "../fields.ts";
import { type Action, type AdminContext, create, list, pageOf, type Resource, update } from "../resource.ts";
import { userRoleNames, userRoles } from "../roles.ts";
import { defaultInviteDays, emailOf, inviteUrl, maxInviteDays, newCredential, newInvite, signInOf } from "../users.ts";

const email = Type.String({
  minLength: 3,
  maxLength: 254,
  description: "Email, in lower case. No two users have the same.",
});
const name = shortText("Name; default: the email.");
const roleList = userRoleNames.map((role) => `\`${role}\`: ${userRoles[role].summary}`).join(" ");
const role = Type.Enum([...userRoleNames], { description: roleList });
const days = Type.Integer({
  minimum: 1,
  maximum: maxInviteDays,
  description: `Days after which the invite expires. Default ${defaultInviteDays}.`,
});
const inviteLink = text("The link on which the user sets a password, once. It is not shown again.");

const newUser = Type.Object({ email, role, name: Type.Optional(name), expires_in_days: Type.Optional(days) }, closed);
const changedUser = Type.Object(
  {
    name: Type.Optional(name),
    role: Type.Optional(role),
    disabled: Type.Optional(Type.Boolean({ description: "Whether the user cannot sign in. Their sessions end." })),
  },
  closed,
);

const object = Type.Object({
  object: Type.Literal("user"),
  id: text("ID."),
  email,
  name,
  role,
  status: Type.Enum(["invited", "active", "disabled"], { description: "`invited`: has not signed in yet." }),
  sign_in: Type.Enum(["password", "oidc"], { description: "How the user signs in." }),
  created_at: time("When the user was created."),
  last_sign_in_at: nullable(time("The last sign-in.")),
  disabled_at: nullable(time("When the user was disabled.")),
  invite_expires_at: nullable(time("When the open invite expires; null: there is none.")),
  version,
});

const canSignIn = ({ passwordHash, subject }: UserRow): boolean => passwordHash !== null || subject !== null;

const statusOf = (row: UserRow): string =>
  row.disabledAtMs !== null ? "disabled" : canSignIn(row) ? "active" : "invited";

/** A user as the admin API returns it. */
function writtenUser(row: UserRow): JsonObject {
  return {
    object: "user",
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    status: statusOf(row),
    sign_in: signInOf(row),
    created_at: isoTime(row.createdAtMs),
    last_sign_in_at: isoTimeOrNull(row.lastSignInAtMs),
    disabled_at: isoTimeOrNull(row.disabledAtMs),
    invite_expires_at: isoTimeOrNull(row.inviteExpiresAtMs),
    version: row.version,
  };
}

async function rowOf({ store }: Pick<AdminContext, "store">, id: string): Promise<UserRow> {
  const row = await findUser(store, id);
  if (row === undefined) throw new GatewayError("object_not_found", "The user does not exist.");
  return row;
}

/** Gives a user an invite in place of the one that there was. */
async function invite({ store, nowMs, base }: AdminContext, id: string, given: unknown, pepper: Uint8Array) {
  const made = newInvite(pepper, typeof given === "number" ? given : defaultInviteDays, nowMs);
  await setInvite(store, id, made);
  return { invite_url: inviteUrl(base, made.token) };
}

async function change(
  { store, nowMs }: AdminContext,
  id: string,
  { name, role, disabled }: Static<typeof changedUser>,
): Promise<void> {
  const row = await rowOf({ store }, id);
  if (row.subject !== null && role !== undefined && role !== row.role)
    throw new GatewayError("invalid_value", "The role of this user follows their groups at the OpenID provider.", {
      param: "role",
    });
  const isDisabled = disabled ?? row.disabledAtMs !== null;
  const ends = isDisabled && row.disabledAtMs === null;
  await updateUser(store, {
    ...{ id, email: row.email, name: name ?? row.name, role: role ?? row.role },
    credential: ends ? newCredential() : row.credential,
    disabledAtMs: isDisabled ? (row.disabledAtMs ?? nowMs) : null,
  });
  if (ends) await setInvite(store, id, null);
}

function inviteAction(pepper: Uint8Array): Action {
  return {
    summary: "Makes a link on which the user sets a password, once. Earlier links of the user end.",
    ...{ scope: "object", effect: "transaction" },
    body: Type.Object({ expires_in_days: Type.Optional(days) }, closed),
    reply: Type.Object({ ...object.properties, invite_url: inviteLink }),
    async run(context, id, body) {
      const row = await rowOf(context, id);
      if (row.disabledAtMs !== null || row.subject !== null)
        throw new GatewayError("invalid_value", "The user is disabled, or signs in at the OpenID provider.");
      return await invite(context, id, body.expires_in_days, pepper);
    },
  };
}

const revokeInvite: Action = {
  summary: "Revokes the open invite of a user at once. Doing it again changes nothing.",
  ...{ scope: "object", effect: "transaction" },
  async run({ store }, id) {
    await setInvite(store, id, null);
    return undefined;
  },
};

/** The resource `users`. */
export function users(pepper: Uint8Array): Resource {
  return {
    name: "users",
    title: "user",
    object,
    unaudited: ["last_sign_in_at"],
    list: list(Type.Object({}, closed), [0, ""], async ({ store }, { limit, after }) => {
      const [createdAtMs, id] = (after ?? []) as [number?, string?];
      const place = createdAtMs === undefined || id === undefined ? undefined : { createdAtMs, id };
      const rows = await listUsers(store, limit + 1, place);
      return pageOf(rows, limit, { write: writtenUser, place: (row) => [row.createdAtMs, row.id] });
    }),
    async get({ store }, id) {
      const row = await findUser(store, id);
      return row === undefined ? undefined : writtenUser(row);
    },
    create: create(
      newUser,
      async (context, { email, name, role, expires_in_days: days }) => {
        const row = { id: randomId("usr_"), email: emailOf(email), role, createdAtMs: context.nowMs };
        await insertUser(context.store, { ...row, name: name ?? row.email, credential: newCredential() });
        return { id: row.id, once: await invite(context, row.id, days, pepper) };
      },
      { invite_url: inviteLink },
    ),
    update: update(changedUser, change),
    delete: { run: ({ store }, id) => removeUser(store, id) },
    actions: { invite: inviteAction(pepper), "revoke-invite": revokeInvite },
  };
}
