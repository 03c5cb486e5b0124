// Cuts texts into slices that a thread counts one at a time, so that a long text never keeps short ones waiting.
import type { CountOrder } from "./count-slice.ts";

export type Slice = CountOrder["texts"];

const sliceChars = 16_384;
/** A run without white space is cut this often: tokenizers take quadratic time for one. */
const runChars = 512;
const space = 32;

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Where to cut at or before `to`: before white space where there is some, never within a character. */
function cutBefore(text: string, from: number, to: number): number {
  if (to >= text.length) return text.length;
  for (let at = to; at > to - runChars && at > from; at--) if (text.charCodeAt(at) <= space) return at;
  return isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
}

/** Where the next piece ends: at the next white space, or after as many characters as a run may have. */
function pieceEnd(text: string, from: number): number {
  let run = 0;
  let at = from;
  for (; at < text.length && at - from < sliceChars; at++) {
    run = text.charCodeAt(at) <= space ? 0 : run + 1;
    if (run >= runChars) return cutBefore(text, from, at);
  }
  return cutBefore(text, from, at);
}

/** Consecutive slices of the texts, each of at most so many characters. */
export function* slicesOf(texts: Slice): Generator<Slice> {
  let slice: { text: string; times: number }[] = [];
  let chars = 0;
  for (const { text, times } of texts) {
    for (let from = 0; from < text.length; ) {
      const to = pieceEnd(text, from);
      if (chars > 0 && chars + to - from > sliceChars) {
        yield slice;
        slice = [];
        chars = 0;
      }
      slice.push({ text: text.slice(from, to), times });
      chars += to - from;
      from = to;
    }
  }
  if (slice.length > 0) yield slice;
}
