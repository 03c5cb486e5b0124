// Everything that one run has seen, and how to ask it for a figure.
import type { Machine } from "./machine.ts";
import type { Cell, Crowd } from "./measure.ts";
import type { PeerName } from "./peers.ts";
import type { StartUp } from "./start-up.ts";
import { type Spread, spread } from "./statistics.ts";
import type { WorkloadName } from "./workloads.ts";

export type Results = {
  date: string;
  command: string;
  rounds: number;
  cellMs: number;
  machine: Machine;
  /** Peers that ran, in the order of the table. */
  ran: { name: PeerName; title: string }[];
  skipped: { title: string; reason: string }[];
  cells: Cell[];
  crowds: Crowd[];
  idleResidentBytes: Partial<Record<PeerName, number>>;
  startUp: StartUp | undefined;
};

export type Point = { peer: PeerName; workload: WorkloadName; connections: number };

export type Figure = (cell: Cell) => number | undefined;

/** Only measurements without a failure: an answer that went wrong is quick, and says nothing. */
function at(results: Results, point: Point): Cell[] {
  return results.cells.filter(
    (cell) =>
      cell.peer === point.peer &&
      cell.workload === point.workload &&
      cell.connections === point.connections &&
      cell.failures.length === 0,
  );
}

const present = (value: number | undefined): value is number => value !== undefined;

/** Over the rounds of one peer. */
export function figureOf(results: Results, point: Point, figure: Figure): Spread | undefined {
  return spread(at(results, point).map(figure).filter(present));
}

/** Joins two peers round by round, so that what slows the whole machine down weighs on both. */
export function compared(
  results: Results,
  point: Point,
  other: PeerName,
  figure: Figure,
  join: (own: number, others: number) => number,
): Spread | undefined {
  const others = at(results, { ...point, peer: other });
  const values = at(results, point).map((cell) => {
    const own = figure(cell);
    const match = others.find((candidate) => candidate.round === cell.round);
    const their = match === undefined ? undefined : figure(match);
    return own === undefined || their === undefined ? undefined : join(own, their);
  });
  return spread(values.filter(present));
}
