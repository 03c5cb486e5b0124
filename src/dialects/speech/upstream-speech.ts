// Speech servers: builds a field table from what each server accepts (voices, formats, limits of speed).
import { type AudioFormat, audioFormats, type SpeechRequest, type SpeechResponse } from "../../canonical/speech.ts";
import type { Usage } from "../../canonical/usage.ts";
import { oneUnit, zeroUsage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type {
  AudioReader,
  ErrorCodec,
  ReadContext,
  RenderContext,
  RenderedRequest,
  UpstreamDialect,
  UpstreamRequest,
} from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { dropped, type FieldTable, ignored, type RenderSetting, rejected } from "../field-table.ts";
import { fieldRenderer } from "../render-fields.ts";
import { newWarnings, warn, warnField } from "../shared/warnings.ts";
import type { HeaderGetter } from "./audio-readers.ts";
import { chooseVoice, type VoiceTable } from "./voices.ts";

export type SpeechTable = FieldTable<SpeechRequest>;
export type SpeechSetting = RenderSetting<SpeechRequest>;

/**
 * The path of each field. Members of `url`, `query` and `headers` are applied by the server's `call`, all others go
 * into the body.
 */
interface SpeechPaths {
  readonly input: string;
  readonly voice: string;
  readonly format: string;
  /** Absent: the server does not support speed. */
  readonly speed?: string;
}

interface UpstreamSpeech {
  readonly name: string;
  readonly paths: SpeechPaths;
  /** Voices for the standard names. */
  readonly voices: VoiceTable;
  /** The server's names for the formats, `null` where it has none; formats without a row are refused. */
  readonly formats: { readonly [format in AudioFormat]?: string | null };
  readonly speeds?: readonly [least: number, most: number];
  /** Maximum characters of the input. */
  readonly maxCharacters?: number;
  /** Rows that replace the generated ones. */
  readonly rows?: Partial<SpeechTable>;
  /** The server's name for a voice of a model. Absent: the voice itself. */
  voiceOf?(voice: string, setting: SpeechSetting): string;
  call(fields: JsonObject, request: SpeechRequest, context: RenderContext): UpstreamRequest;
  reader(context: ReadContext, head: HeaderGetter): AudioReader;
  readonly error: ErrorCodec;
}

/** Replacements for a format that the client left open, best first: files that players support, then raw samples. */
const nearestFormats: readonly AudioFormat[] = ["mp3", "wav", "opus", "aac", "flac", "pcm"];

/**
 * The request with the resulting format: the requested one, or the nearest supported one where the client left it
 * open.
 */
function withFormat({ formats }: UpstreamSpeech, request: SpeechRequest): SpeechRequest {
  if (formats[request.format] !== undefined || !request.isDefaultFormat) return request;
  const format = nearestFormats.find((each) => formats[each] !== undefined) ?? request.format;
  return { ...request, format };
}

function voiceFor({ voices, voiceOf = (voice) => voice }: UpstreamSpeech, setting: SpeechSetting): string {
  const { request, warnings } = setting;
  const { voice: mapped, listedVoices } = warnings.context;
  if (mapped !== undefined || request.ownVoice) return voiceOf(mapped ?? request.voice, setting);
  const { voice, isOther } = chooseVoice(request.voice, voices, listedVoices);
  if (isOther) warn(warnings, "approximated", "voice");
  return voiceOf(voice, setting);
}

const noInstructions = dropped("the format has no instructions");

function tableOf(server: UpstreamSpeech): SpeechTable {
  const { paths, formats, speeds, maxCharacters = Number.POSITIVE_INFINITY } = server;
  return {
    format: {
      path: paths.format,
      limit: (_setting, format) =>
        formats[format] === undefined
          ? rejected(`this model supports the formats ${Object.keys(formats).join(", ")}.`)
          : undefined,
      render: (format): Json | undefined => formats[format] ?? undefined,
    },
    isDefaultFormat: { path: paths.format, carriedBy: "format" },
    input: {
      path: paths.input,
      limit: (_setting, input) =>
        [...input].length > maxCharacters
          ? rejected(`this model accepts at most ${maxCharacters} characters.`)
          : undefined,
    },
    speed:
      speeds === undefined || paths.speed === undefined
        ? dropped("the format has no speed")
        : {
            path: paths.speed,
            limit: () => ({ min: speeds[0], max: speeds[1] }),
            render: (speed) => (speed === 1 ? undefined : speed),
          },
    instructions: {
      path: "instructions",
      limit: (_setting, text) => (text.trim() === "" ? undefined : noInstructions),
      render: () => undefined,
    },
    voice: { path: paths.voice, render: (_voice, setting) => voiceFor(server, setting) },
    ownVoice: { path: paths.voice, carriedBy: "voice" },
    events: ignored("the gateway makes the events"),
    ...server.rows,
  };
}

/** Speech replies are read as audio, never as a document. */
export function refuseDocument(): never {
  throw invalidUpstreamResponse("expected audio");
}

export function upstreamSpeech(server: UpstreamSpeech): UpstreamDialect<SpeechRequest, SpeechResponse> {
  const fields = tableOf(server);
  const renderFields = fieldRenderer<SpeechRequest, SpeechSetting>(fields);
  const render = (given: SpeechRequest, context: RenderContext): RenderedRequest => {
    const request = withFormat(server, given);
    const warnings = newWarnings(context);
    if (request !== given) warnField(warnings, "approximated", "format");
    const call = server.call(renderFields({ request, warnings }), request, context);
    return { call, warnings: warnings.warnings };
  };
  return {
    name: server.name,
    operation: "speak",
    request: { fields, render },
    response: { parse: refuseDocument },
    audio: {
      formats: audioFormats.filter((format) => server.formats[format] !== undefined),
      reader: (context, head) =>
        server.reader(
          context.request?.operation === "speak"
            ? { ...context, request: withFormat(server, context.request) }
            : context,
          head,
        ),
    },
    error: server.error,
  };
}

/** A text among rendered members. */
export const stringAt = (members: Json | undefined, name: string): string =>
  isObject(members) && typeof members[name] === "string" ? members[name] : "";

/** Characters as the server counted them; undefined where it returned none. */
export function characterUsage(count: string | number | null | undefined): Usage | undefined {
  const amount = Number(count);
  if (count === null || count === undefined || !Number.isFinite(amount) || amount <= 0) return undefined;
  return { ...zeroUsage, ...oneUnit("characters", amount) };
}

/** Length of a body in bytes, where a header has it. */
export function contentLength(head: HeaderGetter): number | null {
  const length = Number(head("content-length") ?? Number.NaN);
  return Number.isSafeInteger(length) && length > 0 ? length : null;
}

/** One voice for several of the standard names. */
export function voicesByName(pairs: { readonly [voice: string]: readonly string[] }): Record<string, string> {
  return Object.fromEntries(Object.entries(pairs).flatMap(([voice, names]) => names.map((name) => [name, voice])));
}
