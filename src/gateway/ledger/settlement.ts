// The one builder of settlements: what a row of the ledger says when its exchange is over, whatever the operation.
import type { GatewayError } from "../../canonical/error.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { EndState, LedgerSettlement } from "./types.ts";

/** How an exchange ended. */
export interface Ending {
  readonly state: EndState;
  /** What the client was answered. */
  readonly httpStatus: number;
  readonly errorCode: string | null;
  /** Null where no candidate was asked. */
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly attempts: number;
  readonly warnings: readonly Warning[];
  readonly usage: Usage | undefined;
  /** False where `usage` is only what failed attempts may have cost. */
  readonly isCharged: boolean;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  /** The name of the credential of the last attempt, and when that attempt began after the arrival of the request. */
  readonly credential?: string | null;
  readonly attemptStartedMs?: number | null;
  /** What providers bill and what the caller pays; absent or null where there is no price. */
  readonly costNanoDollars?: bigint | null;
  readonly priceNanoDollars?: bigint | null;
}

/** The state of an exchange that ended with this error, or with none. */
export function endStateOf(error: GatewayError | null): EndState {
  if (error === null) return "completed";
  if (error.kind === "client_closed") return "cancelled";
  return error.status < 500 && error.retry === "never" ? "rejected" : "failed";
}

export function settlementOf(ending: Ending): LedgerSettlement {
  const { usage = zeroUsage, warnings, isCharged, ...rest } = ending;
  return {
    credential: null,
    attemptStartedMs: null,
    costNanoDollars: null,
    priceNanoDollars: null,
    ...rest,
    usage,
    charged: isCharged,
    warnings: warnings.length === 0 ? null : warningText(warnings),
  };
}

/** As in the header `x-turnpike-warnings`: `dropped;field=seed, approximated;field=temperature`. */
export function warningText(warnings: readonly Warning[]): string {
  return warnings.map(({ code, path }) => `${code};field=${path}`).join(", ");
}
