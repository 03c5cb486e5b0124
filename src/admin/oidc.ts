// Signing in at an OpenID provider: who comes back becomes a user, with the role of their groups.
import type { Clock } from "../lib/clock.ts";
import { randomId } from "../lib/ids.ts";
import type { JsonObject } from "../lib/json.ts";
import { appendAudit, lockAudit } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import { findUserByEmail, findUserBySubject, insertUser, type UserRow, updateUser } from "../store/users.ts";
import { claimOf, type OidcClient, type OidcSettings, type Returned } from "./oidc-client.ts";
import { type UserRole, userRoleNames } from "./roles.ts";
import { isEmail, newCredential, principalOf, spelling } from "./users.ts";

/** Why a user is refused; the sign-in page has a sentence for each. */
type OidcProblem = "denied" | "expired" | "no_role" | "email" | "email_taken" | "disabled" | "unavailable";

export class OidcRefusal extends Error {
  readonly problem: OidcProblem;
  /** Who it was at the provider, for the audit log. */
  readonly subject: string | null;
  constructor(problem: OidcProblem, given: { readonly subject?: string; readonly cause?: unknown } = {}) {
    super(`OpenID sign-in: ${problem}`, { cause: given.cause });
    this.problem = problem;
    this.subject = given.subject ?? null;
  }
}

const maxNameChars = 200;

/** What a browser brings back, with the state that it was given before. */
interface Comeback extends Returned {
  readonly state: string;
}

/** What the claims state about a user. */
interface Person {
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
}

/** The highest role of the groups. */
function roleOf(claims: JsonObject, { groupsClaim, roles }: OidcSettings): UserRole | undefined {
  const groups = [claimOf(claims, groupsClaim)].flat();
  const given = new Set(groups.map((group) => (typeof group === "string" ? roles.get(group) : undefined)));
  return userRoleNames.find((role) => given.has(role));
}

function emailIn(claims: JsonObject, { emailDomains }: OidcSettings): string | null {
  const given = claims["email"];
  const email = typeof given === "string" ? spelling(given) : "";
  const domain = email.slice(email.lastIndexOf("@") + 1);
  const isAllowed = emailDomains.length === 0 || emailDomains.includes(domain);
  return isEmail(email) && isAllowed && claims["email_verified"] !== false ? email : null;
}

/** Throws an OidcRefusal for claims that may not sign in. */
function personOf(claims: JsonObject, settings: OidcSettings): Person {
  const subject = String(claims["sub"]);
  const role = roleOf(claims, settings);
  if (role === undefined) throw new OidcRefusal("no_role", { subject });
  const email = emailIn(claims, settings);
  if (email === null) throw new OidcRefusal("email", { subject });
  const name = typeof claims["name"] === "string" ? claims["name"].trim().slice(0, maxNameChars) : "";
  return { subject, email, name: name || email, role };
}

interface Entry {
  readonly row: UserRow;
  readonly action: "create" | "update";
  readonly change: object;
  readonly requestId: string;
  readonly atMs: number;
}

async function note(inside: Store, head: Awaited<ReturnType<typeof lockAudit>>, entry: Entry): Promise<void> {
  const { row, action, requestId, atMs } = entry;
  const { kind, id, name } = principalOf(row);
  const actor = { actorKind: kind, actorId: id, actorName: name };
  const change = JSON.stringify(entry.change);
  await appendAudit(inside, head, { ...actor, action, resource: "users", objectId: id, requestId, atMs, change });
}

/** The user for a person, made at the first sign-in, and changed where the provider has changed. */
async function userOf(
  store: Store,
  issuer: string,
  { subject, email, name, role }: Person,
  { requestId, atMs }: { readonly requestId: string; readonly atMs: number },
): Promise<UserRow> {
  return await store.transaction(async (inside) => {
    const head = await lockAudit(inside);
    const before = await findUserBySubject(inside, issuer, subject);
    if (before !== undefined && before.disabledAtMs !== null) throw new OidcRefusal("disabled", { subject });
    const named = await findUserByEmail(inside, email);
    if (named !== undefined && named.id !== before?.id) throw new OidcRefusal("email_taken", { subject });
    const after = { email, name, role };
    if (before !== undefined && before.email === email && before.name === name && before.role === role) return before;
    const { id = randomId("usr_"), credential = newCredential(), createdAtMs = atMs } = before ?? {};
    if (before === undefined) await insertUser(inside, { ...after, id, credential, createdAtMs, issuer, subject });
    else await updateUser(inside, { ...before, ...after });
    const row = await findUserBySubject(inside, issuer, subject);
    if (row === undefined) throw new Error("The user that was just written does not exist.");
    const was = before === undefined ? undefined : { email: before.email, name: before.name, role: before.role };
    const action = before === undefined ? "create" : "update";
    await note(inside, head, { row, action, change: { before: was, after }, requestId, atMs });
    return row;
  });
}

/** Throws an OidcRefusal; its cause is what the provider answered. */
async function claimsOf(client: OidcClient, settings: OidcSettings, returned: Comeback): Promise<JsonObject> {
  if (returned.query.get("state") !== returned.state) throw new OidcRefusal("expired");
  if (returned.query.has("error")) throw new OidcRefusal("denied", { cause: returned.query.get("error") });
  try {
    return await client.claims(settings, returned);
  } catch (cause) {
    throw new OidcRefusal("unavailable", { cause });
  }
}

export interface Oidc {
  /** The user who comes back. Throws an OidcRefusal. */
  user(settings: OidcSettings, returned: Comeback, requestId: string): Promise<UserRow>;
}

export function createOidc(store: Store, client: OidcClient, clock: Pick<Clock, "nowMs">): Oidc {
  return {
    async user(settings, returned, requestId) {
      const person = personOf(await claimsOf(client, settings, returned), settings);
      return await userOf(store, settings.issuer, person, { requestId, atMs: clock.nowMs() });
    },
  };
}
