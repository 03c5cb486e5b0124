// Counts a slice of texts with one vocabulary: runs in the token counter's thread.

/** One message to the thread. `split`: Chinese runs are counted apart. */
export interface CountOrder {
  readonly texts: readonly { readonly text: string; readonly times: number }[];
  readonly split: boolean;
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

/** The tokens of a slice. */
export function countSlice({ texts, split }: CountOrder, tokensIn: (text: string) => number): SliceCount {
  const sum = { plain: 0, cjk: 0, digits: 0 };
  for (const { text, times } of texts) {
    const { chinese, others } = split ? runsOf(text) : { chinese: [], others: [text] };
    for (const run of others) if (run !== "") sum.plain += tokensIn(run) * times;
    for (const run of chinese) sum.cjk += tokensIn(run) * times;
    if (split) sum.digits += digitsBeyond(text) * times;
  }
  return sum;
}
