// What dialects of speech have in common that only servers speak: voices and formats by table, speed within bounds.
import { Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import {
  type AudioFormat,
  audioFormats,
  type SpeechRequest,
  type SpeechResponse,
  soundTypes,
} from "../../canonical/speech.ts";
import type { Usage } from "../../canonical/usage.ts";
import { oneUnit, zeroUsage } from "../../canonical/usage.ts";
import type {
  AudioReader,
  Dialect,
  ErrorCodec,
  ReadContext,
  RenderContext,
  RenderedRequest,
  UpstreamRequest,
} from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { noClient } from "../shared/upstream-only.ts";
import { type Warnings, warn, warnField } from "../shared/warnings.ts";
import { soundWriter } from "./openai-writer.ts";
import { chooseVoice, type VoiceTable } from "./voices.ts";

export type HeaderGetter = (name: string) => string | null;

/** A request as a server of speech takes it. */
export interface SpeechParameters<Form> {
  readonly ask: SpeechRequest;
  readonly model: string;
  /** The server's own name for the voice. */
  readonly voice: string;
  /** What to ask for, to get the format that the client wants. */
  readonly form: Form;
  /** Within the server's bounds. */
  readonly speed: number;
  readonly notes: Warnings;
}

export interface UpstreamSpeech<Form> {
  readonly name: string;
  /** Voices that stand in for the usual names. */
  readonly voices: VoiceTable;
  /** Formats without a row are refused. */
  readonly formats: { readonly [format in AudioFormat]?: Form };
  /** Absent: it knows no speed. */
  readonly speeds?: readonly [least: number, most: number];
  /** It can be told how to speak. */
  readonly instructs?: true;
  /** Characters that it takes at most. */
  readonly mostCharacters?: number;
  call(wish: SpeechParameters<Form>): UpstreamRequest;
  reader(context: ReadContext, head: HeaderGetter): AudioReader;
  readonly error: ErrorCodec;
}

type Speaking = Dialect<SpeechRequest, SpeechResponse>;

function speedFor({ speed }: SpeechRequest, speeds: readonly [number, number] | undefined, warnings: Warnings): number {
  if (speed === 1) return 1;
  if (speeds === undefined) {
    warnField(warnings, "dropped", "speed");
    return 1;
  }
  const taken = Math.min(Math.max(speed, speeds[0]), speeds[1]);
  if (taken !== speed) warnField(warnings, "approximated", "speed");
  return taken;
}

/** What stands in for a format that nobody asked for by its name, best first: files that players know, then bare samples. */
const nearestFormats: readonly AudioFormat[] = ["mp3", "wav", "opus", "aac", "flac", "pcm"];

/** The format that is made: the requested one, or the server's nearest where the client left the format open. */
function formatFor<Form>({ formats }: UpstreamSpeech<Form>, { format, isDefaultFormat }: SpeechRequest): AudioFormat {
  if (formats[format] !== undefined || !isDefaultFormat) return format;
  return nearestFormats.find((each) => formats[each] !== undefined) ?? format;
}

function formFor<Form>({ formats }: UpstreamSpeech<Form>, format: AudioFormat, context: RenderContext): Form {
  const form = formats[format];
  if (form !== undefined) return form;
  throw unsupported(context.fieldPath("format"), `this model supports the formats ${Object.keys(formats).join(", ")}.`);
}

/** The request with the format that is made. */
function withFormat<Form>(server: UpstreamSpeech<Form>, request: SpeechRequest): SpeechRequest {
  const format = formatFor(server, request);
  return format === request.format ? request : { ...request, format };
}

function standardVoice<Form>(
  { voices }: UpstreamSpeech<Form>,
  { voice: name }: SpeechRequest,
  warnings: Warnings,
): string {
  const { voice, isOther } = chooseVoice(name, voices, warnings.context.listedVoices);
  if (isOther) warn(warnings, "approximated", "voice");
  return voice;
}

function render<Form>(server: UpstreamSpeech<Form>, given: SpeechRequest, context: RenderContext): RenderedRequest {
  const { mostCharacters = Number.POSITIVE_INFINITY } = server;
  const request = withFormat(server, given);
  const form = formFor(server, request.format, context);
  if ([...request.input].length > mostCharacters)
    throw unsupported(context.fieldPath("input"), `this model accepts at most ${mostCharacters} characters.`);
  const warnings: Warnings = { context, warnings: [] };
  if (request !== given) warnField(warnings, "approximated", "format");
  const speed = speedFor(request, server.speeds, warnings);
  if (request.instructions?.trim() && !server.instructs) warn(warnings, "dropped", "instructions");
  const voice = context.voice ?? (request.ownVoice ? request.voice : standardVoice(server, request, warnings));
  const call = server.call({ ask: request, model: context.model, voice, form, speed, notes: warnings });
  return { call, warnings: warnings.warnings };
}

const noWords = (): never => {
  throw new GatewayError("internal_error", "Clients cannot use this format.");
};

export function upstreamSpeech<Form>(server: UpstreamSpeech<Form>): Speaking {
  return {
    name: server.name,
    operation: "speak",
    request: {
      schema: Type.Object({}),
      parse: noWords,
      render: (request, context) => render(server, request, context),
      fieldPath: (field) => field,
    },
    response: {
      parse: () => {
        throw unsupported("model", "speech responses are binary.");
      },
      render: (response) => ({
        audio: Buffer.from(response.bytes).toString("base64"),
        type: soundTypes[response.format],
      }),
    },
    audio: {
      formats: audioFormats.filter((format) => server.formats[format] !== undefined),
      reader: (context, head) =>
        server.reader(
          context.request?.operation === "speak"
            ? { ...context, request: withFormat(server, context.request) }
            : context,
          head,
        ),
      writer: soundWriter,
    },
    passthrough: noClient,
    error: server.error,
  };
}

/** Characters as the server has counted them; undefined where it told none. */
export function characterUsage(count: string | number | null | undefined): Usage | undefined {
  const amount = Number(count);
  if (count === null || count === undefined || !Number.isFinite(amount) || amount <= 0) return undefined;
  return { ...zeroUsage, ...oneUnit("characters", amount) };
}

/** Length of a body in bytes, where it is told. */
export function contentLength(head: HeaderGetter): number | null {
  const length = Number(head("content-length") ?? Number.NaN);
  return Number.isSafeInteger(length) && length > 0 ? length : null;
}

/** The same voice under several of the usual names. */
export function voicesByName(pairs: { readonly [voice: string]: readonly string[] }): Record<string, string> {
  return Object.fromEntries(Object.entries(pairs).flatMap(([voice, names]) => names.map((name) => [name, voice])));
}
