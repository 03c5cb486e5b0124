// Identifiers: time-ordered UUIDs for records, and random ones with a prefix for everything that a client sees.
import type { Clock } from "./clock.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The largest multiple of 62 in a byte: bytes above it would favour the first letters. */
const fairBytes = 248;

/** Fills the given bytes with randomness. */
export type Dice = (bytes: Uint8Array) => void;

/** The dice of the house, cryptographically strong. */
export const systemDice: Dice = (bytes) => {
  crypto.getRandomValues(bytes);
};

/**
 * A maker of UUIDv7 text whose results only ever grow, also when the clock steps back: the last
 * millisecond is then kept until the clock has caught up.
 */
export function recordIds(clock: Pick<Clock, "nowMs">, dice: Dice = systemDice): () => string {
  let lastMs = 0;
  let counter = 0;
  const random = new Uint8Array(10);
  return () => {
    const nowMs = clock.nowMs();
    dice(random);
    if (nowMs > lastMs) {
      lastMs = nowMs;
      counter = seed(random);
    } else if (++counter > 0xfffff) {
      lastMs += 1;
      counter = seed(random);
    }
    return uuid7(lastMs, counter, random);
  };
}

/** A start below a quarter of the counter's range, so that one millisecond has room for 780,000 ids. */
function seed(random: Uint8Array): number {
  return (((random[7] ?? 0) << 16) | ((random[8] ?? 0) << 8) | (random[9] ?? 0)) & 0x3ffff;
}

/** 48 bits of time, version 7, a 20-bit counter in rand_a and the head of rand_b, 54 random bits. */
function uuid7(ms: number, counter: number, random: Uint8Array): string {
  const time = hex(ms, 12);
  const high = hex(0x7000 | (counter >>> 8), 4);
  const low = hex(0x8000 | ((counter & 0xff) << 6) | ((random[6] ?? 0) & 63), 4);
  let tail = "";
  for (let index = 0; index < 6; index++) tail += hex(random[index] ?? 0, 2);
  return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${low}-${tail}`;
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, "0");
}

/** `prefix` and `length` letters and digits; 24 of them carry 142 bits, 43 carry 256. */
export function randomId(prefix: string, length = 24, dice: Dice = systemDice): string {
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
