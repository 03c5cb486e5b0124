// Sessions of the console: opened by a credential or a one-time link, found by the secret in a cookie, and ended.
import { GatewayError } from "../canonical/error.ts";
import type { Clock } from "../lib/clock.ts";
import { randomId } from "../lib/ids.ts";
import { hashKey, sameHash } from "../lib/secret.ts";
import { type AuditEntry, audited } from "../store/audit.ts";
import {
  endSession,
  findSessionByHash,
  insertSession,
  insertSignInLink,
  purgeSessions,
  rebindSession,
  type SessionRow,
  takeSignInLink,
  touchSession,
} from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import type { Principal } from "./permissions.ts";

/** How long a session lasts at most, and how long without a request. */
interface SessionTimes {
  readonly absoluteMs: number;
  readonly idleMs: number;
}

/** What presents itself at sign-in. */
export interface Visitor {
  readonly address: string;
  readonly userAgent: string;
  readonly requestId: string;
}

/** How a session was begun. */
export type SignInWay = "link" | "key" | "password" | "invite" | "oidc";

/** Who begins a session, with the credential that it is bound to. */
export interface Beginning {
  readonly principal: Principal;
  readonly credential: string;
  readonly by: SignInWay;
}

/** A session that has just begun: the only time that its secret exists outside the browser. */
export interface OpenedSession {
  readonly secret: string;
  readonly row: SessionRow;
}

interface SessionDependencies {
  readonly store: Store;
  readonly pepper: Uint8Array;
  readonly clock: Clock;
  readonly times: () => SessionTimes;
}

export interface Sessions {
  /** Begins a session. `replaced` is the secret that the browser had before. */
  begin(beginning: Beginning, visitor: Visitor, replaced: string | null): Promise<OpenedSession>;
  /** Undefined for a secret that is unknown, and for a session that has ended. Counts as a use. */
  find(secret: string): Promise<SessionRow | undefined>;
  end(row: SessionRow, visitor: Pick<Visitor, "requestId">): Promise<void>;
  /** Keeps a session whose user gets another credential: `change` sets that in the same transaction. */
  changePassword(row: SessionRow, credential: string, requestId: string, change: Change): Promise<void>;
  /** Uses up a one-time link. False when it is unknown, used or expired. */
  takeLink(token: string): Promise<boolean>;
  /** A failed sign-in, for the audit log, with what is found out about it. */
  refused(visitor: Visitor, by: SignInWay, found?: object): Promise<void>;
  idleEndMs(row: SessionRow): number;
}

/** A change of the store in a transaction. */
type Change = (inside: Store) => Promise<void>;

const secretChars = 43;
const maxSecretChars = 200;
const touchEveryMs = 60_000;
const linkMs = 30 * 60_000;
const userAgentChars = 200;

/** What a script of the page must send with each change. It proves that it can read answers of this origin. */
export const csrfTokenOf = (pepper: Uint8Array, secret: string): string => hashKey(pepper, `csrf ${secret}`);

/** Throws status 403 for a token of another session. */
export function requireCsrfToken(pepper: Uint8Array, secret: string, given: string | null): void {
  if (given !== null && sameHash(csrfTokenOf(pepper, secret), given)) return;
  throw new GatewayError("permission_denied", "Send 'csrf_token' of GET /admin/api/session as 'x-csrf-token'.", {
    code: "csrf_token_invalid",
    param: "x-csrf-token",
  });
}

/** A new one-time link, good for half an hour. */
export async function createSignInToken(store: Store, pepper: Uint8Array, nowMs: number): Promise<string> {
  const token = randomId("tpl-", secretChars);
  await insertSignInLink(store, hashKey(pepper, token), nowMs + linkMs);
  return token;
}

/** The page that signs in with a token. What follows `#` is not sent to a server, so no log has it. */
export const signInUrl = (base: string, token: string): string => `${base.replace(/\/+$/, "")}/console#token=${token}`;

function entryOf(
  { actorKind, actorId, actorName, id, address }: SessionRow,
  entry: Pick<AuditEntry, "action" | "requestId" | "atMs">,
  by?: SignInWay,
): AuditEntry {
  const change = JSON.stringify({ after: { address, by } });
  return { ...entry, actorKind, actorId, actorName, resource: "sessions", objectId: id, change };
}

/** The entry of a caller without a valid credential. */
function refusedEntry({ address, requestId }: Visitor, after: object, atMs: number): AuditEntry {
  const actor = { actorKind: "anonymous", actorId: address || "unknown", actorName: "anonymous" };
  const change = JSON.stringify({ after });
  return { ...actor, atMs, action: "sign_in_failed", resource: "sessions", objectId: null, requestId, change };
}

export function createSessions({ store, pepper, clock, times }: SessionDependencies): Sessions {
  const idleEndMs = (row: SessionRow): number => Math.min(row.expiresAtMs, row.lastSeenAtMs + times().idleMs);
  const live = async (secret: string): Promise<SessionRow | undefined> => {
    if (secret.length > maxSecretChars) return undefined;
    const row = await findSessionByHash(store, hashKey(pepper, secret));
    return row === undefined || row.endedAtMs !== null || idleEndMs(row) <= clock.nowMs() ? undefined : row;
  };
  return {
    idleEndMs,
    async begin({ principal, credential, by }, visitor, replaced) {
      const nowMs = clock.nowMs();
      const { requestId } = visitor;
      const secret = randomId("tpc-", secretChars);
      const before = replaced === null ? undefined : await live(replaced);
      const row: SessionRow = {
        ...{ id: randomId("ses_"), hash: hashKey(pepper, secret), credential },
        ...{ actorKind: principal.kind, actorId: principal.id, actorName: principal.name },
        ...{ address: visitor.address, userAgent: visitor.userAgent.slice(0, userAgentChars) },
        ...{ createdAtMs: nowMs, lastSeenAtMs: nowMs, expiresAtMs: nowMs + times().absoluteMs, endedAtMs: null },
      };
      await audited(store, entryOf(row, { action: "sign_in", requestId, atMs: nowMs }, by), async (inside) => {
        await purgeSessions(inside, nowMs);
        if (before !== undefined) await endSession(inside, before.id, nowMs);
        await insertSession(inside, row);
      });
      return { secret, row };
    },
    async find(secret) {
      const row = await live(secret);
      const nowMs = clock.nowMs();
      if (row === undefined || row.lastSeenAtMs > nowMs - touchEveryMs) return row;
      await touchSession(store, row.id, nowMs);
      return { ...row, lastSeenAtMs: nowMs };
    },
    end: (row, { requestId }) =>
      audited(store, entryOf(row, { action: "sign_out", requestId, atMs: clock.nowMs() }), (inside) =>
        endSession(inside, row.id, clock.nowMs()),
      ),
    changePassword(row, credential, requestId, change) {
      const entry = entryOf(row, { action: "change_password", requestId, atMs: clock.nowMs() });
      return audited(store, { ...entry, resource: "users", objectId: row.actorId }, async (inside) => {
        await change(inside);
        await rebindSession(inside, row.id, credential);
      });
    },
    takeLink: async (token) =>
      token.length <= maxSecretChars && (await takeSignInLink(store, hashKey(pepper, token), clock.nowMs())),
    refused: (visitor, by, found = {}) =>
      audited(store, refusedEntry(visitor, { by, ...found }, clock.nowMs()), () => Promise.resolve()),
  };
}
