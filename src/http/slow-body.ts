// A body that comes too slowly: whoever sends a byte now and then must not hold a connection for ever.
import { GatewayError } from "../canonical/error.ts";
import { createSharedInterval } from "../lib/shared-interval.ts";

export interface BodyPace {
  /** A body may take this long before its rate counts. */
  readonly bodyGraceMs: number;
  readonly minBodyBytesPerSecond: number;
}

const lookMs = 500;

const tooSlow = ({ minBodyBytesPerSecond, bodyGraceMs }: BodyPace): GatewayError =>
  new GatewayError(
    "request_timeout",
    `The body was sent too slowly. After ${bodyGraceMs / 1000} seconds, send at least ${minBodyBytesPerSecond} bytes per second.`,
  );

/** A client that leaves in the middle of its body is not our fault. */
function readingFault(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError("client_closed", "The client closed the connection before its request was complete.", {
    cause: thrown,
  });
}

/** One for the process: a timer for each request would cost more than reading a small body. */
const ticker = createSharedInterval(lookMs);

/**
 * `read` is given a function that notes how many bytes have come; until it is called, they are `assumedBytes`. Throws
 * `request_timeout` for a body below the rate, `client_closed` where it breaks off.
 */
export function withinPace<T>(
  pace: BodyPace,
  read: (progress: (bytes: number) => void) => Promise<T>,
  assumedBytes = 0,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const startMs = performance.now();
  let bytes = assumedBytes;
  const look = (): void => {
    const countedMs = performance.now() - startMs - pace.bodyGraceMs;
    if (countedMs > 0 && bytes < (countedMs / 1000) * pace.minBodyBytesPerSecond) reject(tooSlow(pace));
  };
  ticker.subscribe(look);
  read((now) => {
    bytes = now;
  }).then(
    (value) => {
      ticker.unsubscribe(look);
      resolve(value);
    },
    (thrown: unknown) => {
      ticker.unsubscribe(look);
      reject(readingFault(thrown));
    },
  );
  return promise;
}
