// What the command line of the benchmark says.
import { parseArgs } from "node:util";

export type Options = {
  quick: boolean;
  json: boolean;
  write: boolean;
  /** Names of the peers to run; empty means all of them. */
  only: string[];
  rounds: number;
  /** Length of one measurement of one peer on one workload. */
  cellMs: number;
  /** Of each peer, before the first round: long enough for its hot code to be compiled. */
  warmUpMs: number;
  /** Streams that are open at once in the crowd, and events in each of them. */
  crowdStreams: number;
  starts: number;
};

const flags = {
  quick: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  only: { type: "string", default: "" },
  rounds: { type: "string" },
} as const;

const lengths = {
  full: { rounds: 5, cellMs: 1500, warmUpMs: 25_000, crowdStreams: 1000, starts: 5 },
  quick: { rounds: 2, cellMs: 400, warmUpMs: 1500, crowdStreams: 1000, starts: 5 },
};

/** Throws on an unknown flag or a number of rounds that is none. */
export function readOptions(words: string[]): Options {
  const { values } = parseArgs({ args: words, options: flags });
  const length = lengths[values.quick ? "quick" : "full"];
  const rounds = values.rounds === undefined ? length.rounds : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds wants a whole number from 1");
  const only = values.only.split(",").filter((name) => name !== "");
  return { ...length, quick: values.quick, json: values.json, write: values.write, only, rounds };
}
