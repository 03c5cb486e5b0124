// The one builder of settlements: what a row of the ledger says when its exchange is over, whatever the operation.
import type { GatewayError } from "../../canonical/error.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { EndState, LedgerSettlement, LedgerTokens } from "./types.ts";

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
    ...rest,
    ...tokensOf(usage),
    units: usage.units ?? null,
    estimated: usage.estimated ?? false,
    charged: isCharged,
    costNanoDollars: null,
    priceVersion: null,
    warnings: warnings.length === 0 ? null : warningText(warnings),
  };
}

/** The token buckets of a row. */
export function tokensOf(usage: Usage): LedgerTokens {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens };
}

/** As in the header `x-turnpike-warnings`: `dropped;field=seed, approximated;field=temperature`. */
export function warningText(warnings: readonly Warning[]): string {
  return warnings.map(({ code, path }) => `${code};field=${path}`).join(", ");
}
