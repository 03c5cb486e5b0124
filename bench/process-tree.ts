// What a process and its descendants cost: processor time and resident memory.
import { readdirSync, readFileSync } from "node:fs";
import { processorMicroseconds } from "./processor-time.ts";

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** The process itself first, then its children and theirs. */
export function treeOf(root: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(Number(name)) }));
  const below = (pid: number): number[] => [
    pid,
    ...parents.filter((row) => row.parent === pid).flatMap((row) => below(row.pid)),
  ];
  return below(root);
}

/** Sum over the tree, microseconds. */
export function treeMicroseconds(root: number): number {
  return treeOf(root).reduce((sum, pid) => sum + processorMicroseconds(pid), 0);
}

/** Sum of VmRSS over `pids`, bytes; pages that they share are counted in each. */
export function residentBytes(pids: number[]): number {
  const kilobytes = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
  return kilobytes.reduce((sum, value) => sum + value, 0) * 1024;
}
