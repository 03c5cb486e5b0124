// The state of a provider, a credential or a model as a mark, and how much is used of a limit.
import type { LimitUse, Measured, StateName } from "../../data/catalog.ts";
import { money, relative } from "../../data/format.ts";
import { fill, texts } from "../../texts.ts";
import { joined, Mark, type Tone } from "../../ui/basics.tsx";

const words = texts.providers;

const tones: Readonly<Record<StateName, Tone>> = {
  available: "ok",
  half_open: "warning",
  rate_limited: "warning",
  breaker_open: "failing",
  set_aside: "failing",
};

export function StateMark({ of: { state, until } }: { readonly of: Measured }) {
  const time = until === null || Date.parse(until) <= Date.now() ? "" : `, ${relative(until)}`;
  return (
    <Mark tone={tones[state]}>
      {words.states[state]}
      {time}
    </Mark>
  );
}

/** What a limit allows and how much of it is used, as a bar with its figures. */
export function LimitBar({ use }: { readonly use: LimitUse }) {
  const { limit, most, used, credential } = use;
  const isMoney = limit === "cost_per_day";
  const share = Number(most) === 0 ? 1 : Number(used) / Number(most);
  const values = {
    used: isMoney ? money(used) : Number(used).toLocaleString("en-US"),
    most: isMoney ? money(most) : Number(most).toLocaleString("en-US"),
    limit: words.limitNames[limit],
  };
  const label = `${credential === null ? "" : `${credential}: `}${fill(words.limitOf, values)}`;
  const look = share >= 1 ? "bg-failing" : share >= 0.8 ? "bg-warning" : "bg-ok";
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
      <p className="text-[12px] text-muted">{label}</p>
    </div>
  );
}
