// Gauges of the state of upstreams, read when they are scraped.
import { metricFamilies as families } from "./metric-families.ts";
import type { MetricFamily, Registry } from "./registry.ts";

/** What is shown of one credential of a provider. */
export interface UpstreamReading {
  readonly provider: string;
  /** Null if the provider has only one. */
  readonly credential: string | null;
  readonly state: string;
  readonly inFlight: number;
  /** Of the last one to two minutes. */
  readonly attempts: number;
  readonly failures: number;
  readonly modelsSetAside: number;
}

/** More would make a scrape too long. */
const shownUpstreams = 500;
const onlyCredential = "default";

/** Adds the gauges to `registry`. `states` are all values of the label `state`. */
export function addUpstreamMetrics(
  registry: Registry,
  states: readonly string[],
  read: () => readonly UpstreamReading[],
): void {
  const gauges = (family: MetricFamily, numberOf: (upstream: UpstreamReading) => number): void =>
    registry.readings(family, () =>
      read()
        .slice(0, shownUpstreams)
        .map((each) => [labelsOf(each), numberOf(each)]),
    );
  registry.readings(families.upstreamState, () =>
    read()
      .slice(0, shownUpstreams)
      .flatMap((each) => states.map((state) => [[...labelsOf(each), state], each.state === state ? 1 : 0] as const)),
  );
  gauges(families.upstreamInFlight, ({ inFlight }) => inFlight);
  gauges(families.upstreamErrorRatio, ({ attempts, failures }) => (attempts === 0 ? 0 : failures / attempts));
  gauges(families.modelsSetAside, ({ modelsSetAside }) => modelsSetAside);
}

const labelsOf = ({ provider, credential }: UpstreamReading): string[] => [provider, credential ?? onlyCredential];
