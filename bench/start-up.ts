// How long a peer takes from the start of its process until it says that it is ready.
import { join } from "node:path";
import type { Peer } from "./peers.ts";
import { freePort, startService } from "./service.ts";
import { type Spread, spread } from "./statistics.ts";

export type StartUp = {
  /** The first start, with an empty data folder. */
  firstMs: number;
  /** That one and the ones after it, on the same folder. */
  all: Spread | undefined;
};

/** Starts and stops the peer `count` times in a folder that is empty at first. */
export async function measureStartUp(
  peer: Peer,
  upstreamPort: number,
  root: string,
  count: number,
): Promise<StartUp | undefined> {
  if (peer.command === undefined) return undefined;
  const folder = join(root, `${peer.name}-start-up`);
  const times: number[] = [];
  for (let start = 0; start < count; start += 1) {
    const port = freePort();
    const service = await startService(
      `${peer.name}-start-up`,
      peer.command({ port, upstreamPort, folder }),
      port,
      root,
    );
    times.push(service.readyMs);
    await service.stop();
  }
  return { firstMs: times[0] ?? 0, all: spread(times) };
}
