// Counts a slice of texts with one vocabulary: runs in the token counter's thread.

import type { ScriptRates } from "../../dialects/tokens/families.ts";

/** What is counted apart from the rest: Chinese, digits, and scripts by their characters; false: nothing. */
export type Split = false | { readonly perCharacter: ScriptRates };

/** One message to the thread. */
export interface CountOrder {
  readonly texts: readonly { readonly text: string; readonly times: number }[];
  readonly split: Split;
}

/** Its answer: tokens, and digits beyond the first of each token. */
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

/** The text without what is counted by its characters, and the tokens of that. */
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
