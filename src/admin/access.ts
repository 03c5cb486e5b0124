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
import { createFailedAttempts, createFailureBudget } from "./failed-attempts.ts";
import { type Principal, type Scope, scopes } from "./permissions.ts";
import type { OpenedSession, Sessions, Visitor } from "./sessions.ts";

/** How a person proves who they are: one of them. */
export interface Proof {
  /** The token of a one-time link. */
  readonly token?: string;
  /** The admin key or a service token. */
  readonly key?: string;
}

/** The caller of a session, and the session. */
export interface SessionCaller {
  readonly principal: Principal;
  readonly row: SessionRow;
}

export interface AdminAccess {
  /** Throws `invalid_api_key`, or status 429 for an address with too many attempts. */
  identify(key: string, address: string): Promise<Principal>;
  /** Throws `invalid_api_key` for a session that has ended. */
  identifySession(secret: string): Promise<SessionCaller>;
  /** Begins a session, in place of the one that the browser had. Throws as `identify`; failures are in the audit log. */
  signIn(proof: Proof, visitor: Visitor, replaced: string | null): Promise<OpenedSession & SessionCaller>;
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
interface Proven {
  readonly principal: Principal;
  readonly credential: string;
}

const ofToken = (token: ServiceTokenRow): Proven => ({
  principal: { kind: "service_token", id: token.id, name: token.name, roles: scopesOf(token) },
  credential: token.hash,
});

const isInvalid = (thrown: unknown): boolean => thrown instanceof GatewayError && thrown.kind === "invalid_api_key";

const invalidKey = (): GatewayError =>
  new GatewayError("invalid_api_key", "The admin key or service token is not valid.");

/** Reads the store for each request, so that a token revoked by any instance is refused at once. */
export function createAdminAccess(dependencies: AccessDependencies): AdminAccess {
  const { store, pepper, clock, sessions, adminKeyHash } = dependencies;
  const failures = createFailedAttempts(clock);
  const allFailures = createFailureBudget(clock);
  const lookUp = async (key: string): Promise<Proven | null> => {
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
  const prove = async (address: string, look: () => Promise<Proven | null>): Promise<Proven> => {
    const attempt = failures.begin(address);
    const proven = await look();
    if (proven === null) {
      attempt.failed();
      throw invalidKey();
    }
    attempt.succeeded();
    return proven;
  };
  const byLink = async (token: string): Promise<Proven | null> =>
    (await sessions.takeLink(token)) ? { principal: operator, credential: (await adminKeyHash()) ?? "" } : null;
  /** The credential that the session was begun with, as it is now. */
  const presentOf = async ({ actorKind, actorId }: SessionRow): Promise<Proven | null> => {
    if (actorKind === operator.kind) return { principal: operator, credential: (await adminKeyHash()) ?? "" };
    const token = await findServiceToken(store, actorId);
    return token !== undefined && isLive(token, clock.nowMs()) ? ofToken(token) : null;
  };
  return {
    identify: async (key, address) => (await prove(address, () => lookUp(key))).principal,
    async identifySession(secret) {
      const row = await sessions.find(secret);
      const present = row === undefined ? null : await presentOf(row);
      if (row === undefined || present === null || present.credential !== row.credential)
        throw new GatewayError("invalid_api_key", "The session has ended. Sign in again.", { code: "session_ended" });
      return { principal: present.principal, row };
    },
    async signIn({ token, key }, visitor, replaced) {
      allFailures.require();
      const look = () => (token === undefined ? lookUp(key ?? "") : byLink(token));
      const proven = await prove(visitor.address, look).catch(async (thrown: unknown) => {
        if (!isInvalid(thrown)) throw thrown;
        allFailures.spend();
        await sessions.refused(visitor, token === undefined ? "key" : "link");
        throw token === undefined ? thrown : linkGone();
      });
      const opened = await sessions.begin(proven.principal, proven.credential, visitor, replaced);
      return { ...opened, principal: proven.principal };
    },
    signOut: (row, requestId) => sessions.end(row, { requestId }),
    idleEndMs: (row) => sessions.idleEndMs(row),
  };
}

const linkGone = (): GatewayError =>
  new GatewayError(
    "invalid_api_key",
    "The link was used, or is older than 30 minutes. Run 'turnpike console' for a new one.",
    { code: "sign_in_link_expired" },
  );
