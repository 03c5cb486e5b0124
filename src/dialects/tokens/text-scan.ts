// One fast pass over texts for two figures: an upper bound of their tokens, and an approximation.

/** The result of a pass over texts, as sums of weights; `approximate` figures are tokens of OpenAI's o200k. */
export interface TextScan {
  /** Everything but Chinese characters. */
  readonly plain: number;
  /** Chinese characters and their punctuation, in which vocabularies differ most. */
  readonly cjk: number;
  /** Additional tokens where each digit is a token. */
  readonly digits: number;
  /** An upper bound for every family. */
  readonly bound: number;
}

export const emptyScan: TextScan = { plain: 0, cjk: 0, digits: 0, bound: 0 };

/** Classes of UTF-16 units. */
const lower = 0;
const upper = 1;
const digit = 2;
const space = 3;
const control = 4;
const symbol = 5;
/** Two bytes in UTF-8: accents, Cyrillic, Greek, Arabic, Hebrew. */
const twoBytes = 6;
const chinese = 7;
const otherThree = 8;
const surrogate = 9;
const classes = 10;

function classOf(unit: number): number {
  if (unit < 0x80) {
    if (unit >= 97 && unit <= 122) return lower;
    if (unit >= 65 && unit <= 90) return upper;
    if (unit >= 48 && unit <= 57) return digit;
    if (unit === 32) return space;
    return unit < 32 ? control : symbol;
  }
  if (unit < 0x800) return twoBytes;
  if (unit >= 0xd800 && unit < 0xe000) return surrogate;
  const isKana = unit >= 0x3040 && unit <= 0x30ff;
  const isChinese = (unit >= 0x2e80 && unit <= 0x9fff && !isKana) || (unit >= 0xf900 && unit <= 0xfaff);
  return isChinese || (unit >= 0xff00 && unit <= 0xffef) ? chinese : otherThree;
}

/**
 * A table of all UTF-16 units, because the pass runs for every request and computing the class would dominate its
 * time.
 */
const classOfUnit = Uint8Array.from({ length: 0x10000 }, (_, unit) => classOf(unit));

type Weight = readonly [approximate: number, bound: number];

/**
 * The weight of a unit, by its own class and that of the previous one. `approximate` is a least-squares fit to o200k
 * over English, Chinese, code and JSON; `bound` is above every tokenizer of test/fixtures/tokens, whose counts test
 * these weights.
 */
function weightOf(before: number, now: number): Weight {
  const afterLetter = before === lower || before === upper;
  const afterSpace = before === space || before === control;
  switch (now) {
    case lower:
      return afterLetter ? [0.138, 0.36] : [0.552, 1];
    case upper:
      return before === lower ? [1.123, 1.3] : before === upper ? [0.412, 0.8] : [0.486, 1.1];
    case digit:
      return before === digit ? [0.274, 1] : [1.305, 1.2];
    case space:
      return afterSpace ? [0.074, 0.2] : [0.024, 0.2];
    case control:
      return before === control ? [0.1, 0.6] : [1.391, 1.4];
    case symbol:
      return before === symbol ? [0.292, 1] : [0.443, 1.1];
    case twoBytes:
      return before === twoBytes ? [0.153, 1.2] : [0.913, 1.4];
    case chinese:
      return [0.772, 1.8];
    case surrogate:
      return [1.005, 1.8];
    default:
      return [0.424, 2.2];
  }
}

const pairs = Array.from({ length: classes * classes }, (_, at) => weightOf(Math.floor(at / classes), at % classes));
/** The weights of a pair in thousandths: with fractions, the pass takes a third longer. */
const perToken = 1_000;
const approximations = Int32Array.from(pairs, ([approximate]) => Math.round(approximate * perToken));
const bounds = Int32Array.from(pairs, ([, bound]) => Math.round(bound * perToken));
/** The same in every place. */
const [chineseTokens] = weightOf(chinese, chinese);
const digitPair = digit * classes + digit;
/** A longer run of letters is not a word. */
const longestWord = 14;
const longRunBound = 0.3;
/** Tokens of three digits become one per digit. */
const digitsMore = 2 / 3;

interface Sums {
  plain: number;
  cjk: number;
  digits: number;
  bound: number;
}

/** At most `wholeChars` characters. */
function addRange(text: string, from: number, to: number, sums: Sums): void {
  let [plain, bound, chineseChars, digitPairs, longRuns] = [0, 0, 0, 0, 0];
  let before = control;
  let wordStart = from;
  for (let at = from; at < to; at++) {
    const now = classOfUnit[text.charCodeAt(at)] as number;
    const pair = before * classes + now;
    plain = (plain + (approximations[pair] as number)) | 0;
    bound = (bound + (bounds[pair] as number)) | 0;
    if (now !== lower) {
      longRuns += Math.max(0, at - wordStart - longestWord);
      wordStart = at + 1;
      if (now === chinese) chineseChars++;
      else if (pair === digitPair) digitPairs++;
    }
    before = now;
  }
  longRuns += Math.max(0, to - wordStart - longestWord);
  const cjk = chineseChars * chineseTokens;
  sums.plain += plain / perToken - cjk;
  sums.cjk += cjk;
  sums.digits += digitPairs * digitsMore;
  sums.bound += bound / perToken + longRuns * longRunBound;
}

/** Longer texts are sampled in evenly spread windows. */
const wholeChars = 1_024;
const windows = 16;
const windowChars = wholeChars / windows;
/** Margin for what windows may miss. */
const windowMargin = 1.25;
/** Maximum characters read of one request; the rest counts like the part before. */
const budgetChars = 4_096;

function addWindows(text: string, sums: Sums): void {
  const part: Sums = { plain: 0, cjk: 0, digits: 0, bound: 0 };
  const step = (text.length - windowChars) / (windows - 1);
  for (let window = 0; window < windows; window++) {
    const from = Math.floor(window * step);
    addRange(text, from, from + windowChars, part);
  }
  const scale = text.length / wholeChars;
  sums.plain += part.plain * scale;
  sums.cjk += part.cjk * scale;
  sums.digits += part.digits * scale;
  sums.bound += part.bound * scale * windowMargin;
}

function addScaled(sums: Sums, part: TextScan, factor: number): void {
  sums.plain += part.plain * factor;
  sums.cjk += part.cjk * factor;
  sums.digits += part.digits * factor;
  sums.bound += part.bound * factor;
}

/** A pass over the texts of one request. It stops reading when its budget is spent: it never takes a millisecond. */
export class TextScanner {
  private readonly sums: Sums = { plain: 0, cjk: 0, digits: 0, bound: 0 };
  private seen = 0;
  private read = 0;

  /** `times`: how often the text is sent. */
  add(text: string, times = 1): void {
    const { length } = text;
    if (length === 0) return;
    if (this.isSpent()) {
      this.addUnread(length * times);
      return;
    }
    const isOnce = times === 1 && length <= wholeChars;
    const part: Sums = isOnce ? this.sums : { plain: 0, cjk: 0, digits: 0, bound: 0 };
    if (length <= wholeChars) addRange(text, 0, length, part);
    else addWindows(text, part);
    if (!isOnce) addScaled(this.sums, part, times);
    this.seen += length * times;
    this.read += Math.min(length, wholeChars);
  }

  /** True once nothing more is read. */
  isSpent(): boolean {
    return this.read >= budgetChars;
  }

  /** Text that is not read counts like the one before. */
  addUnread(chars: number): void {
    addScaled(this.sums, this.sums, chars / this.seen);
    this.seen += chars;
  }

  result(): TextScan {
    const { plain, cjk, digits, bound } = this.sums;
    return { plain, cjk, digits, bound };
  }
}

/** The scan of one text. */
export function scanText(text: string): TextScan {
  const scanner = new TextScanner();
  scanner.add(text);
  return scanner.result();
}
