// The waterfall of a request: each part of it as a bar over time, or as a table.
import { useState } from "react";
import { duration } from "../../data/format.ts";
import { type Span, type SpanKind, sumsOf } from "../../data/waterfall.ts";
import { texts } from "../../texts.ts";
import { Button, joined, Section } from "../../ui/basics.tsx";

const words = texts.requests;
const looks: Readonly<Record<SpanKind, string>> = {
  own: "bg-own",
  wait: "bg-muted",
  stream: "bg-ok",
  failed: "bg-failing",
};

/** What each color means, with the sum of its parts. */
function Legend({ spans }: { readonly spans: readonly Span[] }) {
  return (
    <ul className="mb-2 flex flex-wrap gap-x-4 text-[12px]">
      {sumsOf(spans).map(([kind, ms]) => (
        <li key={kind} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className={joined("h-2 w-3 rounded", looks[kind])} />
          {words.spanKinds[kind]} {duration(ms)}
        </li>
      ))}
    </ul>
  );
}

function Bars({ spans }: { readonly spans: readonly Span[] }) {
  const end = Math.max(0.001, ...spans.map(({ toMs }) => toMs));
  const at = (ms: number): string => `${(100 * ms) / end}%`;
  return (
    <ol className="flex flex-col gap-1">
      {spans.map((span) => (
        <li
          key={`${span.name} ${span.fromMs}`}
          className="grid grid-cols-[10rem_1fr_9rem] items-center gap-2 max-sm:grid-cols-[7rem_1fr_5rem]"
        >
          <span className="truncate text-muted" title={span.name}>
            {span.name}
          </span>
          <span className="relative h-3 rounded bg-sunken">
            <span
              className={joined("absolute inset-y-0 min-w-[3px] rounded", looks[span.kind])}
              style={{ left: `min(${at(span.fromMs)}, 100% - 3px)`, width: at(span.toMs - span.fromMs) }}
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

function Numbers({ spans }: { readonly spans: readonly Span[] }) {
  const [part, kind, start, took] = words.spanColumns;
  return (
    <table className="w-full">
      <thead>
        <tr className="text-muted">
          {[part, kind].map((name) => (
            <th key={name} scope="col" className="text-left font-medium">
              {name}
            </th>
          ))}
          {[start, took].map((name) => (
            <th key={name} scope="col" className="text-right font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {spans.map((span) => (
          <tr key={`${span.name} ${span.fromMs}`}>
            <th scope="row" className="break-words text-left font-normal">
              {span.name}
            </th>
            <td>{words.spanKinds[span.kind]}</td>
            <td className="whitespace-nowrap pl-2 text-right">{duration(span.fromMs)}</td>
            <td className="whitespace-nowrap pl-2 text-right">{span.note}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `children` go above the bars. */
export function Waterfall({
  spans,
  children,
}: {
  readonly spans: readonly Span[];
  readonly children?: React.ReactNode;
}) {
  const [isTable, setTable] = useState(false);
  const toggle = (
    <Button look="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
      {isTable ? texts.common.showChart : texts.common.showTable}
    </Button>
  );
  return (
    <Section title={words.waterfall} aside={spans.length === 0 ? undefined : toggle}>
      {children}
      <Legend spans={spans} />
      {isTable ? <Numbers spans={spans} /> : <Bars spans={spans} />}
    </Section>
  );
}
