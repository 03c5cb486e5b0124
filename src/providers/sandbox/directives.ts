// Directives: a prompt or a model name makes the sandbox slow down, fail, limit or break off.

export interface Directives {
  /** Delay before the reply, in milliseconds. */
  readonly delayMs: number;
  /** Delay between two fragments of a stream, in milliseconds. */
  readonly paceMs: number;
  /** Return this HTTP status instead. */
  readonly error: number | null;
  /** Return 429 with this wait, in seconds. */
  readonly rateLimit: number | null;
  /** Break a stream off after this many fragments, without an end. */
  readonly cut: number | null;
}

const calm: Directives = { delayMs: 0, paceMs: 0, error: null, rateLimit: null, cut: null };

/** The directives of a model name, so that an application can be tested without changing its prompts. */
const byModel: { readonly [model: string]: Partial<Directives> } = {
  slow: { delayMs: 1_000, paceMs: 100 },
  error: { error: 500 },
  "rate-limit": { rateLimit: 1 },
  cut: { cut: 3 },
};

const maxMs = 600_000;
const number = (text: string, most: number): number => Math.min(Number(text), most);

const words: { readonly [word: string]: (value: string) => Partial<Directives> } = {
  delay: (value) => ({ delayMs: number(value, maxMs) }),
  pace: (value) => ({ paceMs: number(value, maxMs) }),
  error: (value) => ({ error: Number(value) >= 400 && Number(value) <= 599 ? Number(value) : 500 }),
  "rate-limit": (value) => ({ rateLimit: number(value, 86_400) }),
  cut: (value) => ({ cut: number(value, 1_000_000) }),
};

const bracket = /\[sandbox((?: [a-z-]{1,20}=\d{1,9}){1,8})\]/g;

/**
 * Reads `[sandbox delay=500 pace=20]` anywhere in the text; later directives override earlier ones, and the text
 * overrides the model.
 */
export function readDirectives(model: string, text: string): Directives {
  let directives: Directives = { ...calm, ...byModel[model] };
  for (const [, body] of text.matchAll(bracket)) {
    for (const pair of (body ?? "").trim().split(" ")) {
      const [word = "", value = ""] = pair.split("=");
      directives = { ...directives, ...words[word]?.(value) };
    }
  }
  return directives;
}

/** The text without its directives. */
export function withoutDirectives(text: string): string {
  return text.replace(bracket, "").trim();
}

/** Model names that the sandbox lists. */
export const sandboxModels = [
  "chat",
  "embed",
  "rerank",
  "moderate",
  "image",
  "video",
  "speak",
  "transcribe",
  ...Object.keys(byModel),
] as const;
