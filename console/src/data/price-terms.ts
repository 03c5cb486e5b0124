// The cost of a request as one line: each amount with its price, as the gateway explains it.
import { count, money } from "./format.ts";
import type { PriceTerm, RequestRow } from "./types.ts";

const words: Readonly<Record<string, string>> = {
  inputTokens: "in",
  cacheReadTokens: "cached",
  cacheWriteTokens: "cache write",
  outputTokens: "out",
  reasoningTokens: "reasoning",
};

const million = 1_000_000;

/** `audioInputTokens` is `audio input tokens`. */
const spaced = (name: string): string => name.replace(/([A-Z])/g, " $1").toLowerCase();

function textOf({ of, size, quality, amount, cost_rate: rate }: PriceTerm): string {
  const what = [size, quality, words[of] ?? spaced(of)].filter((part) => part !== null).join(" ");
  const name = `${count(amount)} ${what}`;
  if (rate === null || rate.amount === null) return `${name} (no price)`;
  if (rate.per === 1) return `${name} × ${money(rate.amount)}`;
  return `${name} × ${money(String((Number(rate.amount) / rate.per) * million))}/M`;
}

/** `1,204 in × $3/M`; counts alone where the prices of the request are not known. */
export function termsOf({ terms, tokens }: RequestRow): readonly string[] {
  if (terms !== null && terms !== undefined) return terms.map(textOf);
  return Object.entries(tokens)
    .filter(([, amount]) => amount > 0)
    .map(([member, amount]) => `${count(amount)} ${member.replaceAll("_", " ")}`);
}
