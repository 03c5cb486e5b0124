// A body that comes too slowly: whoever sends a byte now and then must not hold a connection for ever.
import { GatewayError } from "../canonical/error.ts";

export interface BodyPace {
  /** A body may take this long before its rate counts. */
  readonly bodyGraceMs: number;
  readonly minBodyBytesPerSecond: number;
}

const lookMs = 500;

const tooSlow = ({ minBodyBytesPerSecond, bodyGraceMs }: BodyPace): GatewayError =>
  new GatewayError(
    "request_timeout",
    `The body came too slowly: after ${bodyGraceMs / 1000} seconds it must come at ${minBodyBytesPerSecond} bytes per second or more.`,
  );

/** A client that leaves in the middle of its body is not our fault. */
function readingFault(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError("client_closed", "The client closed the connection before its request was complete.", {
    cause: thrown,
  });
}

/** `read` tells how many bytes it has so far. Throws `request_timeout` for a body below the rate, `client_closed` where it breaks off. */
export async function withinPace<T>(
  pace: BodyPace,
  read: (progress: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  const startMs = performance.now();
  let bytes = 0;
  const late = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    const countedMs = performance.now() - startMs - pace.bodyGraceMs;
    if (countedMs > 0 && bytes < (countedMs / 1000) * pace.minBodyBytesPerSecond) late.reject(tooSlow(pace));
  }, lookMs);
  try {
    return await Promise.race([
      read((now) => {
        bytes = now;
      }),
      late.promise,
    ]);
  } catch (thrown) {
    throw readingFault(thrown);
  } finally {
    clearInterval(timer);
  }
}
