// The order of one run: start everything, look at it idle, warm it up, then measure in turn.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { barConnections } from "./bars.ts";
import type { Load } from "./load.ts";
import { startLoad } from "./load-client.ts";
import { machine } from "./machine.ts";
import { type Cell, type Crowd, measureCell, measureCrowd, type RunningPeer } from "./measure.ts";
import type { Options } from "./options.ts";
import { type Peer, peers } from "./peers.ts";
import { residentBytes, treeOf } from "./process-tree.ts";
import type { Results } from "./results.ts";
import { freePort, type Service, startService } from "./service.ts";
import { measureStartUp } from "./start-up.ts";
import { verify } from "./verify.ts";
import { timedWorkloads } from "./workloads.ts";

/** Says what is going on; the results go elsewhere. */
export type Say = (line: string) => void;

type Stage = { options: Options; folder: string; load: Load; upstream: RunningPeer; running: RunningPeer[]; say: Say };

const settleMs = 1_500;
const connectionCounts = [1, barConnections];

/** Starts what can be started; a peer that cannot is a line in the report, not the end of the run. */
async function startPeer(peer: Peer, upstream: RunningPeer, folder: string, keep: (service: Service) => void) {
  const reason = await peer.unavailable();
  if (reason !== undefined) return { reason };
  if (peer.command === undefined) return { running: { ...upstream, peer } };
  const upstreamPort = upstream.target.port;
  const port = freePort();
  const place = { port, upstreamPort, folder: join(folder, peer.name) };
  try {
    const service = await startService(peer.name, peer.command(place), port, folder);
    keep(service);
    const running: RunningPeer = { peer, pid: service.pid, target: { port, headers: peer.headers(upstreamPort) } };
    await Bun.sleep(settleMs);
    const idle = residentBytes(treeOf(service.pid));
    await verify(running, upstream);
    return { running, idle };
  } catch (cause) {
    return { reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

async function startUpstream(folder: string, keep: (service: Service) => void): Promise<RunningPeer> {
  const port = freePort();
  const words = [process.execPath, join(import.meta.dir, "upstream.ts")];
  const service = await startService("upstream", { words, env: { PORT: String(port) }, readyPath: "/" }, port, folder);
  keep(service);
  const peer = peers.find((row) => row.command === undefined);
  if (peer === undefined) throw new Error("the table of peers has no upstream");
  return { peer, pid: service.pid, target: { port, headers: peer.headers(port) } };
}

async function warmUp({ options, load, running, say }: Stage): Promise<void> {
  for (const peer of running) {
    say(`warming up ${peer.peer.title}`);
    for (const workload of timedWorkloads) {
      const durationMs = options.warmUpMs / timedWorkloads.length;
      await load.steady({ target: peer.target, workload, connections: barConnections, durationMs });
    }
  }
}

/** Every round begins with another peer, so that none is always first after a pause. */
function turned<Item>(items: Item[], by: number): Item[] {
  const cut = by % items.length;
  return [...items.slice(cut), ...items.slice(0, cut)];
}

async function measureRounds({ options, load, upstream, running, say }: Stage): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    say(`round ${round} of ${options.rounds}`);
    for (const workload of timedWorkloads) {
      for (const connections of connectionCounts) {
        for (const peer of turned(running, round)) {
          const plan = { workload, connections, round, durationMs: options.cellMs };
          cells.push(await measureCell(peer, plan, load, upstream.target.port));
        }
      }
    }
  }
  return cells;
}

async function measureCrowds({ options, load, running, say }: Stage): Promise<Crowd[]> {
  const crowds: Crowd[] = [];
  for (const peer of running.filter((row) => row.peer.command !== undefined)) {
    say(`${options.crowdStreams} streams at once through ${peer.peer.title}`);
    crowds.push(await measureCrowd(peer, options.crowdStreams, load));
  }
  return crowds;
}

function chosen(options: Options): Peer[] {
  const unknown = options.only.filter((name) => !peers.some((peer) => peer.name === name));
  if (unknown.length > 0)
    throw new Error(`no such peer: ${unknown.join(", ")}. There are ${peers.map((peer) => peer.name).join(", ")}`);
  return peers.filter(
    (peer) => options.only.length === 0 || options.only.includes(peer.name) || peer.command === undefined,
  );
}

/** Gone with the benchmark's own process, however that ends. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Measures and cleans up behind itself, also when it fails. */
export async function run(options: Options, command: string, say: Say): Promise<Results> {
  const selected = chosen(options);
  const facts = machine();
  const folder = temporaryFolder();
  const services: Service[] = [];
  const keep = (service: Service) => services.push(service);
  const load = startLoad();
  try {
    const upstream = await startUpstream(folder, keep);
    const skipped: Results["skipped"] = [];
    const running: RunningPeer[] = [];
    const idleResidentBytes: Results["idleResidentBytes"] = {};
    for (const peer of selected) {
      const started = await startPeer(peer, upstream, folder, keep);
      if (started.running === undefined) skipped.push({ title: peer.title, reason: started.reason ?? "unknown" });
      else running.push(started.running);
      if (started.idle !== undefined) idleResidentBytes[peer.name] = started.idle;
      say(started.running === undefined ? `${peer.title} is left out: ${started.reason}` : `${peer.title} is up`);
    }
    const turnpike = running.find((peer) => peer.peer.name === "turnpike");
    const startUp = turnpike && (await measureStartUp(turnpike.peer, upstream.target.port, folder, options.starts));
    const stage: Stage = { options, folder, load, upstream, running, say };
    await warmUp(stage);
    const cells = await measureRounds(stage);
    const crowds = await measureCrowds(stage);
    return {
      date: new Date().toISOString().slice(0, 10),
      command,
      rounds: options.rounds,
      cellMs: options.cellMs,
      machine: facts,
      ran: running.map(({ peer }) => ({ name: peer.name, title: peer.title })),
      skipped,
      cells,
      crowds,
      idleResidentBytes,
      startUp,
    };
  } finally {
    load.stop();
    for (const service of services.toReversed()) await service.stop();
  }
}
