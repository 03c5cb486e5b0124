// Identifiers: time-ordered UUIDs for records, and random ones with a prefix for everything that clients see.
import type { Clock } from "./clock.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The largest multiple of 62 in a byte: bytes above it would favor the first letters. */
const fairBytes = 248;

/** Fills the given bytes with random ones. */
type RandomSource = (bytes: Uint8Array) => void;

/** The default random source, cryptographically strong. */
const systemRandom: RandomSource = (bytes) => {
  crypto.getRandomValues(bytes);
};

/**
 * Creates UUIDv7 texts in strictly rising order, also when the clock steps back: the last millisecond is then reused
 * until the clock has caught up. Within a millisecond Bun's own counter rises; when it overflows, the next millisecond
 * is used early.
 */
export function recordIds(
  clock: Pick<Clock, "nowMs">,
  make: (ms: number) => string = (ms) => Bun.randomUUIDv7("hex", ms),
) {
  let lastMs = 0;
  let last = "";
  return (): string => {
    lastMs = Math.max(lastMs, clock.nowMs());
    let id = make(lastMs);
    while (id <= last) id = make(++lastMs);
    last = id;
    return id;
  };
}

/** `prefix` and `length` letters and digits; 24 of them have 142 bits, 43 have 256. */
export function randomId(prefix: string, length = 24, dice: RandomSource = systemRandom): string {
  let text = prefix;
  const bytes = new Uint8Array(length + 8);
  while (text.length < prefix.length + length) {
    dice(bytes);
    for (const byte of bytes) {
      if (byte >= fairBytes) continue;
      if (text.length === prefix.length + length) break;
      text += alphabet[byte % 62];
    }
  }
  return text;
}

/** An id for one request, to find it in logs: short, ordered by time, and cheap. Not a secret. */
export const requestId = (): string => `req_${Bun.randomUUIDv7("base64url")}`;

const saneId = /^[\w.:-]{1,128}$/;

/** The caller's own id if it is a valid token, otherwise a new one. */
export const requestIdOf = (given: string | null): string =>
  given !== null && saneId.test(given) ? given : requestId();
