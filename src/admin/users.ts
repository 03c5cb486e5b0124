// Users of the console: who they are, and how they prove it with a password or an invite.
import { GatewayError } from "../canonical/error.ts";
import type { Clock } from "../lib/clock.ts";
import { randomId } from "../lib/ids.ts";
import { hashKey } from "../lib/secret.ts";
import type { Store } from "../store/store.ts";
import {
  acceptInvite,
  findUser,
  findUserByEmail,
  findUserByInvite,
  listUsers,
  noteSignIn,
  type UserRow,
} from "../store/users.ts";
import { hashPassword, isPassword, requirePassword } from "./passwords.ts";
import type { Principal, SignIn } from "./permissions.ts";
import { rolesOfUser } from "./roles.ts";

const maxEmailChars = 254;
const secretChars = 43;
const dayMs = 86_400_000;
const emailForm = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;

export const defaultInviteDays = 7;
export const maxInviteDays = 30;

/** One spelling of an email. */
export const spelling = (email: string): string => email.trim().normalize("NFC").toLowerCase();

export const isEmail = (email: string): boolean => email.length <= maxEmailChars && emailForm.test(email);

/** One spelling of an email. Throws status 400 if it is none. */
export function emailOf(given: string): string {
  const email = spelling(given);
  if (isEmail(email)) return email;
  throw new GatewayError("invalid_value", "Invalid 'email': it must be an email address.", { param: "email" });
}

/** A new value that the sessions of a user are bound to: those that there are end. */
export const newCredential = (): string => randomId("usc_");

export const signInOf = ({ subject }: Pick<UserRow, "subject">): SignIn => (subject === null ? "password" : "oidc");

export const principalOf = (user: Pick<UserRow, "id" | "email" | "role" | "subject">): Principal => ({
  ...{ kind: "user", id: user.id, name: user.email, signIn: signInOf(user) },
  roles: rolesOfUser(user.role),
});

/** An invite that has just been made: the only time that its token exists outside the link. */
export function newInvite(pepper: Uint8Array, days: number, nowMs: number) {
  const token = randomId("tpi-", secretChars);
  return { token, hash: hashKey(pepper, token), expiresAtMs: nowMs + days * dayMs };
}

/** The page on which a user sets a password. What follows `#` is not sent to a server, so no log has it. */
export const inviteUrl = (base: string, token: string): string => `${base.replace(/\/+$/, "")}/console#invite=${token}`;

export interface Users {
  /** Whether there are any. */
  exist(): Promise<boolean>;
  /** Undefined for a user who does not exist or is disabled. */
  live(id: string): Promise<UserRow | undefined>;
  /** Null unless the user exists, is not disabled, and has this password. */
  byPassword(email: string, password: string): Promise<UserRow | null>;
  /** The ID of the user with this email. */
  idOf(email: string): Promise<string | null>;
  /** The user whom an invite is for; null when it was used or revoked, or has expired. */
  invited(token: string): Promise<UserRow | null>;
  /** Uses an invite up. Null as above. Throws status 400 for a password that is too short or too long. */
  accept(token: string, password: string): Promise<UserRow | null>;
  signedIn(id: string): Promise<void>;
}

export function createUsers(store: Store, pepper: Uint8Array, clock: Clock): Users {
  const live: Users["live"] = async (id) => {
    const row = await findUser(store, id);
    return row?.disabledAtMs === null ? row : undefined;
  };
  const invited: Users["invited"] = async (token) =>
    (await findUserByInvite(store, hashKey(pepper, token), clock.nowMs())) ?? null;
  const named = (email: string) => findUserByEmail(store, spelling(email));
  return {
    exist: async () => (await listUsers(store, 1)).length > 0,
    live,
    invited,
    idOf: async (email) => (await named(email))?.id ?? null,
    signedIn: (id) => noteSignIn(store, id, clock.nowMs()),
    async byPassword(email, password) {
      const row = await named(email);
      const isProven = await isPassword(password, row?.disabledAtMs === null ? row.passwordHash : null);
      // The user may have been disabled meanwhile, or have got another password.
      return isProven && row !== undefined ? ((await sameUser(store, row)) ?? null) : null;
    },
    async accept(token, password) {
      requirePassword(password);
      const row = await invited(token);
      if (row === null) return null;
      const change = { hash: hashKey(pepper, token), passwordHash: await hashPassword(password) };
      if (!(await acceptInvite(store, { ...change, credential: newCredential() }, clock.nowMs()))) return null;
      return (await live(row.id)) ?? null;
    },
  };
}

async function sameUser(store: Store, { id, credential }: UserRow): Promise<UserRow | undefined> {
  const row = await findUser(store, id);
  return row?.disabledAtMs === null && row.credential === credential ? row : undefined;
}
