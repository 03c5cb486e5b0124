// What a key can read about itself: its limits and budgets, and two figures for front ends of OpenAI's format.
import type { BudgetStatus, Budgets } from "../gateway/policy/budgets.ts";
import type { Caller, RuleLevel } from "../gateway/policy/caller.ts";
import { rateNames, rateRows } from "../gateway/policy/rate-levels.ts";
import type { Rates } from "../gateway/policy/rates.ts";
import { formatDecimal } from "../lib/decimal.ts";
import type { HandlerContext } from "./endpoint.ts";
import { writeJson } from "./write.ts";

/** A function, because the table of endpoints is also used without them. */
interface UsageParts {
  readonly rates: Pick<Rates, "statusOf">;
  readonly budgets: Pick<Budgets, "status">;
  /** What the key has spent in total, in nano-dollars. */
  spentBy(keyId: string): bigint;
}

type PartsOf = () => UsageParts;

const isoOf = (atMs: number): string => new Date(atMs).toISOString();

function limitsOf({ rates }: UsageParts, level: RuleLevel) {
  return rateNames.flatMap((name) => {
    const status = rates.statusOf(level, name);
    if (status === null) return [];
    const { limit, remaining, resetMs } = status;
    return [{ level: level.level, name: rateRows[name].setting, limit, remaining, reset_ms: Math.ceil(resetMs) }];
  });
}

const leftOf = ({ limit, spent, reserved }: BudgetStatus): bigint => {
  const left = limit - spent - reserved;
  return left > 0n ? left : 0n;
};

function budgetOf(status: BudgetStatus) {
  const { level, period, limit, spent, reserved, counter } = status;
  const window = period === "total" ? {} : { window_start: isoOf(counter.fromMs), window_end: isoOf(counter.untilMs) };
  return {
    ...{ level: level.level, period, ...window },
    amount_nano_dollars: String(limit),
    spent_nano_dollars: String(spent),
    reserved_nano_dollars: String(reserved),
    left_nano_dollars: String(leftOf(status)),
  };
}

const callerOf = ({ caller }: HandlerContext): Caller => {
  if (caller === null) throw new Error("The row of usage wants a key.");
  return caller;
};

/** `GET /v1/usage`. */
export const getUsage =
  (parts: PartsOf) =>
  (visit: HandlerContext): Response => {
    const caller = callerOf(visit);
    const { levels, keyId, name, project } = caller;
    const limits = levels.flatMap((level) => limitsOf(parts(), level));
    const concurrency = levels.flatMap(({ level, rules }) =>
      rules.limits?.concurrent_requests === undefined ? [] : [{ level, limit: rules.limits.concurrent_requests }],
    );
    const budgets = parts().budgets.status(caller).map(budgetOf);
    const spent = String(parts().spentBy(keyId));
    const key = { id: keyId, name, project };
    return writeJson(
      { object: "usage", key, spent_nano_dollars: spent, limits, concurrent_requests: concurrency, budgets },
      visit.requestId,
    );
  };

/** Returned for a key without a budget, as front ends expect it. */
const noBudget = 100_000_000;

/** These two replies contain numbers, as clients of this format expect. */
const numberOf = (nanoDollars: bigint): number => Number(formatDecimal(nanoDollars, 9));

/** The budget with the smallest remainder. */
function tightest(parts: UsageParts, caller: Caller): BudgetStatus | null {
  const all = parts.budgets.status(caller);
  return all.reduce<BudgetStatus | null>(
    (found, each) => (found === null || leftOf(each) < leftOf(found) ? each : found),
    null,
  );
}

/** `GET /v1/dashboard/billing/subscription`. */
export const getSubscription =
  (parts: PartsOf) =>
  (visit: HandlerContext): Response => {
    const budget = tightest(parts(), callerOf(visit));
    const limit = budget === null ? noBudget : numberOf(budget.limit);
    const until = budget === null || budget.period === "total" ? 0 : Math.floor(budget.counter.untilMs / 1_000);
    return writeJson(
      {
        ...{ object: "billing_subscription", has_payment_method: true, access_until: until },
        ...{ soft_limit_usd: limit, hard_limit_usd: limit, system_hard_limit_usd: limit },
      },
      visit.requestId,
    );
  };

/** `GET /v1/dashboard/billing/usage`: in cents, of the same budget. */
export const getBillingUsage =
  (parts: PartsOf) =>
  (visit: HandlerContext): Response => {
    const caller = callerOf(visit);
    const budget = tightest(parts(), caller);
    const spent = budget === null ? parts().spentBy(caller.keyId) : budget.spent + budget.reserved;
    return writeJson({ object: "list", total_usage: numberOf(spent * 100n) }, visit.requestId);
  };
