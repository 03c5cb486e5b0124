// The reply in JSON: only the text, or the text with segments and words.
import type { Segment, TranscriptionRequest, TranscriptionResponse, Word } from "../../canonical/transcription.ts";
import {
  type BilledUnits,
  rareBuckets,
  splitTokens,
  tokenCount,
  totalInput,
  totalOutput,
  type Usage,
  zeroUsage,
} from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { timedCues } from "./subtitles.ts";

/** Clients expect English names in lower case; upstreams return codes of two or three letters. */
const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
const code = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;

/** `english` for `en`, `eng` and `english`; empty where it is unknown. */
export function languageName(language: string | undefined): string {
  if (language === undefined || !code.test(language)) return language?.toLowerCase() ?? "";
  return (names.of(language) ?? language).toLowerCase();
}

const detailNames = ["seek", "tokens", "temperature", "avg_logprob", "compression_ratio", "no_speech_prob"] as const;
/** What clients expect in every segment, where the upstream did not return it. */
const noDetail = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 };

const seconds = (value: Json | undefined): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

function parseSegment(item: Json): Segment[] {
  if (!isObject(item) || typeof item.text !== "string") return [];
  const { text, start, end, speaker } = item;
  const detail = Object.fromEntries(
    detailNames.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])),
  );
  return [
    {
      text,
      start: seconds(start),
      end: seconds(end),
      ...(typeof speaker === "string" ? { speaker } : {}),
      ...(Object.keys(detail).length > 0 ? { detail: detail as NonNullable<Segment["detail"]> } : {}),
    },
  ];
}

function parseWord(item: Json): Word[] {
  if (!isObject(item) || typeof item.word !== "string") return [];
  return [{ word: item.word, start: seconds(item.start), end: seconds(item.end) }];
}

const listOf = <T>(value: Json | undefined, each: (item: Json) => T[]): readonly T[] | undefined =>
  Array.isArray(value) ? value.flatMap(each) : undefined;

const millisecondsPerSecond = 1_000;

const audioOf = (length: number): BilledUnits => ({
  kind: "audioMs",
  amount: Math.round(length * millisecondsPerSecond),
});

/** Tokens, or seconds, or neither; seconds are replaced by the duration of the recording. */
export function parseUsage(usage: Json | undefined, duration?: number): Usage | undefined {
  const counts = isObject(usage) ? usage : {};
  if (counts.type === "duration" || typeof counts.seconds === "number")
    return { ...zeroUsage, units: [audioOf(seconds(counts.seconds))] };
  const details = counts.input_token_details ?? counts.input_tokens_details ?? counts.prompt_tokens_details;
  const inputTokens = tokenCount(counts.input_tokens ?? counts.prompt_tokens);
  const outputTokens = tokenCount(counts.output_tokens ?? counts.completion_tokens);
  const { text, audio } = splitTokens(inputTokens, isObject(details) ? details.audio_tokens : 0, 0);
  const units = duration === undefined ? {} : { units: [audioOf(duration)] };
  if (inputTokens + outputTokens === 0 && duration === undefined) return undefined;
  return { ...zeroUsage, inputTokens: text, outputTokens, ...rareBuckets({ audioInputTokens: audio }), ...units };
}

/** Throws `upstream_protocol_error` for a reply without text. */
export function parseResponse(wire: unknown): TranscriptionResponse {
  if (!isObject(wire) || typeof wire.text !== "string") throw invalidUpstreamResponse("the response has no text");
  const duration = typeof wire.duration === "number" ? wire.duration : undefined;
  const usage = parseUsage(wire.usage, duration);
  const segments = listOf(wire.segments, parseSegment);
  const words = listOf(wire.words, parseWord);
  return {
    operation: "transcribe",
    model: typeof wire.model === "string" ? wire.model : "",
    text: wire.text,
    ...(typeof wire.language === "string" ? { language: wire.language } : {}),
    ...(duration === undefined ? {} : { seconds: duration }),
    ...(segments === undefined ? {} : { segments }),
    ...(words === undefined ? {} : { words }),
    ...(usage === undefined ? {} : { usage }),
  };
}

export function wireUsage(usage: Usage | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const input = totalInput(usage);
  const output = totalOutput(usage);
  if (input + output > 0)
    return { type: "tokens", input_tokens: input, output_tokens: output, total_tokens: input + output };
  const audio = usage.units?.find(({ kind }) => kind === "audioMs");
  return audio === undefined ? undefined : { type: "duration", seconds: audio.amount / millisecondsPerSecond };
}

/** Usage in a stream's last event, which has tokens only (openai 7.55, TranscriptionTextDoneEvent.Usage). */
export function eventUsage(usage: Usage | undefined): JsonObject | undefined {
  const whole = wireUsage(usage);
  return whole?.type === "tokens" ? whole : undefined;
}

const verboseSegment = ({ text, start, end, detail }: Segment, id: number): JsonObject => ({
  id,
  ...(noDetail as JsonObject),
  ...(detail as JsonObject | undefined),
  start,
  end,
  text,
});

const diarizedSegment = ({ text, start, end, speaker }: Segment, index: number): JsonObject => ({
  type: "transcript.text.segment",
  id: `seg_${String(index + 1).padStart(3, "0")}`,
  start,
  end,
  text,
  speaker: speaker ?? "A",
});

/** Segments unless only words were requested; words only if requested. */
function verbose(response: TranscriptionResponse, request: TranscriptionRequest): JsonObject {
  const { granularities, task } = request;
  const wantsWords = granularities.includes("word");
  const wantsSegments = !wantsWords || granularities.includes("segment");
  const last = response.segments?.at(-1)?.end ?? response.words?.at(-1)?.end;
  return omitUndefined({
    task,
    language: task === "translate" ? "english" : languageName(response.language ?? request.language),
    duration: response.seconds ?? last ?? 0,
    text: response.text,
    segments: wantsSegments ? (timedCues(response) ?? []).map(verboseSegment) : undefined,
    words: wantsWords ? (response.words ?? []).map((word) => ({ ...word })) : undefined,
    usage: wireUsage(response.usage),
  });
}

/** The reply in the requested format, if that is JSON. */
export function renderResponse(response: TranscriptionResponse, request: TranscriptionRequest): JsonObject {
  if (request.format === "verbose_json") return verbose(response, request);
  if (request.format !== "diarized_json")
    return omitUndefined({ text: response.text, usage: wireUsage(response.usage) });
  return omitUndefined({
    task: request.task,
    duration: response.seconds ?? response.segments?.at(-1)?.end ?? 0,
    text: response.text,
    segments: (response.segments ?? []).map(diarizedSegment),
    usage: wireUsage(response.usage),
  });
}
