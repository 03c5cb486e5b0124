// What dialects of transcription have in common that only servers speak: which forms of reply can be made of theirs, and what they do not know.
import { Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import type {
  Segment,
  TranscriptFormat,
  TranscriptionRequest,
  TranscriptionResponse,
  Word,
} from "../../canonical/transcription.ts";
import { oneUnit, type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Dialect, ErrorCodec, ReadContext, RenderContext, RenderedRequest, UpstreamRequest } from "../dialect.ts";
import { invalidUpstreamResponse, unsupported, unsupportedByModel } from "../errors.ts";
import { noClient } from "../shared/upstream-only.ts";
import { type Warnings, warn } from "../shared/warnings.ts";
import { cuesOf } from "./subtitles.ts";

type Hint = "language" | "prompt" | "temperature";
const hints: readonly Hint[] = ["language", "prompt", "temperature"];

export interface UpstreamTranscription {
  readonly name: string;
  /** It can write down in English what is said in another language. */
  readonly translates?: true;
  /** Forms of reply that can be made of its own. */
  readonly formats: readonly TranscriptFormat[];
  /** What it knows of these; the others are dropped. */
  readonly hints: readonly Hint[];
  readonly mostBytes?: number;
  call(request: TranscriptionRequest, context: RenderContext): UpstreamRequest;
  /** Throws `upstream_protocol_error` on anything that is no reply. */
  parse(wire: unknown, context: ReadContext): TranscriptionResponse;
  readonly error: ErrorCodec;
}

function refuseUnable(server: UpstreamTranscription, request: TranscriptionRequest, context: RenderContext): void {
  const { mostBytes = Number.POSITIVE_INFINITY } = server;
  if (request.task === "translate" && !server.translates)
    throw unsupportedByModel("this model does not support translation.");
  if (!server.formats.includes(request.format))
    throw unsupported(context.fieldPath("format"), `this model supports the formats ${server.formats.join(", ")}.`);
  if (request.recording.bytes.length > mostBytes)
    throw unsupported("file", `this model accepts files of at most ${mostBytes} bytes.`);
}

function render(server: UpstreamTranscription, request: TranscriptionRequest, context: RenderContext): RenderedRequest {
  refuseUnable(server, request, context);
  const warnings: Warnings = { context, warnings: [] };
  for (const hint of hints)
    if (request[hint] !== undefined && request[hint] !== "" && !server.hints.includes(hint))
      warn(warnings, "dropped", hint);
  return { call: server.call(request, context), warnings: warnings.warnings };
}

const noWords = (): never => {
  throw new GatewayError("internal_error", "Clients cannot use this format.");
};

export function upstreamTranscription(
  server: UpstreamTranscription,
): Dialect<TranscriptionRequest, TranscriptionResponse> {
  return {
    name: server.name,
    operation: "transcribe",
    request: {
      schema: Type.Object({}),
      parse: noWords,
      render: (request, context) => render(server, request, context),
      fieldPath: (field) => field,
    },
    response: { parse: server.parse, render: (response) => ({ text: response.text }) },
    passthrough: noClient,
    error: server.error,
  };
}

/** Every form of reply. */
export const allFormats: readonly TranscriptFormat[] = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"];

/** A word with a mark for who said it; the mark means nothing beyond this reply. */
export interface SpokenWord extends Word {
  readonly who?: string;
}

/** Runs of words by one speaker, who get letters in the order in which they begin to speak. */
export function segmentsBySpeaker(words: readonly SpokenWord[]): Segment[] {
  const letters = new Map<string, string>();
  const runs: SpokenWord[][] = [];
  for (const word of words) {
    const run = runs.at(-1);
    if (run !== undefined && run[0]?.who === word.who) run.push(word);
    else runs.push([word]);
  }
  return runs.flatMap((run) => {
    const who = run[0]?.who ?? "";
    if (!letters.has(who)) letters.set(who, speakerLetter(letters.size));
    return cuesOf(run).map((cue) => ({ ...cue, speaker: letters.get(who) ?? "A" }));
  });
}

const letters = 26;

/** `A` for 0, `B` for 1, and behind `Z` its number. */
export function speakerLetter(index: number): string {
  return index < letters ? String.fromCharCode(65 + index) : String(index + 1);
}

/** Seconds as a usage; undefined for none. */
export function secondsUsed(seconds: unknown): Usage | undefined {
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  return { ...zeroUsage, ...oneUnit("audioMs", seconds * 1_000) };
}

/** A time on the wire. */
export function secondsIn(value: JsonObject[string]): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** The text of a reply. Throws where there is none. */
export function textIn(value: JsonObject[string]): string {
  if (typeof value !== "string") throw invalidUpstreamResponse("the response has no text");
  return value;
}
