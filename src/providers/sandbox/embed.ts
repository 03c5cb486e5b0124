// What the sandbox embeds: vectors whose cosine grows with the words that two texts share.
import type { EmbedAnswer, EmbedAsk } from "../../canon/embedding.ts";

const defaultDimensions = 256;
const charsPerToken = 4;

/** FNV-1a, to give each word its own place and sign. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return value;
}

function vectorOf(words: readonly string[], dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of words) {
    const place = hash(word);
    vector[place % dimensions] = (vector[place % dimensions] ?? 0) + (place & 0x10000 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** One unit vector for each input, in order. */
export function embedReply(ask: EmbedAsk): EmbedAnswer {
  const items =
    ask.input.kind === "texts"
      ? ask.input.texts.map((text) => ({ words: wordsOf(text), tokens: Math.ceil(text.length / charsPerToken) }))
      : ask.input.tokens.map((ids) => ({ words: ids.map(String), tokens: ids.length }));
  return {
    operation: "embed",
    model: `sandbox/${ask.model}`,
    vectors: items.map((item) => vectorOf(item.words, ask.dimensions ?? defaultDimensions)),
    usage: {
      inputTokens: items.reduce((sum, item) => sum + item.tokens, 0),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      reasoningTokens: 0,
    },
  };
}
