// How running work is ended. For a key: whatever it is. For the listener: unready first, so that load balancers and clients go elsewhere; then what is in progress may finish; then the rest is cut.
import type { Gateway } from "./gateway/pipeline/gateway.ts";
import { keyRevoked } from "./gateway/pipeline/running-work.ts";
import type { Responses } from "./gateway/responses/responses.ts";
import type { Videos } from "./gateway/tasks/videos.ts";
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

/** A key was revoked together with its running work. */
export function endWork(keyId: string, { running, events }: Gateway, responses: Responses, videos: Videos): void {
  const failed =
    (what: "responses" | "videos") =>
    (thrown: unknown): void =>
      events.backgroundTaskFailed(what, thrown);
  // Before their exchanges: these responses are canceled, and have not failed.
  void responses.cancelOf(keyId, keyRevoked()).catch(failed("responses"));
  running.endKey(keyId);
  void videos.cancelRevoked().catch(failed("videos"));
}
