// The closed loop: a number of connections, each sending its next request when the last one is answered.
import { type Connection, connect, encodeRequest, type Target } from "./connection.ts";
import { percentile } from "./statistics.ts";
import { chatPath, type WorkloadName, workloads } from "./workloads.ts";

export type SteadyJob = {
  kind: "steady";
  target: Target;
  workload: WorkloadName;
  connections: number;
  durationMs: number;
};

export type SteadyResult = {
  requests: number;
  events: number;
  elapsedMs: number;
  /** Milliseconds to the whole answer, or to the first event of a stream. */
  p50Ms: number;
  p99Ms: number;
  /** Answers that were no 200 or held the wrong number of events, and connections that broke. */
  failures: string[];
};

type Tally = { requests: number; events: number; latencies: number[]; failures: string[] };

const mark = Buffer.from("\n\n");

/** Counts ends of frames, also where one is cut in two. */
function frameCounter(): { add(piece: Buffer): void; take(): number } {
  let count = 0;
  let endsInNewline = false;
  const add = (piece: Buffer) => {
    if (endsInNewline && piece[0] === 0x0a) count += 1;
    for (let at = piece.indexOf(mark); at >= 0; at = piece.indexOf(mark, at + mark.length)) count += 1;
    endsInNewline = piece.at(-1) === 0x0a && piece.at(-2) !== 0x0a;
  };
  const take = () => {
    const taken = count;
    count = 0;
    return taken;
  };
  return { add, take };
}

/** One connection in its loop until the deadline; resolves when its last answer is complete. */
function drive(job: SteadyJob, request: Uint8Array, deadline: number, tally: Tally): Promise<void> {
  const expected = workloads[job.workload].events;
  return new Promise((resolve) => {
    const frames = frameCounter();
    let connection: Connection;
    let sentAt = 0;
    let firstAt = 0;
    const next = () => {
      if (performance.now() >= deadline) {
        connection.close();
        resolve();
        return;
      }
      firstAt = 0;
      sentAt = performance.now();
      connection.send();
    };
    const settle = (status: number) => {
      const now = performance.now();
      const seen = frames.take();
      tally.requests += 1;
      tally.events += seen;
      tally.latencies.push((expected === undefined ? now : firstAt) - sentAt);
      if (status !== 200) tally.failures.push(`status ${status}`);
      else if (expected !== undefined && seen !== expected) tally.failures.push(`${seen} of ${expected} events`);
    };
    connect(job.target.port, request, {
      onBody(piece) {
        if (expected === undefined) return;
        if (firstAt === 0) firstAt = performance.now();
        frames.add(piece);
      },
      onEnd(status) {
        settle(status);
        next();
      },
      onLost(reason) {
        tally.failures.push(reason.message);
        resolve();
      },
    }).then(
      (opened) => {
        connection = opened;
        next();
      },
      (cause: Error) => {
        tally.failures.push(cause.message);
        resolve();
      },
    );
  });
}

export async function runSteady(job: SteadyJob): Promise<SteadyResult> {
  const request = encodeRequest(job.target, chatPath, workloads[job.workload].body);
  const tally: Tally = { requests: 0, events: 0, latencies: [], failures: [] };
  const startedAt = performance.now();
  const deadline = startedAt + job.durationMs;
  await Promise.all(Array.from({ length: job.connections }, () => drive(job, request, deadline, tally)));
  const elapsedMs = performance.now() - startedAt;
  const sorted = tally.latencies.sort((a, b) => a - b);
  const { requests, events, failures } = tally;
  return {
    requests,
    events,
    elapsedMs,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    failures: failures.slice(0, 5),
  };
}
