// How much of a budget is spent, as a bar with its figures, and the day on which it will be spent.
import { money, percent, relative } from "../data/format.ts";
import type { BudgetRow } from "../data/types.ts";
import { texts } from "../texts.ts";
import { joined } from "./basics.tsx";

/** From this share on a budget needs attention. */
const warningShare = 0.8;

export function BudgetBar({ budget }: { readonly budget: BudgetRow }) {
  const { amount, period, spent, share, spent_at: spentAt } = budget;
  const look = share >= 1 ? "bg-failing" : share >= warningShare ? "bg-warning" : "bg-ok";
  const label = `${money(spent)} of ${money(amount)} ${texts.keys.periods[period]}`;
  const text = `${percent(share, 1)}: ${label}${spentAt !== null && share < 1 ? `, spent ${relative(spentAt)}` : ""}`;
  return (
    <div className="min-w-36">
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={Math.round(Math.min(1, share) * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-1.5 overflow-hidden rounded bg-sunken"
      >
        <div className={joined("h-full", look)} style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
      <p className="truncate text-[12px] text-muted" title={text}>
        {text}
      </p>
    </div>
  );
}
