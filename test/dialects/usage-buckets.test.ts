// Buckets and units that each wire reports: they are disjoint, and their sums are the wire's own totals.
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  addUsage,
  estimatedBuckets,
  totalInput,
  totalOutput,
  type Usage,
  unitAmount,
  withEstimatedOutput,
  zeroUsage,
} from "../../src/canonical/usage.ts";
import { readUsage as anthropic, writeUsage as toAnthropic } from "../../src/dialects/anthropic-messages/usage.ts";
import { readUsage as converse } from "../../src/dialects/bedrock-converse/finish-reason.ts";
import { readUsage as gemini, writeUsage as toGemini } from "../../src/dialects/gemini/usage.ts";
import { readUsage as images, writeUsage as toImages } from "../../src/dialects/images/response.ts";
import { parseUsage as responses } from "../../src/dialects/openai-responses/usage.ts";
import { parseUsage as chat, renderUsage as toChat } from "../../src/dialects/shared/openai-usage.ts";
import { parseUsage as transcription, wireUsage } from "../../src/dialects/transcription/response.ts";
import type { Json } from "../../src/lib/json.ts";

interface Case {
  readonly name: string;
  readonly read: (wire: Json) => Usage | undefined;
  readonly wire: Json;
  /** Only the buckets above 0. */
  readonly buckets: Partial<Usage>;
  readonly totals: readonly [input: number, output: number];
}

const cases: readonly Case[] = [
  {
    name: "chat: audio on both sides, cached tokens",
    read: chat,
    wire: {
      ...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
      prompt_tokens_details: { cached_tokens: 30, audio_tokens: 20, text_tokens: 80 },
      completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 25, accepted_prediction_tokens: 0 },
    },
    buckets: {
      ...{ inputTokens: 50, cacheReadTokens: 30, audioInputTokens: 20 },
      ...{ outputTokens: 15, reasoningTokens: 10, audioOutputTokens: 25 },
    },
    totals: [100, 50],
  },
  {
    name: "chat: images on both sides",
    read: chat,
    wire: {
      ...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
      prompt_tokens_details: { image_tokens: 60, cache_write_tokens: 10 },
      completion_tokens_details: { image_tokens: 40 },
    },
    buckets: { inputTokens: 30, cacheWriteTokens: 10, imageInputTokens: 60, outputTokens: 10, imageOutputTokens: 40 },
    totals: [100, 50],
  },
  {
    name: "chat: audio that is cached too is counted once",
    read: chat,
    wire: {
      ...{ prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 },
      prompt_tokens_details: { cached_tokens: 70, audio_tokens: 90 },
    },
    buckets: { cacheReadTokens: 70, audioInputTokens: 30, outputTokens: 1 },
    totals: [100, 1],
  },
  {
    name: "chat: searches of Perplexity",
    read: chat,
    wire: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14, num_search_queries: 3 },
    buckets: { inputTokens: 9, outputTokens: 5, units: [{ kind: "searches", amount: 3 }] },
    totals: [9, 5],
  },
  {
    name: "chat: sources of xAI",
    read: chat,
    wire: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14, num_sources_used: 4 },
    buckets: { inputTokens: 9, outputTokens: 5, units: [{ kind: "searches", amount: 4 }] },
    totals: [9, 5],
  },
  {
    name: "responses: audio and cached tokens",
    read: responses,
    wire: {
      ...{ input_tokens: 100, output_tokens: 50, total_tokens: 150 },
      input_tokens_details: { cached_tokens: 30, audio_tokens: 20 },
      output_tokens_details: { reasoning_tokens: 10 },
    },
    buckets: { inputTokens: 50, cacheReadTokens: 30, audioInputTokens: 20, outputTokens: 40, reasoningTokens: 10 },
    totals: [100, 50],
  },
  {
    name: "messages: cache writes of both lengths, web searches",
    read: anthropic,
    wire: {
      ...{ input_tokens: 5, cache_read_input_tokens: 7, cache_creation_input_tokens: 30, output_tokens: 9 },
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
    },
    buckets: {
      ...{ inputTokens: 5, cacheReadTokens: 7, cacheWriteTokens: 10, cacheWrite1hTokens: 20, outputTokens: 9 },
      units: [{ kind: "searches", amount: 2 }],
    },
    totals: [42, 9],
  },
  {
    name: "messages: a part that exceeds its total",
    read: anthropic,
    wire: {
      ...{ input_tokens: 5, cache_creation_input_tokens: 30, output_tokens: 9 },
      cache_creation: { ephemeral_1h_input_tokens: 40 },
    },
    buckets: { inputTokens: 5, cacheWrite1hTokens: 30, outputTokens: 9 },
    totals: [35, 9],
  },
  {
    name: "Converse: cache writes of both lengths",
    read: (wire) => anthropic(converse(wire)),
    wire: {
      ...{ inputTokens: 5, outputTokens: 9, cacheReadInputTokens: 7, cacheWriteInputTokens: 30, totalTokens: 51 },
      cacheDetails: [
        { ttl: "1h", inputTokens: 20 },
        { ttl: "5m", inputTokens: 10 },
      ],
    },
    buckets: { inputTokens: 5, cacheReadTokens: 7, cacheWriteTokens: 10, cacheWrite1hTokens: 20, outputTokens: 9 },
    totals: [42, 9],
  },
  {
    name: "Gemini: modalities of prompt, cache, tools and candidates",
    read: gemini,
    wire: {
      ...{ promptTokenCount: 100, cachedContentTokenCount: 40, toolUsePromptTokenCount: 10, thoughtsTokenCount: 5 },
      ...{ candidatesTokenCount: 30, totalTokenCount: 145 },
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 20 },
        { modality: "AUDIO", tokenCount: 50 },
        { modality: "IMAGE", tokenCount: 20 },
        { modality: "VIDEO", tokenCount: 10 },
      ],
      cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 40 }],
      toolUsePromptTokensDetails: [{ modality: "IMAGE", tokenCount: 10 }],
      candidatesTokensDetails: [
        { modality: "IMAGE", tokenCount: 25 },
        { modality: "AUDIO", tokenCount: 3 },
      ],
    },
    buckets: {
      ...{ inputTokens: 30, cacheReadTokens: 40, audioInputTokens: 10, imageInputTokens: 30 },
      ...{ outputTokens: 2, reasoningTokens: 5, audioOutputTokens: 3, imageOutputTokens: 25 },
    },
    totals: [110, 35],
  },
  {
    name: "images: text and image tokens, and the images",
    read: (wire) => images(wire, 2, { size: "1024x1024", quality: "low" }).usage,
    wire: {
      ...{ input_tokens: 60, output_tokens: 500, total_tokens: 560 },
      input_tokens_details: { text_tokens: 10, image_tokens: 50 },
      output_tokens_details: { text_tokens: 100, image_tokens: 400 },
    },
    buckets: {
      ...{ inputTokens: 10, imageInputTokens: 50, outputTokens: 100, imageOutputTokens: 400 },
      units: [{ kind: "images", amount: 2, size: "1024x1024", quality: "low" }],
    },
    totals: [60, 500],
  },
  {
    name: "transcription: audio tokens",
    read: transcription,
    wire: {
      ...{ type: "tokens", input_tokens: 40, output_tokens: 12, total_tokens: 52 },
      input_token_details: { text_tokens: 4, audio_tokens: 36 },
    },
    buckets: { inputTokens: 4, audioInputTokens: 36, outputTokens: 12 },
    totals: [40, 12],
  },
  {
    name: "transcription: seconds",
    read: transcription,
    wire: { type: "duration", seconds: 8.47 },
    buckets: { units: [{ kind: "audioMs", amount: 8_470 }] },
    totals: [0, 0],
  },
];

test.each(cases)("$name", ({ read, wire, buckets, totals }) => {
  const usage = read(wire);
  expect(usage).toEqual({ ...zeroUsage, ...buckets });
  if (usage !== undefined) expect([totalInput(usage), totalOutput(usage)]).toEqual([...totals]);
});

const full: Usage = {
  ...{ inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 4, cacheWrite1hTokens: 8, audioInputTokens: 16 },
  ...{ imageInputTokens: 32, outputTokens: 64, reasoningTokens: 128, audioOutputTokens: 256, imageOutputTokens: 512 },
};

test("clients are told the totals and the parts that their wire has", () => {
  expect(toChat(full)).toEqual({
    ...{ prompt_tokens: 63, completion_tokens: 960, total_tokens: 1_023 },
    prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 12 },
    completion_tokens_details: { reasoning_tokens: 128 },
  });
  expect(toAnthropic(full, 0)).toMatchObject({
    ...{ input_tokens: 49, cache_creation_input_tokens: 12, cache_read_input_tokens: 2, output_tokens: 960 },
    ...{ cache_creation: null, server_tool_use: null },
  });
  expect(toGemini(full)).toEqual({
    ...{ promptTokenCount: 63, cachedContentTokenCount: 2, candidatesTokenCount: 832, thoughtsTokenCount: 128 },
    totalTokenCount: 1_023,
  });
  expect(toImages({ usage: full })).toEqual({
    ...{ input_tokens: 63, output_tokens: 960, total_tokens: 1_023 },
    input_tokens_details: { text_tokens: 31, image_tokens: 32 },
  });
  expect(wireUsage({ ...zeroUsage, units: [{ kind: "audioMs", amount: 8_470 }] })).toEqual({
    ...{ type: "duration", seconds: 8.47 },
  });
});

const count = fc.nat(1_000);

test("whatever the parts of a total are, the sum of the buckets is the total", () => {
  fc.assert(
    fc.property(count, count, count, count, count, (prompt, cached, audio, image, completion) => {
      const wire = {
        ...{ prompt_tokens: prompt + 1, completion_tokens: completion, total_tokens: prompt + 1 + completion },
        prompt_tokens_details: { cached_tokens: Math.min(cached, prompt), audio_tokens: audio, image_tokens: image },
        completion_tokens_details: { audio_tokens: audio, image_tokens: image },
      };
      const usage = chat(wire) ?? zeroUsage;
      expect([totalInput(usage), totalOutput(usage)]).toEqual([prompt + 1, completion]);
    }),
  );
});

test("units of one kind, size and quality are added, others stay separate", () => {
  const left: Usage = { ...zeroUsage, units: [{ kind: "images", amount: 1, size: "1x1" }] };
  const right: Usage = {
    ...zeroUsage,
    units: [
      { kind: "images", amount: 2, size: "1x1" },
      { kind: "images", amount: 4 },
      { kind: "searches", amount: 8 },
    ],
  };
  const sum = addUsage(left, right);
  expect(sum.units).toEqual([
    { kind: "images", amount: 3, size: "1x1" },
    { kind: "images", amount: 4 },
    { kind: "searches", amount: 8 },
  ]);
  expect([unitAmount(sum, "images"), unitAmount(sum, "searches"), unitAmount(sum, "pages")]).toEqual([7, 8, 0]);
});

test("each bucket has a source, which an estimate in a sum changes for its own buckets only", () => {
  const reported: Usage = { ...zeroUsage, inputTokens: 5, cacheReadTokens: 2 };
  expect(estimatedBuckets(reported)).toEqual([]);
  const cut = withEstimatedOutput(reported, 7);
  expect(cut).toMatchObject({ inputTokens: 5, cacheReadTokens: 2, outputTokens: 7, estimated: true });
  expect(estimatedBuckets(cut)).toEqual(["outputTokens"]);
  expect(estimatedBuckets(addUsage(cut, { ...zeroUsage, inputTokens: 1, estimated: true }))).toEqual([
    "inputTokens",
    "outputTokens",
  ]);
  expect(estimatedBuckets(addUsage(cut, reported))).toEqual(["outputTokens"]);
});
