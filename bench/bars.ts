// The bars that Turnpike must hold, and where this run stands beside them.
import type { PeerName } from "./peers.ts";
import { compared, type Figure, type Results } from "./results.ts";
import type { Spread } from "./statistics.ts";
import type { WorkloadName } from "./workloads.ts";

export type Bar = {
  what: string;
  limit: number;
  /** Whether the figure must stay at or under the limit, or reach it. */
  sense: "at most" | "at least" | "under";
  unit: string;
  measured: Spread | undefined;
};

const holds = {
  "at most": (value: number, limit: number) => value <= limit,
  "at least": (value: number, limit: number) => value >= limit,
  under: (value: number, limit: number) => value < limit,
} satisfies Record<Bar["sense"], (value: number, limit: number) => boolean>;

/** `undefined` where nothing was measured. */
export function barHolds(bar: Bar): boolean | undefined {
  return bar.measured === undefined ? undefined : holds[bar.sense](bar.measured.median, bar.limit);
}

/** Connections at which the ratios are compared. */
export const barConnections = 32;

const perRequest: Figure = (cell) => cell.cpuMicrosecondsPerRequest;
const perEvent: Figure = (cell) => cell.cpuMicrosecondsPerEvent;
const megabyte = 2 ** 20;

function once(value: number | undefined): Spread | undefined {
  return value === undefined ? undefined : { median: value, min: value, max: value };
}

export function bars(results: Results): Bar[] {
  const ratio = (above: PeerName, below: PeerName, workload: WorkloadName, figure: Figure) =>
    compared(
      results,
      { peer: above, workload, connections: barConnections },
      below,
      figure,
      (own, other) => own / other,
    );
  const idle = results.idleResidentBytes.turnpike;
  return [
    {
      what: "CPU per 1 KB JSON request, Turnpike / bare relay",
      measured: ratio("turnpike", "relay", "json-1k", perRequest),
      sense: "at most",
      limit: 1.9,
      unit: "x",
    },
    {
      what: "CPU per 100 KB request of an agent, Turnpike / bare relay",
      measured: ratio("turnpike", "relay", "agent-100k", perRequest),
      sense: "at most",
      limit: 1.7,
      unit: "x",
    },
    {
      what: "CPU per 1 MB JSON request, Turnpike / bare relay",
      measured: ratio("turnpike", "relay", "json-1m", perRequest),
      sense: "at most",
      limit: 1.8,
      unit: "x",
    },
    {
      what: "CPU per SSE event, Turnpike / bare relay",
      measured: ratio("turnpike", "relay", "sse", perEvent),
      sense: "at most",
      limit: 1.5,
      unit: "x",
    },
    {
      what: "CPU per 1 KB JSON request, Portkey under Node / Turnpike",
      measured: ratio("portkey-node", "turnpike", "json-1k", perRequest),
      sense: "at least",
      limit: 6,
      unit: "x",
    },
    {
      what: "Resident memory of Turnpike, idle",
      measured: once(idle === undefined ? undefined : idle / megabyte),
      sense: "at most",
      limit: 80,
      unit: "MB",
    },
    {
      what: "Process start of Turnpike to ready",
      measured: results.startUp?.all,
      sense: "under",
      limit: 300,
      unit: "ms",
    },
  ];
}
