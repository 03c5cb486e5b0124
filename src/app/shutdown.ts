// Ends running work, for a key or for the listener. The listener first becomes unready, so that load balancers and
// clients go elsewhere; then requests in progress may finish; then the rest is aborted.
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import { keyRevoked } from "../gateway/pipeline/running-work.ts";
import type { Responses } from "../gateway/responses/responses.ts";
import type { Videos } from "../gateway/tasks/videos.ts";
import type { Listener } from "../http/server.ts";

const usualAnnounceMs = 500;
/** After so long without a request, no client has a connection on which the next one could be lost. */
const idleMs = 10_000;
/** Time to settle when the last connection has closed: for streams whose clients have left. */
const settleMs = 6_000;
const settleTickMs = 20;

/** How long clients may take to read the error that ends their requests. */
const farewellMs = 5_000;

/** How long a stop waits for a collector of traces at most. */
export const flushMs = 5_000;

/** What is shut down. */
interface Serving {
  readonly listener: Listener;
  readonly gateway: Pick<Gateway, "inFlight" | "running">;
  /** From now on the process is not ready. */
  beginDrain(): void;
}

/** Resolves when nothing is in progress any more, or has been cut after `drainMs`. */
export async function shutDown(serving: Serving, drainMs: number, announceMs = usualAnnounceMs): Promise<void> {
  const { listener, gateway, beginDrain } = serving;
  const { inFlight } = gateway;
  beginDrain();
  listener.announce();
  if (inFlight() > 0 || listener.isBusy(idleMs)) await Bun.sleep(announceMs);
  const cut = setTimeout(() => cutOff(serving), drainMs);
  await listener.stop(false);
  clearTimeout(cut);
  for (let waited = 0; waited < settleMs && inFlight() > 0; waited += settleTickMs) await Bun.sleep(settleTickMs);
}

/** Ends what is in progress with an error for its clients, and closes their connections a little later. */
export function cutOff({ listener, gateway }: Omit<Serving, "beginDrain">): void {
  gateway.running.endAll();
  setTimeout(() => void listener.stop(true), farewellMs).unref();
}

/** A key was revoked together with its running work. */
export function endWork(keyId: string, { running, events }: Gateway, responses: Responses, videos: Videos): void {
  const failed =
    (what: "responses" | "videos") =>
    (thrown: unknown): void =>
      events.backgroundTaskFailed(what, thrown);
  // Before their exchanges are aborted, so that these responses are canceled and not failed.
  void responses.cancelOf(keyId, keyRevoked()).catch(failed("responses"));
  running.endKey(keyId);
  void videos.cancelRevoked().catch(failed("videos"));
}
