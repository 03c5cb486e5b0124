// The metrics registry: counters, gauges and histograms by their labels, and their text for Prometheus.
import { formatDecimal } from "../lib/decimal.ts";

type MetricType = "counter" | "gauge" | "histogram" | "summary";

/** One metric with all its labels: its name and its meaning. */
export interface MetricFamily {
  /** As in the text: a counter ends with `_total`. */
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  /** Names of its labels. */
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram, ascending, without the last one, which is infinite. */
  readonly bounds?: readonly number[];
}

/** `openmetrics` is the successor of the text format of Prometheus. */
export type ExpositionFormat = "text" | "openmetrics";

export const contentTypeOf: { readonly [format in ExpositionFormat]: string } = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** One combination of labels. */
interface Series {
  /** Its lines; `labels` is the text between the braces. */
  lines(name: string, labels: string): string;
}

const line = (name: string, labels: string, value: number | string): string =>
  labels === "" ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`;

const withLabel = (labels: string, label: string): string => (labels === "" ? label : `${labels},${label}`);

/** Only increases. */
export class Counter implements Series {
  private value = 0;

  add(amount: number): void {
    this.value += amount;
  }

  lines(name: string, labels: string): string {
    return line(name, labels, this.value);
  }
}

const nanoDigits = 9;

/** Dollars as an exact sum of nano-dollars. */
export class DollarCounter implements Series {
  private nanoDollars = 0n;

  add(nanoDollars: bigint): void {
    this.nanoDollars += nanoDollars;
  }

  lines(name: string, labels: string): string {
    return line(name, labels, formatDecimal(this.nanoDollars, nanoDigits));
  }
}

/** Observations by buckets of their size. */
export class Histogram implements Series {
  private readonly bounds: readonly number[];
  private readonly counts: number[];
  private sum = 0;
  /** Prefixes of the lines of its buckets, made on first use. */
  private prefixes: readonly string[] | null = null;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += value;
  }

  lines(name: string, labels: string): string {
    this.prefixes ??= [...this.bounds, "+Inf"].map((le) => `${name}_bucket{${withLabel(labels, `le="${le}"`)}} `);
    let total = 0;
    let text = "";
    for (let at = 0; at < this.counts.length; at++) {
      total += this.counts[at] ?? 0;
      text += `${this.prefixes[at]}${total}\n`;
    }
    return `${text}${line(`${name}_sum`, labels, this.sum)}${line(`${name}_count`, labels, total)}`;
  }
}

/** A value that is read when the text is made. */
class Reading implements Series {
  private readonly read: () => number;

  constructor(read: () => number) {
    this.read = read;
  }

  lines(name: string, labels: string): string {
    return line(name, labels, this.read());
  }
}

/** Values of a gauge by its labels, all read when the text is made. */
class Readings implements Series {
  readonly labels: readonly string[];
  private readonly read: ReadAll;

  constructor({ labels }: MetricFamily, read: ReadAll) {
    this.labels = labels;
    this.read = read;
  }

  lines(name: string): string {
    return this.read()
      .map(([values, value]) => line(name, labelsOf(this, values), value))
      .join("");
  }
}

type ReadAll = () => readonly (readonly [values: readonly string[], value: number])[];

/** Quantiles of a time window: `quantile` is 0 to 1. */
export interface Quantiles {
  readonly at: readonly { readonly quantile: number; readonly value: number }[];
  /** Of all observations. */
  readonly sum: number;
  readonly count: number;
}

class Summary implements Series {
  private readonly read: () => Quantiles;

  constructor(read: () => Quantiles) {
    this.read = read;
  }

  lines(name: string, labels: string): string {
    const { at, sum, count } = this.read();
    const rows = at.map(({ quantile, value }) => line(name, withLabel(labels, `quantile="${quantile}"`), value));
    return `${rows.join("")}${line(`${name}_sum`, labels, sum)}${line(`${name}_count`, labels, count)}`;
  }
}

export interface Registry {
  /** The series with these values of the family's labels, created on first use. */
  counter(family: MetricFamily, values?: readonly string[]): Counter;
  dollars(family: MetricFamily, values?: readonly string[]): DollarCounter;
  histogram(family: MetricFamily, values?: readonly string[]): Histogram;
  /** A gauge, or a counter that is counted elsewhere. */
  reading(family: MetricFamily, read: () => number, values?: readonly string[]): void;
  /** A gauge whose labels are known when it is read. */
  readings(family: MetricFamily, read: ReadAll): void;
  summary(family: MetricFamily, read: () => Quantiles): void;
  /** All series, in steps if there are many. */
  text(format: ExpositionFormat): Generator<void, string>;
}

const maxLabelChars = 200;
/** Takes about a millisecond. */
const charsPerStep = 65_536;
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

const labelValue = (value: string): string =>
  value
    .slice(0, maxLabelChars)
    .toWellFormed()
    .replace(/[\\"\n]/g, (char) => escapes[char] ?? char);

const labelsOf = ({ labels }: Pick<MetricFamily, "labels">, values: readonly string[]): string =>
  labels.map((label, at) => `${label}="${labelValue(values[at] ?? "")}"`).join(",");

/** OpenMetrics names a counter without its `_total`, except in its samples. */
function head({ name, type, help }: MetricFamily, format: ExpositionFormat): string {
  const shown = format === "openmetrics" && type === "counter" ? name.replace(/_total$/, "") : name;
  return `# HELP ${shown} ${help}\n# TYPE ${shown} ${type}\n`;
}

export function createRegistry(): Registry {
  const families = new Map<MetricFamily, Map<string, Series>>();
  const seriesOf = <Kind extends Series>(family: MetricFamily, values: readonly string[], make: () => Kind): Kind => {
    const known = families.get(family) ?? new Map<string, Series>();
    families.set(family, known);
    const labels = labelsOf(family, values);
    const found = known.get(labels) ?? make();
    known.set(labels, found);
    return found as Kind;
  };
  return {
    counter: (family, values = []) => seriesOf(family, values, () => new Counter()),
    dollars: (family, values = []) => seriesOf(family, values, () => new DollarCounter()),
    histogram: (family, values = []) => seriesOf(family, values, () => new Histogram(family.bounds ?? [])),
    reading: (family, read, values = []) => void seriesOf(family, values, () => new Reading(read)),
    readings: (family, read) => void seriesOf(family, [], () => new Readings(family, read)),
    summary: (family, read) => void seriesOf(family, [], () => new Summary(read)),
    *text(format) {
      let text = "";
      let doneChars = 0;
      for (const [family, allSeries] of families) {
        text += head(family, format);
        for (const [labels, series] of allSeries) {
          text += series.lines(family.name, labels);
          if (text.length - doneChars < charsPerStep) continue;
          doneChars = text.length;
          yield;
        }
      }
      return `${text}${format === "openmetrics" ? "# EOF\n" : ""}`;
    },
  };
}
