// The exchanges in progress, so that those of a key, or all, can be ended early.
import { GatewayError } from "../../canonical/error.ts";
import { LiveList, type Member } from "../../lib/live-list.ts";

/** A request in progress. */
export interface RunningRequest {
  /** The gateway's own id. */
  readonly id: string;
  readonly requestId: string;
  readonly keyId: string;
  readonly project: string;
  readonly operation: string;
  readonly model: string;
  /** Null until a provider answers. */
  readonly provider: string | null;
  readonly startedMs: number;
  readonly firstByteMs: number | null;
}

/** An exchange that can be ended early. */
export interface Stoppable extends Member {
  readonly id: string;
  readonly keyId: string;
  describe(): RunningRequest;
  /** Ends it with this error for its client. Further calls change nothing. */
  stop(reason: GatewayError): void;
}

export interface RunningWork {
  /** Ends it at once if its key was revoked just before. */
  add(work: Stoppable): void;
  remove(work: Stoppable): void;
  /** Those in progress, without an order. */
  list(): readonly RunningRequest[];
  /** Ends one request. False if it is not in progress in this process. */
  end(id: string): boolean;
  /** Ends what is in progress or about to start for a key. */
  endKey(keyId: string): void;
  /** Ends everything, including what starts from now on, because the process stops. */
  endAll(): void;
}

/** The client's error if its key is revoked while its request is in progress. */
export const keyRevoked = (): GatewayError => new GatewayError("key_revoked", "The API key was revoked.");

/** The client's error if its request was in progress when the process had to end. */
const stopping = (): GatewayError =>
  new GatewayError("draining", "The gateway is shutting down.", { retryAfterMs: 1_000 });

/** The client's error if the operator ended its request. */
const canceled = (): GatewayError =>
  new GatewayError("client_closed", "The request was canceled by an administrator.", { code: "request_canceled" });

export function createRunningWork(): RunningWork {
  const running = new LiveList<Stoppable>();
  /** Only during this process: a key that was revoked earlier is not accepted any more. */
  const ended = new Set<string>();
  let isStopping = false;
  return {
    add(work) {
      running.add(work);
      if (isStopping) work.stop(stopping());
      else if (ended.size > 0 && ended.has(work.keyId)) work.stop(keyRevoked());
    },
    remove: (work) => running.remove(work),
    list() {
      const requests: RunningRequest[] = [];
      running.each((work) => requests.push(work.describe()));
      return requests;
    },
    end(id) {
      let isFound = false;
      running.each((work) => {
        if (work.id !== id) return;
        isFound = true;
        work.stop(canceled());
      });
      return isFound;
    },
    endKey(keyId) {
      ended.add(keyId);
      running.each((work) => {
        if (work.keyId === keyId) work.stop(keyRevoked());
      });
    },
    endAll() {
      isStopping = true;
      running.each((work) => work.stop(stopping()));
    },
  };
}
