// What alerts report: lasting problems, and single events.
import type { JsonObject } from "../../lib/json.ts";

/** The type of an alert when a problem begins, and when it has ended. */
export const alertTypes = {
  provider: { begins: "provider.failing", ends: "provider.recovered" },
  credential: { begins: "credential.rejected", ends: "credential.accepted" },
  model: { begins: "model.set_aside", ends: "model.restored" },
  disk: { begins: "disk.filling", ends: "disk.recovered" },
  ledger: { begins: "ledger.not_writable", ends: "ledger.recovered" },
} as const;

/** A problem that lasts until it is not found any more. */
export interface Problem {
  /** The same problem has the same key each time that it is found. */
  readonly key: string;
  readonly kind: keyof typeof alertTypes;
  /** A sentence. */
  readonly message: string;
  readonly data: JsonObject;
  /** Not part of messages. Monotonic time of the first failure, its text, and attempts of the last minutes. */
  readonly observed?: {
    readonly sinceMs: number;
    readonly firstError: string;
    readonly attempts: number;
    readonly failures: number;
  };
}

/** `firing` once, `reminder` again and again while it lasts, `resolved` at its end. */
export type AlertStatus = "firing" | "reminder" | "resolved";

/** The body of one message. */
export interface AlertMessage {
  readonly type: string;
  readonly timestamp: string;
  readonly data: JsonObject;
}
