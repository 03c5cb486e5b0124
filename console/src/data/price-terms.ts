// The cost of a request, term by term, from the rows of the price book in effect.
import { count, money } from "./format.ts";
import type { PriceList, PriceRow, RequestRow } from "./types.ts";

/** Members of a request's tokens and units, and what the price book calls them. */
const counted: Readonly<Record<string, string>> = {
  input: "inputTokens",
  cache_read: "cacheReadTokens",
  cache_write: "cacheWriteTokens",
  cache_write_1h: "cacheWrite1hTokens",
  audio_input: "audioInputTokens",
  image_input: "imageInputTokens",
  output: "outputTokens",
  reasoning: "reasoningTokens",
  audio_output: "audioOutputTokens",
  image_output: "imageOutputTokens",
};

const words: Readonly<Record<string, string>> = {
  input: "in",
  cache_read: "cached",
  cache_write: "cache write",
  output: "out",
  reasoning: "reasoning",
};

const million = 1_000_000;

const matches = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(name);

function rowFor(prices: PriceList, request: RequestRow, of: string): PriceRow | undefined {
  return prices.rows.find(
    (row) =>
      row.book === "cost" &&
      row.of === of &&
      (row.provider === undefined || row.provider === request.provider) &&
      row.tier === undefined &&
      matches(row.model, request.upstream_model ?? ""),
  );
}

export interface Term {
  readonly text: string;
  readonly isPriced: boolean;
}

/** `1,204 in × $3/M`. A count without a row in the book has no price here. */
export function termsOf(request: RequestRow, prices: PriceList | undefined): readonly Term[] {
  return Object.entries(request.tokens)
    .filter(([, amount]) => amount > 0)
    .map(([member, amount]) => {
      const name = `${count(amount)} ${words[member] ?? member.replaceAll("_", " ")}`;
      const row = prices === undefined ? undefined : rowFor(prices, request, counted[member] ?? member);
      if (row?.usd === undefined || row.usd === null) return { text: name, isPriced: false };
      return { text: `${name} × ${money(String((Number(row.usd) / row.per) * million))}/M`, isPriced: true };
    });
}
