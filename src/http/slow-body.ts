// Ends requests whose body arrives too slowly, so that a slow client cannot hold a connection forever.
import { GatewayError } from "../canonical/error.ts";
import { LiveList, type Member } from "../lib/live-list.ts";
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

/** A client that disconnects while it sends its body is not an error of the gateway. */
function readingFault(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError("client_closed", "The client closed the connection before its request was complete.", {
    cause: thrown,
  });
}

/** A body that is being read. */
interface Reading extends Member {
  readonly pace: BodyPace;
  readonly startMs: number;
  bytes: number;
  readonly reject: (error: GatewayError) => void;
}

/** One for the process: a timer for each request would cost more than reading a small body. */
const ticker = createSharedInterval(lookMs);
const readings = new LiveList<Reading>();

function look(): void {
  if (readings.size === 0) ticker.unsubscribe(look);
  const nowMs = performance.now();
  readings.each(({ pace, startMs, bytes, reject }) => {
    const countedMs = nowMs - startMs - pace.bodyGraceMs;
    if (countedMs > 0 && bytes < (countedMs / 1000) * pace.minBodyBytesPerSecond) reject(tooSlow(pace));
  });
}

/**
 * `read` receives a function that records how many bytes have arrived; until it is called, they are `assumedBytes`.
 * Throws `request_timeout` for a body below the rate, `client_closed` if it breaks off.
 */
export function withinPace<T>(
  pace: BodyPace,
  read: (progress: (bytes: number) => void) => Promise<T>,
  assumedBytes = 0,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const reading: Reading = { pace, startMs: performance.now(), bytes: assumedBytes, reject };
    readings.add(reading);
    ticker.subscribe(look);
    read((now) => {
      reading.bytes = now;
    }).then(
      (value) => {
        readings.remove(reading);
        resolve(value);
      },
      (thrown: unknown) => {
        readings.remove(reading);
        reject(readingFault(thrown));
      },
    );
  });
}
