// One measurement: load on one running peer, and what its process spent meanwhile.
import type { Target } from "./connection.ts";
import type { CrowdResult } from "./crowd.ts";
import type { Load } from "./load.ts";
import type { Peer, PeerName } from "./peers.ts";
import { residentBytes, treeMicroseconds, treeOf } from "./process-tree.ts";
import type { WorkloadName } from "./workloads.ts";

export type RunningPeer = { peer: Peer; pid: number; target: Target };

export type Cell = {
  peer: PeerName;
  workload: WorkloadName;
  connections: number;
  round: number;
  requestsPerSecond: number;
  cpuMicrosecondsPerRequest: number;
  /** Only of a workload that streams. */
  cpuMicrosecondsPerEvent: number | undefined;
  p50Ms: number;
  p99Ms: number;
  peakResidentBytes: number;
  failures: string[];
};

export type Crowd = CrowdResult & { peer: PeerName; peakResidentBytes: number };

const sampleMs = 100;

/** Samples the memory of a process tree until `stop` is called, which says the most that it saw. */
function watchMemory(pid: number): { stop(): number } {
  const pids = treeOf(pid);
  let peak = residentBytes(pids);
  const sample = () => {
    peak = Math.max(peak, residentBytes(pids));
  };
  const timer = setInterval(sample, sampleMs);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}

/** How many requests the upstream has answered so far: the proof that a peer relays and does not remember. */
async function answeredUpstream(upstreamPort: number): Promise<number> {
  const state = (await (await fetch(`http://127.0.0.1:${upstreamPort}/`)).json()) as { answered: number };
  return state.answered;
}

export type CellPlan = { workload: WorkloadName; connections: number; round: number; durationMs: number };

export async function measureCell(
  running: RunningPeer,
  plan: CellPlan,
  load: Load,
  upstreamPort: number,
): Promise<Cell> {
  const { workload, connections, durationMs } = plan;
  const answeredBefore = await answeredUpstream(upstreamPort);
  const memory = watchMemory(running.pid);
  const cpuBefore = treeMicroseconds(running.pid);
  const seen = await load.steady({ target: running.target, workload, connections, durationMs });
  const cpu = treeMicroseconds(running.pid) - cpuBefore;
  const peakResidentBytes = memory.stop();
  const reached = (await answeredUpstream(upstreamPort)) - answeredBefore;
  const failures = [...seen.failures];
  if (reached !== seen.requests) failures.push(`${seen.requests} answers, ${reached} of them from the upstream`);
  return {
    peer: running.peer.name,
    workload,
    connections,
    round: plan.round,
    requestsPerSecond: seen.requests / (seen.elapsedMs / 1_000),
    cpuMicrosecondsPerRequest: cpu / seen.requests,
    cpuMicrosecondsPerEvent: seen.events === 0 ? undefined : cpu / seen.events,
    p50Ms: seen.p50Ms,
    p99Ms: seen.p99Ms,
    peakResidentBytes,
    failures,
  };
}

export async function measureCrowd(running: RunningPeer, streams: number, load: Load): Promise<Crowd> {
  const memory = watchMemory(running.pid);
  const seen = await load.crowd({ target: running.target, streams });
  return { ...seen, peer: running.peer.name, peakResidentBytes: memory.stop() };
}
