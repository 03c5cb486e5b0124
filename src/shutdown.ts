// The end of the listener: unready first, so that load balancers and clients go elsewhere; then what is in progress may finish; then the rest is cut.
import type { Listener } from "./http/server.ts";

const announceMs = 500;
/** Without a request for so long, nobody has a connection on which the next one could be lost. */
const idleMs = 10_000;
/** What is still to be settled when the last connection has closed: streams whose clients have left. */
const settleMs = 6_000;
const settleTickMs = 20;

/** Resolves when nothing is in progress any more, or has been cut after `drainMs`. */
export async function shutDown(
  listener: Listener,
  inFlight: () => number,
  beginDrain: () => void,
  drainMs: number,
): Promise<void> {
  beginDrain();
  listener.announce();
  if (inFlight() > 0 || listener.isBusy(idleMs)) await Bun.sleep(announceMs);
  const cut = setTimeout(() => void listener.stop(true), drainMs);
  await listener.stop(false);
  clearTimeout(cut);
  for (let waited = 0; waited < settleMs && inFlight() > 0; waited += settleTickMs) await Bun.sleep(settleTickMs);
}
