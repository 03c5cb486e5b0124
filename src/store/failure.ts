// Classifies errors of the store, so that other code does not read the engines' codes.
import { GatewayError } from "../canonical/error.ts";

/** The engine refused a second row with the same value; `index` is `table.column`, as in `keys.name`. */
interface Duplicate {
  readonly kind: "duplicate";
  readonly index: string;
}

export type StoreFailure = Duplicate | { readonly kind: "busy" } | { readonly kind: "unavailable" };

interface EngineError {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
}

/** SQLite names the column in its message; on PostgreSQL the unique indexes have the same name. */
export function failureOf(thrown: unknown): StoreFailure {
  const { code, errno, constraint, message } = Object(thrown) as EngineError;
  if (String(code).startsWith("SQLITE_CONSTRAINT_")) {
    return { kind: "duplicate", index: String(message).split("failed: ")[1]?.split(",")[0] ?? "" };
  }
  if (errno === "23505") return { kind: "duplicate", index: String(constraint) };
  if (String(code).startsWith("SQLITE_BUSY") || errno === "55P03") return { kind: "busy" };
  return { kind: "unavailable" };
}

/** The client's error when the store is unavailable; the cause is only logged. */
export function storeError(kind: "busy" | "unavailable", cause: unknown): GatewayError {
  return kind === "busy"
    ? new GatewayError("overloaded", "The store is busy. Try again.", {
        code: "store_busy",
        retryAfterMs: 1_000,
        cause,
      })
    : new GatewayError("overloaded", "The store does not respond.", {
        code: "store_unavailable",
        retryAfterMs: 1_000,
        cause,
      });
}
