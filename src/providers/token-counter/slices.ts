// Splits texts into slices that a thread counts one at a time, so that a long text does not delay short ones, and
// counts a slice.
import type { ScriptRates } from "../../dialects/tokens/families.ts";

export type Slice = CountOrder["texts"];

const sliceChars = 16_384;
/** A run without white space is cut at this length, because tokenizers take quadratic time for one. */
const runChars = 512;
const space = 32;

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Where to cut at or before `to`: before white space if possible, never within a character. */
function cutBefore(text: string, from: number, to: number): number {
  if (to >= text.length) return text.length;
  for (let at = to; at > to - runChars && at > from; at--) if (text.charCodeAt(at) <= space) return at;
  return isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
}

/** The end of the next piece: at the next white space, or at the maximum length of a run. */
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

/** What is counted separately: Chinese, digits, and scripts by their characters; false: nothing. */
export type Split = false | { readonly perCharacter: ScriptRates };

/** One message to the thread. */
export interface CountOrder {
  readonly texts: readonly { readonly text: string; readonly times: number }[];
  readonly split: Split;
}

/** Its reply: tokens, and digits beyond the first of each token. */
export interface SliceCount {
  readonly plain: number;
  readonly cjk: number;
  readonly digits: number;
}

const chineseRuns = /[\u2e80-\u303f\u3105-\u9fff\uf900-\ufaff\uff00-\uffef]+/g;
const digitRuns = /\d+/g;
const digitsPerToken = 3;

function digitsBeyond(text: string): number {
  let beyond = 0;
  for (const [run] of text.matchAll(digitRuns)) beyond += run.length - Math.ceil(run.length / digitsPerToken);
  return beyond;
}

function runsOf(text: string): { chinese: string[]; others: string[] } {
  const chinese = text.match(chineseRuns) ?? [];
  return chinese.length === 0 ? { chinese, others: [text] } : { chinese, others: text.split(chineseRuns) };
}

/** The text without the characters that are counted directly, and their tokens. */
function withoutScripts(text: string, perCharacter: ScriptRates): { rest: string; tokens: number } {
  let rest = text;
  let tokens = 0;
  for (const [script, rate] of Object.entries(perCharacter))
    rest = rest.replace(new RegExp(`\\p{Script=${script}}[\\p{Script=${script}}\\p{M} ]*`, "gu"), (run) => {
      tokens += run.length * rate;
      return "";
    });
  return { rest, tokens };
}

/** The tokens of a slice. */
export function countSlice({ texts, split }: CountOrder, tokensIn: (text: string) => number): SliceCount {
  const sum = { plain: 0, cjk: 0, digits: 0 };
  for (const { text, times } of texts) {
    const { rest, tokens } = split ? withoutScripts(text, split.perCharacter) : { rest: text, tokens: 0 };
    const { chinese, others } = split ? runsOf(rest) : { chinese: [], others: [rest] };
    sum.plain += tokens * times;
    for (const run of others) if (run !== "") sum.plain += tokensIn(run) * times;
    for (const run of chinese) sum.cjk += tokensIn(run) * times;
    if (split) sum.digits += digitsBeyond(text) * times;
  }
  return sum;
}
