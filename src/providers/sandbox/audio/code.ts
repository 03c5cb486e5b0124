// Text as tones and back: a beginning to be known by, the halves of its bytes, and an end that proves that nothing is missing.

const beginning = [15, 0, 15, 0];
const halvesOf = (byte: number): number[] => [byte >> 4, byte & 15];
const sumOf = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => (sum * 31 + byte + 1) & 255, 7);

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The tones of a text, each `held` symbols long. */
export function symbolsOf(text: string, held: number): number[] {
  const bytes = encoder.encode(text.replaceAll("\0", ""));
  const symbols = [...beginning, ...[...bytes, 0, sumOf(bytes)].flatMap(halvesOf)];
  return held === 1 ? symbols : symbols.flatMap((symbol) => new Array<number>(held).fill(symbol));
}

/** What was heard. `at` is the symbol at which the text begins, `perByte` how many symbols each of its bytes takes. */
export interface Understood {
  readonly text: string;
  readonly at: number;
  readonly perByte: number;
}

/** Where the beginning is and how long its tones are held; null where there is none. */
function beginningIn(symbols: readonly (number | null)[]): { at: number; held: number } | null {
  for (let start = symbols.indexOf(15); start >= 0; start = symbols.indexOf(15, start + 1)) {
    let held = 1;
    while (symbols[start + held] === 15) held++;
    const fits = beginning.every((symbol, index) => symbols[start + index * held + held - 1] === symbol);
    if (fits) return { at: start, held };
    start += held - 1;
  }
  return null;
}

/** True where the sandbox begins to speak. */
export const begins = (symbols: readonly (number | null)[]): boolean => beginningIn(symbols) !== null;

/** The text in a row of symbols; null where it is not the sandbox that speaks, or not all of it is there. */
export function understand(symbols: readonly (number | null)[]): Understood | null {
  const found = beginningIn(symbols);
  if (found === null) return null;
  const { held } = found;
  const at = found.at + beginning.length * held;
  // The middle of a tone is the clearest of it.
  const halfAt = (index: number): number | null => symbols[at + index * held + (held >> 1)] ?? null;
  const bytes: number[] = [];
  for (let index = 0; ; index += 2) {
    const [high, low] = [halfAt(index), halfAt(index + 1)];
    if (high === null || low === null) return null;
    const byte = high * 16 + low;
    if (byte !== 0) {
      bytes.push(byte);
      continue;
    }
    const said = Uint8Array.from(bytes);
    const proof = (halfAt(index + 2) ?? 0) * 16 + (halfAt(index + 3) ?? 0);
    return proof === sumOf(said) ? { text: decoded(said), at, perByte: 2 * held } : null;
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return "";
  }
}
