// The waterfall of a request: each part of it as a bar over time.
import type { Span } from "../../data/waterfall.ts";
import { joined } from "../../ui/basics.tsx";

const spanLooks = { own: "bg-own", wait: "bg-muted", stream: "bg-ok", failed: "bg-failing" } as const;

export function Waterfall({ spans }: { readonly spans: readonly Span[] }) {
  const end = Math.max(1, ...spans.map(({ toMs }) => toMs));
  const at = (ms: number): string => `${(100 * ms) / end}%`;
  return (
    <ol className="flex flex-col gap-1">
      {spans.map((span) => (
        <li
          key={`${span.name} ${span.fromMs}`}
          className="grid grid-cols-[10rem_1fr_9rem] items-center gap-2 max-sm:grid-cols-[7rem_1fr_5rem]"
        >
          <span className="truncate text-muted">{span.name}</span>
          <span className="relative h-3 rounded bg-sunken">
            <span
              className={joined("absolute inset-y-0 min-w-0.5 rounded", spanLooks[span.kind])}
              style={{ left: at(span.fromMs), width: at(span.toMs - span.fromMs) }}
            />
          </span>
          <span className="truncate text-right" title={span.note}>
            {span.note}
          </span>
        </li>
      ))}
    </ol>
  );
}
