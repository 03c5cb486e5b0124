// A chart of bars over time with a name, a sentence that says what it shows, and a table behind a switch.
import { type ReactNode, useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import { count, exactTime } from "../data/format.ts";
import { texts } from "../texts.ts";
import { Button, Section } from "./basics.tsx";

export interface Point {
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly values: readonly number[];
}

interface ChartProps {
  readonly title: string;
  readonly sentence: string;
  readonly series: readonly { readonly name: string; readonly color: string }[];
  readonly points: readonly Point[];
  /** Lines where series are compared; bars, the last one in front, where one is a part of another. */
  readonly kind?: "bars" | "lines";
  /** Writes a value with its unit. */
  readonly format?: (value: number) => string;
  /** Choices of what is shown. */
  readonly aside?: ReactNode;
}

const height = 150;
const colorOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Lines differ in their dashes too. */
const dashes: readonly number[][] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3], [12, 4]];

function optionsOf(props: ChartProps, width: number): uPlot.Options {
  const { title, series, points, kind = "bars", format = count } = props;
  const isBars = kind === "bars";
  const axis = { stroke: colorOf("--muted"), grid: { stroke: colorOf("--line"), width: 1 }, ticks: { show: false } };
  const stepSeconds = ((points[1]?.atMs ?? 0) - (points[0]?.atMs ?? 0)) / 1_000;
  const bars = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  return {
    title: "",
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    axes: [axis, { ...axis, size: 62, values: (_plot, values) => values.map((value) => format(value)) }],
    // The bar of the last step is drawn behind its time.
    scales: {
      x: { range: (_plot, first, last) => [first, last + stepSeconds] },
      y: { range: (_plot, _min, most) => [0, most > 0 ? most * 1.1 : 1] },
    },
    series: [
      { label: title },
      ...series.map(({ name, color }, at) => ({
        label: name,
        stroke: colorOf(color),
        points: { show: false },
        ...(isBars ? { fill: colorOf(color), width: 0 } : { width: 2, dash: dashes[at % dashes.length] ?? [] }),
        ...(isBars && bars !== undefined ? { paths: bars } : {}),
      })),
    ],
  };
}

function Plot(props: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const { points, series } = props;
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const data = [
      points.map(({ atMs }) => atMs / 1_000),
      ...series.map((_, at) => points.map(({ values }) => values[at] ?? 0)),
    ];
    let plot: uPlot | null = null;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(optionsOf(props, element.clientWidth), data as unknown as uPlot.AlignedData, element);
    };
    draw();
    const sizes = new ResizeObserver(() => plot !== null && plot.width !== element.clientWidth && draw());
    const theme = new MutationObserver(draw);
    sizes.observe(element);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      sizes.disconnect();
      theme.disconnect();
      plot?.destroy();
    };
  }, [points, series, props]);
  return (
    <div
      ref={holder}
      role="img"
      aria-label={`${props.title}. ${props.sentence}`}
      style={{ height }}
      className="overflow-hidden"
    />
  );
}

function Legend({ series, kind }: Pick<ChartProps, "series" | "kind">) {
  return (
    <ul className="flex flex-wrap gap-x-4 text-[12px]">
      {series.map(({ name, color }, at) => (
        <li key={name} className="inline-flex min-w-0 items-center gap-1.5">
          <svg width="20" height="8" aria-hidden="true" className="shrink-0">
            <line
              x1="0"
              x2="20"
              y1="4"
              y2="4"
              stroke={`var(${color})`}
              strokeWidth={kind === "lines" ? 2 : 8}
              strokeDasharray={kind === "lines" ? (dashes[at % dashes.length] ?? []).join(" ") : ""}
            />
          </svg>
          <span className="truncate">{name}</span>
        </li>
      ))}
    </ul>
  );
}

function Numbers({ title, series, points, format = count }: ChartProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section tabIndex={0} className="max-h-60 overflow-auto" aria-label={title}>
      <table className="w-full">
        <thead>
          <tr>
            <th scope="col" className="text-left font-medium text-muted">
              {texts.requests.columns.time}
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="text-right font-medium text-muted">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ atMs, values }) => (
            <tr key={atMs}>
              <th scope="row" className="text-left font-normal">
                {exactTime(new Date(atMs).toISOString())}
              </th>
              {series.map(({ name }, at) => (
                <td key={name} className="text-right">
                  {format(values[at] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Chart(props: ChartProps) {
  const [isTable, setTable] = useState(false);
  const toggle = (
    <span className="flex flex-wrap items-center justify-end gap-2">
      {props.aside}
      <Button look="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
        {isTable ? texts.common.showChart : texts.common.showTable}
      </Button>
    </span>
  );
  return (
    <Section title={props.title} aside={toggle}>
      <p className="mb-1 text-muted">{props.sentence}</p>
      {isTable ? <Numbers {...props} /> : <Plot {...props} />}
      {isTable ? null : <Legend {...props} />}
    </Section>
  );
}
