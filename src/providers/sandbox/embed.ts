// The sandbox's embeddings: vectors whose cosine grows with the words and parts of words that two texts share.
import type { EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import { GatewayError } from "../../canonical/error.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { charsPerToken, refuseMany, refuseTokens, tokensIn } from "./limits.ts";

const defaultDimensions = 256;
/** More than the largest models return. */
const mostDimensions = 16_384;
/** For all vectors together: what one reply can contain without blocking the event loop. */
const mostNumbers = 524_288;
/** Whole words count most, pairs of neighbors for their order, runs of letters for similar words. */
const weights = { word: 1, pair: 0.5, run: 0.3 } as const;
const runLength = 3;

/** FNV-1a with a final mix, to give each feature its own position and sign. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

type Feature = readonly [name: string, weight: number];

/** The word with markers at its edges, cut into runs of letters. */
function runsOf(word: string): string[] {
  const edged = `<${word}>`;
  return Array.from({ length: Math.max(1, edged.length - runLength + 1) }, (_, at) => edged.slice(at, at + runLength));
}

function featuresOf(words: readonly string[]): Feature[] {
  return words.flatMap((word, at): Feature[] => [
    [`w:${word}`, weights.word],
    ...(at === 0 ? [] : [[`p:${words[at - 1]} ${word}`, weights.pair] as const]),
    ...runsOf(word).map((run): Feature => [`r:${run}`, weights.run]),
  ]);
}

function vectorOf(words: readonly string[], dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const [name, weight] of featuresOf(words)) {
    const value = hash(name);
    const place = value % dimensions;
    vector[place] = (vector[place] ?? 0) + (hash(`${name}#`) & 1 ? weight : -weight);
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** A unit vector for a text; the same text always gets the same one. */
export function textVector(text: string, dimensions = defaultDimensions): number[] {
  return vectorOf(wordsOf(text), dimensions);
}

function refuseTooMany(dimensions: number): void {
  if (dimensions > mostDimensions)
    throw new GatewayError("invalid_value", `The sandbox supports at most ${mostDimensions} dimensions.`, {
      param: "dimensions",
    });
}

interface Item {
  readonly tokens: number;
  words(): string[];
}

function itemsIn(input: EmbeddingRequest["input"]): Item[] {
  if (input.kind === "texts")
    return input.texts.map((text) => ({ tokens: tokensIn(text), words: () => wordsOf(text) }));
  return input.tokens.map((ids) => ({ tokens: ids.length, words: () => ids.map(String) }));
}

/** The cost of one step: one per number of a vector, four per character. */
const stepCost = 16_384;

/**
 * One unit vector for each input, in order, in steps of a few milliseconds. Throws `invalid_value` above the sandbox's
 * limits.
 */
export function* embedReply(request: EmbeddingRequest): Generator<void, EmbeddingResponse> {
  const { dimensions = defaultDimensions, input } = request;
  const items = itemsIn(input);
  const tokens = items.map((item) => item.tokens);
  refuseTooMany(dimensions);
  refuseTokens(tokens, "input");
  refuseMany(items.length * dimensions, mostNumbers, "input", "numbers");
  const vectors: number[][] = [];
  let cost = 0;
  for (const item of items) {
    vectors.push(vectorOf(item.words(), dimensions));
    cost += 4 * item.tokens * charsPerToken + dimensions;
    if (cost < stepCost) continue;
    cost = 0;
    yield;
  }
  return {
    operation: "embed",
    model: `sandbox/${request.model}`,
    vectors,
    usage: { ...zeroUsage, inputTokens: tokens.reduce((sum, each) => sum + each, 0) },
  };
}
