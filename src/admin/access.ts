// Identifies callers of the admin API: the operator by the admin key, a machine by a service token, a person by a
// session.
import { GatewayError } from "../canonical/error.ts";
import type { Clock } from "../lib/clock.ts";
import { hashKey, sameHash } from "../lib/secret.ts";
import {
  findServiceToken,
  findServiceTokenByHash,
  type ServiceTokenRow,
  touchServiceToken,
} from "../store/service-tokens.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { setPassword, type UserRow } from "../store/users.ts";
import {
  createFailedAttempts,
  createFailureBudget,
  type FailedAttempts,
  type FailureBudget,
} from "./failed-attempts.ts";
import { OidcRefusal } from "./oidc.ts";
import { hashPassword, isPassword, requirePassword } from "./passwords.ts";
import type { Principal } from "./permissions.ts";
import { type Scope, scopes } from "./roles.ts";
import type { Beginning, OpenedSession, Sessions, SignInWay, Visitor } from "./sessions.ts";
import { newCredential, principalOf, type Users } from "./users.ts";

/** How a person proves who they are. */
export type Proof =
  /** The token of a one-time link. */
  | { readonly by: "link"; readonly token: string }
  /** The admin key or a service token. */
  | { readonly by: "key"; readonly key: string }
  | { readonly by: "password"; readonly email: string; readonly password: string }
  /** An invite with the password that the user chose. */
  | { readonly by: "invite"; readonly invite: string; readonly password: string };

export interface PasswordChange {
  /** The present password. */
  readonly current: string;
  readonly password: string;
}

/** The caller of a session, and the session. */
export interface SessionCaller {
  readonly principal: Principal;
  readonly row: SessionRow;
}

/** A session that has just begun, with its caller. */
export type Opened = OpenedSession & SessionCaller;

export interface AdminAccess {
  /** Throws `invalid_api_key`, or status 429 for an address with too many attempts. */
  identify(key: string, address: string): Promise<Principal>;
  /** Throws `invalid_api_key` for a session that has ended. */
  identifySession(secret: string): Promise<SessionCaller>;
  /** Begins a session, in place of the one that the browser had. Throws as `identify`; failures are in the audit log. */
  signIn(proof: Proof, visitor: Visitor, replaced: string | null): Promise<Opened>;
  hasUsers(): Promise<boolean>;
  /** The user of an invite, for the page on which they set a password. Throws as `signIn`. */
  invited(invite: string, visitor: Visitor): Promise<UserRow>;
  /**
   * Begins a session of a user who has proven elsewhere who they are. Throws what `look` throws; an `OidcRefusal` is
   * counted and audited as other failures are.
   */
  signInElsewhere(look: () => Promise<UserRow>, visitor: Visitor, replaced: string | null): Promise<Opened>;
  /**
   * Changes the password of the user of a session, which stays; their others end. Throws status 403 for a caller without
   * a password, 400 for a wrong present one or an invalid new one, and 429 as `signIn`.
   */
  changePassword(caller: SessionCaller, change: PasswordChange, visitor: Visitor): Promise<void>;
  /** Ends a session. */
  signOut(row: SessionRow, requestId: string): Promise<void>;
  /** When a session ends without another request. */
  idleEndMs(row: SessionRow): number;
}

export interface AccessDependencies {
  readonly store: Store;
  readonly pepper: Uint8Array;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly users: Users;
  /** The hash of the present admin key. */
  adminKeyHash(): Promise<string | undefined>;
}

const maxKeyChars = 512;
const touchEveryMs = 60_000;

const operator: Principal = { kind: "admin_key", id: "admin", name: "admin key", roles: ["operator"] };

export const scopesOf = ({ scopes: names }: Pick<ServiceTokenRow, "scopes">): readonly Scope[] =>
  names.split(" ").filter((name): name is Scope => name in scopes);

function isLive({ expiresAtMs, revokedAtMs }: ServiceTokenRow, nowMs: number): boolean {
  return revokedAtMs === null && (expiresAtMs === null || expiresAtMs > nowMs);
}

async function noteUse(store: Store, { id, lastUsedAtMs }: ServiceTokenRow, nowMs: number): Promise<void> {
  const before = nowMs - touchEveryMs;
  if (lastUsedAtMs === null || lastUsedAtMs < before) await touchServiceToken(store, id, nowMs, before);
}

/** A caller with what its sessions are bound to. */
type Proven = Pick<Beginning, "principal" | "credential">;

/** What is counted and audited of a proof that is not valid. */
interface Attempted {
  readonly by: Proof["by"];
  readonly email?: string;
}

const ofToken = (token: ServiceTokenRow): Proven => ({
  principal: { kind: "service_token", id: token.id, name: token.name, roles: scopesOf(token) },
  credential: token.hash,
});

function ofUser(user: UserRow): Proven;
function ofUser(user: UserRow | null): Proven | null;
function ofUser(user: UserRow | null): Proven | null {
  return user === null ? null : { principal: principalOf(user), credential: user.credential };
}

const isInvalid = (thrown: unknown): boolean => thrown instanceof GatewayError && thrown.kind === "invalid_api_key";

const sessionEnded = (): GatewayError =>
  new GatewayError("invalid_api_key", "The session has ended. Sign in again.", { code: "session_ended" });

const invalidKey = (): GatewayError =>
  new GatewayError("invalid_api_key", "The admin key or service token is not valid.");

/** Finds who is behind a credential. Reads the store each time, so that one revoked by any instance is refused at once. */
function createLookUp({ store, pepper, clock, sessions, users, adminKeyHash }: AccessDependencies) {
  const asOperator = async (): Promise<Proven> => ({ principal: operator, credential: (await adminKeyHash()) ?? "" });
  const ofKey = async (key: string): Promise<Proven | null> => {
    if (key.length > maxKeyChars) return null;
    const hash = hashKey(pepper, key);
    const adminHash = await adminKeyHash();
    if (adminHash !== undefined && sameHash(adminHash, hash)) return { principal: operator, credential: adminHash };
    const nowMs = clock.nowMs();
    const token = await findServiceTokenByHash(store, hash);
    if (token === undefined || !isLive(token, nowMs)) return null;
    await noteUse(store, token, nowMs);
    return ofToken(token);
  };
  return {
    ofKey,
    async ofProof(proof: Proof): Promise<Proven | null> {
      if (proof.by === "key") return await ofKey(proof.key);
      if (proof.by === "link") return (await sessions.takeLink(proof.token)) ? await asOperator() : null;
      const { by, password } = proof;
      const user = by === "invite" ? users.accept(proof.invite, password) : users.byPassword(proof.email, password);
      return ofUser(await user);
    },
    /** The credential that the session was begun with, as it is now. */
    async ofSession({ actorKind, actorId }: SessionRow): Promise<Proven | null> {
      if (actorKind === operator.kind) return await asOperator();
      if (actorKind === "user") return ofUser((await users.live(actorId)) ?? null);
      const token = await findServiceToken(store, actorId);
      return token !== undefined && isLive(token, clock.nowMs()) ? ofToken(token) : null;
    },
  };
}

/** Counts a proof that is not valid against its address, which then waits. */
function prover(failures: FailedAttempts) {
  return async <Result>(address: string, look: () => Promise<Result | null>): Promise<Result> => {
    const attempt = failures.begin(address);
    const proven = await look();
    if (proven === null) {
      attempt.failed();
      throw invalidKey();
    }
    attempt.succeeded();
    return proven;
  };
}

/** Wrong present passwords count as failed sign-ins: a stolen session must not find out the password. */
function passwordChanger(
  { sessions, users }: AccessDependencies,
  failures: FailedAttempts,
  allFailures: FailureBudget,
): AdminAccess["changePassword"] {
  return async ({ principal, row }, { current, password }, visitor) => {
    const user = principal.kind === "user" ? await users.live(principal.id) : undefined;
    if (user === undefined || user.passwordHash === null) throw noPassword();
    requirePassword(password);
    allFailures.require();
    const attempt = failures.begin(visitor.address);
    if (!(await isPassword(current, user.passwordHash))) {
      attempt.failed();
      allFailures.spend();
      await sessions.refused(visitor, "password", { user: user.id });
      throw wrongPassword();
    }
    attempt.succeeded();
    const next = { passwordHash: await hashPassword(password), credential: newCredential() };
    await sessions.changePassword(row, next.credential, visitor.requestId, async (inside) => {
      if (!(await setPassword(inside, user, next))) throw sessionEnded();
    });
  };
}

/** Callers, whose failures are counted by address and all together. */
export function createAdminAccess(dependencies: AccessDependencies): AdminAccess {
  const { clock, sessions, users } = dependencies;
  const failures = createFailedAttempts(clock);
  const allFailures = createFailureBudget(clock);
  const lookUp = createLookUp(dependencies);
  const prove = prover(failures);
  /** Throws the error of this way to sign in for a proof that is not valid, after it was counted and audited. */
  const proveOnce = async <Result>(proof: Attempted, visitor: Visitor, look: () => Promise<Result | null>) => {
    allFailures.require();
    return await prove(visitor.address, look).catch(async (thrown: unknown) => {
      if (!isInvalid(thrown)) throw thrown;
      allFailures.spend();
      const user = proof.email === undefined ? null : await users.idOf(proof.email);
      await sessions.refused(visitor, proof.by, user === null ? {} : { user });
      throw refusals[proof.by]();
    });
  };
  const begin = async ({ principal, credential }: Proven, by: SignInWay, visitor: Visitor, replaced: string | null) => {
    const opened = await sessions.begin({ principal, credential, by }, visitor, replaced);
    if (principal.kind === "user") await users.signedIn(principal.id);
    return { ...opened, principal };
  };
  return {
    identify: async (key, address) => (await prove(address, () => lookUp.ofKey(key))).principal,
    async identifySession(secret) {
      const row = await sessions.find(secret);
      const present = row === undefined ? null : await lookUp.ofSession(row);
      if (row === undefined || present === null || present.credential !== row.credential) throw sessionEnded();
      return { principal: present.principal, row };
    },
    async signIn(proof, visitor, replaced) {
      const proven = await proveOnce(proof, visitor, () => lookUp.ofProof(proof));
      return await begin(proven, proof.by, visitor, replaced);
    },
    hasUsers: () => users.exist(),
    invited: (invite, visitor) => proveOnce({ by: "invite" }, visitor, () => users.invited(invite)),
    async signInElsewhere(look, visitor, replaced) {
      allFailures.require();
      const attempt = failures.begin(visitor.address);
      const user = await look().catch(async (thrown: unknown) => {
        if (!(thrown instanceof OidcRefusal)) throw thrown;
        attempt.failed();
        allFailures.spend();
        const { problem: reason, subject } = thrown;
        await sessions.refused(visitor, "oidc", { reason, ...(subject === null ? {} : { subject }) });
        throw thrown;
      });
      attempt.succeeded();
      return await begin(ofUser(user), "oidc", visitor, replaced);
    },
    changePassword: passwordChanger(dependencies, failures, allFailures),
    signOut: (row, requestId) => sessions.end(row, { requestId }),
    idleEndMs: (row) => sessions.idleEndMs(row),
  };
}

/** For a caller with a key, and for a user of an OpenID provider. */
export const noPassword = (): GatewayError =>
  new GatewayError("permission_denied", "Only users who sign in with a password have one to change.", {
    code: "no_password",
  });

const wrongPassword = (): GatewayError =>
  new GatewayError("invalid_value", "Invalid 'current_password': it is not the present password.", {
    param: "current_password",
  });

const refusal = (code: string, message: string) => (): GatewayError =>
  new GatewayError("invalid_api_key", message, { code });

const refusals: Readonly<Record<Proof["by"], () => GatewayError>> = {
  key: invalidKey,
  link: refusal(
    "sign_in_link_expired",
    "The link was used, or is older than 30 minutes. Run 'turnpike console' for a new one.",
  ),
  password: refusal("invalid_credentials", "The email or the password is not valid."),
  invite: refusal("invite_expired", "The invite was used or revoked, or has expired. Ask an owner for a new one."),
};
