// Processor time of another process: to the nanosecond from the kernel's clock of it, else in ticks of 10 ms.
import { dlopen, FFIType, ptr } from "bun:ffi";
import { readFileSync } from "node:fs";

const ticksPerSecond = 100;
const schedulerClock = 2;

type ReadMicroseconds = (pid: number) => number | undefined;

/** The clock id of a process, as `clock_getcpuclockid(3)` makes it. */
const clockOf = (pid: number) => (~pid << 3) | schedulerClock;

function kernelClock(): ReadMicroseconds | undefined {
  try {
    const libc = dlopen("libc.so.6", { clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } });
    const time = new BigInt64Array(2);
    return (pid) => {
      if (libc.symbols.clock_gettime(clockOf(pid), ptr(time)) !== 0) return undefined;
      return Number(time[0]) * 1e6 + Number(time[1]) / 1e3;
    };
  } catch {
    return undefined;
  }
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return "";
  }
}

/** utime and stime of `/proc/<pid>/stat`, threads that ended included; 0 for a process that is gone. */
function ticks(pid: number): number {
  const stat = statOf(pid);
  if (stat === "") return 0;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

const exact = kernelClock();

/** Says which of the two clocks is in use. */
export const clockName = exact === undefined ? "utime + stime, ticks of 10 ms" : "the kernel's clock of the process";

/** User and system time of one process since it began, in microseconds. */
export function processorMicroseconds(pid: number): number {
  return exact?.(pid) ?? ticks(pid);
}
