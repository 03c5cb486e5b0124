// Identifies callers of the admin API: the operator by the admin key, a machine by a service token.
import { GatewayError } from "../canonical/error.ts";
import type { Clock } from "../lib/clock.ts";
import { hashKey, sameHash } from "../lib/secret.ts";
import { findServiceTokenByHash, type ServiceTokenRow, touchServiceToken } from "../store/service-tokens.ts";
import type { Store } from "../store/store.ts";
import { createFailedAttempts } from "./failed-attempts.ts";
import { type Principal, type Scope, scopes } from "./permissions.ts";

export interface AdminAccess {
  /** Throws `invalid_api_key`, or status 429 for an address with too many attempts. */
  identify(key: string, address: string): Promise<Principal>;
}

export interface AccessDependencies {
  readonly store: Store;
  readonly pepper: Uint8Array;
  readonly clock: Clock;
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

/** Reads the store for each request, so that a token revoked by any instance is refused at once. */
export function createAdminAccess({ store, pepper, clock, adminKeyHash }: AccessDependencies): AdminAccess {
  const failures = createFailedAttempts(clock);
  const lookUp = async (key: string): Promise<Principal | null> => {
    if (key.length > maxKeyChars) return null;
    const hash = hashKey(pepper, key);
    const adminHash = await adminKeyHash();
    if (adminHash !== undefined && sameHash(adminHash, hash)) return operator;
    const nowMs = clock.nowMs();
    const token = await findServiceTokenByHash(store, hash);
    if (token === undefined || !isLive(token, nowMs)) return null;
    const before = nowMs - touchEveryMs;
    if (token.lastUsedAtMs === null || token.lastUsedAtMs < before)
      await touchServiceToken(store, token.id, nowMs, before);
    return { kind: "service_token", id: token.id, name: token.name, roles: scopesOf(token) };
  };
  return {
    async identify(key, address) {
      const attempt = failures.begin(address);
      const principal = await lookUp(key);
      if (principal === null) {
        attempt.failed();
        throw new GatewayError("invalid_api_key", "The admin key or service token is not valid.");
      }
      attempt.succeeded();
      return principal;
    },
  };
}
