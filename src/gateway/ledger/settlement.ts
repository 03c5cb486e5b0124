// The only builder of settlements: the contents of a row when its exchange ends, for any operation.
import { type GatewayError, isWithdrawn } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Money, Prices } from "../prices/prices.ts";
import type { EndState, LedgerAttempt, LedgerSettlement, PassedOver } from "./types.ts";

/** How an exchange ended. */
export interface Ending {
  readonly operation: Operation;
  /** The model name that the client sent. */
  readonly model: string;
  /** Unix milliseconds. */
  readonly admittedAtMs: number;
  readonly state: EndState;
  /** The client's status. */
  readonly httpStatus: number;
  readonly errorCode: string | null;
  /** Null without an attempt. */
  readonly provider: string | null;
  readonly providerKind: string | null;
  readonly upstreamModel: string | null;
  readonly attempts: number;
  readonly warnings: readonly Warning[];
  readonly usage: Usage | undefined;
  /** False if `usage` is only what failed attempts may have cost. */
  readonly isCharged: boolean;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  /**
   * The name of the credential of the last attempt, and when that attempt started, relative to the arrival of the
   * request.
   */
  readonly credential?: string | null;
  readonly attemptStartedMs?: number | null;
  readonly passedOver?: readonly PassedOver[];
  /** Of src/canonical/timings.ts. */
  readonly timings?: string | null;
  /** The service tier, if it is not the default. */
  readonly tier?: string | null;
}

/** The state of an exchange that ended with this error, or without one. */
export function endStateOf(error: GatewayError | null): EndState {
  if (error === null) return "completed";
  if (isWithdrawn(error)) return "cancelled";
  if (error.kind === "draining") return "interrupted";
  return error.status < 500 && error.retry === "never" ? "rejected" : "failed";
}

/** What failed attempts may have cost is in their own rows: the caller does not pay it. */
const notCharged: Money = { costNanoDollars: null, priceNanoDollars: 0n };

const none: readonly PassedOver[] = [];

function moneyOf(ending: Ending, usage: Usage, prices: Prices): Money {
  const { provider, providerKind, upstreamModel, operation, model, admittedAtMs: atMs, isCharged, tier } = ending;
  if (!isCharged) return notCharged;
  const query = { provider: provider ?? "", kind: providerKind ?? "", model: upstreamModel ?? "", operation, atMs };
  return prices.of(tier ? { ...query, tier } : query, model, usage);
}

export function settlementOf(ending: Ending, prices: Prices): LedgerSettlement {
  const { usage = zeroUsage, warnings, isCharged, state, httpStatus, errorCode, provider, upstreamModel } = ending;
  const {
    attempts,
    firstByteMs,
    durationMs,
    credential = null,
    attemptStartedMs = null,
    passedOver = none,
    tier = null,
    timings = null,
  } = ending;
  const { costNanoDollars, priceNanoDollars } = moneyOf(ending, usage, prices);
  return {
    state,
    httpStatus,
    errorCode,
    provider,
    upstreamModel,
    attempts,
    firstByteMs,
    durationMs,
    credential,
    attemptStartedMs,
    costNanoDollars,
    priceNanoDollars,
    usage,
    charged: isCharged,
    warnings: warnings.length === 0 ? null : warningText(warnings),
    passedOver: passedOver.length === 0 ? null : passedOver,
    tier,
    timings,
  };
}

/** Failed attempts with what each may have cost: its input, at the price of its candidate. Null without a price. */
export function pricedAttempts(
  attempts: readonly LedgerAttempt[],
  { operation, model, admittedAtMs: atMs }: Pick<Ending, "operation" | "model" | "admittedAtMs">,
  prices: Prices,
): readonly LedgerAttempt[] {
  return attempts.map((attempt) => {
    const { provider, providerKind: kind = "", upstreamModel, possibleInputTokens: inputTokens } = attempt;
    if (inputTokens === 0) return attempt;
    const query = { provider, kind, model: upstreamModel, operation, atMs };
    const { costNanoDollars } = prices.of(query, model, { ...zeroUsage, inputTokens });
    return { ...attempt, costNanoDollars, costVersion: prices.costVersion };
  });
}

/** As in the header `x-turnpike-warnings`: `dropped;field=seed, approximated;field=temperature`. */
export function warningText(warnings: readonly Warning[]): string {
  return warnings.map(({ code, path }) => `${code};field=${path}`).join(", ");
}
