// JSON whose numbers keep their source text if a JavaScript number cannot represent them: large integers, many
// decimals, 1E400.
import type { ExactNumber, Json } from "./json.ts";

/** The parts of the runtime that TypeScript does not type yet: https://github.com/tc39/proposal-json-parse-with-source. */
interface SourceJson {
  parse(text: string, revive: (key: string, value: Json, context: { readonly source?: string }) => Json): Json;
  rawJSON(text: string): ExactNumber;
}
const sourceJson = JSON as unknown as SourceJson;

/** A number with this source text. */
export const exactNumber = (text: string): ExactNumber => sourceJson.rawJSON(text);

/** Shorter numbers without an exponent are always exact. */
const narrowChars = 15;

const quote = 34;
const backslash = 92;

/** The end of the string that opens at `at`, by a native search, because strings are most of a text. */
function endOfString(text: string, at: number): number {
  let end = at;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isExponent = (code: number): boolean => code === 101 || code === 69;
const isPoint = (code: number): boolean => code === 46;

/** The end of the number at `at`, without its exponent. */
function endOfNumber(text: string, at: number): number {
  let end = at;
  while (isDigit(text.charCodeAt(end)) || isPoint(text.charCodeAt(end))) end++;
  return end;
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A decimal without redundant zeros: the same value gives the same text. */
function canonical(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = decimal.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === "" ? "0" : `${sign}${significant}e${scale}`;
}

function survives(source: string, value: number): boolean {
  if (source.length <= narrowChars && !/e/i.test(source)) return true;
  return Number.isFinite(value) && canonical(source) === canonical(String(value));
}

/**
 * A run of number characters longer than `narrowChars`, within strings too: the engine's search is many times faster
 * than a loop.
 */
const longRun = /[-+.\deE]{16}/;

/** Whether a text has a number outside strings that is long or has an exponent. */
function holdsWideNumbers(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (isDigit(code)) {
      const end = endOfNumber(text, at);
      if (end - at > narrowChars || isExponent(text.charCodeAt(end))) return true;
      at = end - 1;
    }
  }
  return false;
}

/** 1: a number is zero, possibly because of an exponent. 2: one is so large or small that it must have an exponent. */
export type Extremes = 0 | 1 | 2;

/** `found`, updated with this number. */
export function extremesOf(value: number, found: Extremes): Extremes {
  const size = Math.abs(value);
  if (size > 1e-300 && size < 1e300) return found;
  return size === 0 && found !== 2 ? 1 : 2;
}

/** A short number that is not exact has an exponent of three digits, and its value shows it. */
const mayHaveExponent = (text: string, extremes: Extremes): boolean =>
  extremes === 2 || (extremes === 1 && (text.includes("e-") || text.includes("E-")));

/**
 * Whether a text may have a number that `JSON.parse` changes; `extremes` is of its parsed numbers. A cheap test, so
 * that other texts cost nothing.
 */
export function mayHoldWideNumbers(text: string, extremes: Extremes): boolean {
  return (mayHaveExponent(text, extremes) || longRun.test(text)) && holdsWideNumbers(text);
}

function extremesIn(value: Json): Extremes {
  let extremes: Extremes = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each === "number") extremes = extremesOf(each, extremes);
    else if (typeof each === "object" && each !== null)
      for (const name in each) open.push((each as Readonly<Record<string, unknown>>)[name]);
  }
  return extremes;
}

/** Parses text that may not be JSON; undefined when it is not. Numbers that would change are exact numbers. */
export function parseExactText(text: string): Json | undefined {
  try {
    const plain = JSON.parse(text) as Json;
    if (!mayHoldWideNumbers(text, extremesIn(plain))) return plain;
    return sourceJson.parse(text, (_key, value, { source }) =>
      typeof value === "number" && source !== undefined && !survives(source, value)
        ? sourceJson.rawJSON(source)
        : value,
    );
  } catch {
    return undefined;
  }
}
