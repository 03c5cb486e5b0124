// What dialects of speech have in common that only servers speak: voices and formats by table, speed within bounds.
import { Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import { type SoundFormat, type SpeakAnswer, type SpeakAsk, soundFormats, soundTypes } from "../../canonical/speech.ts";
import type { Usage } from "../../canonical/usage.ts";
import { noUsage } from "../../canonical/usage.ts";
import type { Call, Dialect, ErrorSide, ReadContext, RenderContext, Rendered, SoundReader } from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { noClient } from "../shared/upstream-only.ts";
import { type Notes, note, noteField } from "../shared/warnings.ts";
import { soundWriter } from "./openai-writer.ts";
import { chooseVoice, type VoiceTable } from "./voices.ts";

export type Head = (name: string) => string | null;

/** A request as a server of speech takes it. */
export interface Wish<Form> {
  readonly ask: SpeakAsk;
  readonly model: string;
  /** The server's own name for the voice. */
  readonly voice: string;
  /** What to ask for, to get the format that the client wants. */
  readonly form: Form;
  /** Within the server's bounds. */
  readonly speed: number;
  readonly notes: Notes;
}

export interface SpeechServer<Form> {
  readonly name: string;
  /** Voices that stand in for the usual names. */
  readonly voices: VoiceTable;
  /** Formats without a row are refused. */
  readonly formats: { readonly [format in SoundFormat]?: Form };
  /** Absent: it knows no speed. */
  readonly speeds?: readonly [least: number, most: number];
  /** It can be told how to speak. */
  readonly instructs?: true;
  /** Characters that it takes at most. */
  readonly mostCharacters?: number;
  call(wish: Wish<Form>): Call;
  reader(context: ReadContext, head: Head): SoundReader;
  readonly error: ErrorSide;
}

type Speaking = Dialect<SpeakAsk, SpeakAnswer>;

function speedFor({ speed }: SpeakAsk, speeds: readonly [number, number] | undefined, notes: Notes): number {
  if (speed === 1) return 1;
  if (speeds === undefined) {
    noteField(notes, "dropped", "speed");
    return 1;
  }
  const taken = Math.min(Math.max(speed, speeds[0]), speeds[1]);
  if (taken !== speed) noteField(notes, "approximated", "speed");
  return taken;
}

/** What stands in for a format that nobody asked for by its name, best first: files that players know, then bare samples. */
const nearestFormats: readonly SoundFormat[] = ["mp3", "wav", "opus", "aac", "flac", "pcm"];

/** The format that is made: the requested one, or the server's nearest where the client left the format open. */
function formatFor<Form>({ formats }: SpeechServer<Form>, { format, isDefaultFormat }: SpeakAsk): SoundFormat {
  if (formats[format] !== undefined || !isDefaultFormat) return format;
  return nearestFormats.find((each) => formats[each] !== undefined) ?? format;
}

function formFor<Form>({ formats }: SpeechServer<Form>, format: SoundFormat, context: RenderContext): Form {
  const form = formats[format];
  if (form !== undefined) return form;
  throw unsupported(context.fieldPath("format"), `it makes ${Object.keys(formats).join(", ")}.`);
}

/** The request with the format that is made. */
function withFormat<Form>(server: SpeechServer<Form>, ask: SpeakAsk): SpeakAsk {
  const format = formatFor(server, ask);
  return format === ask.format ? ask : { ...ask, format };
}

function standardVoice<Form>({ voices }: SpeechServer<Form>, { voice: name }: SpeakAsk, notes: Notes): string {
  const { voice, isOther } = chooseVoice(name, voices, notes.context.listedVoices);
  if (isOther) note(notes, "approximated", "voice");
  return voice;
}

function render<Form>(server: SpeechServer<Form>, given: SpeakAsk, context: RenderContext): Rendered {
  const { mostCharacters = Number.POSITIVE_INFINITY } = server;
  const ask = withFormat(server, given);
  const form = formFor(server, ask.format, context);
  if ([...ask.input].length > mostCharacters)
    throw unsupported(context.fieldPath("input"), `it takes at most ${mostCharacters} characters.`);
  const notes: Notes = { context, warnings: [] };
  if (ask !== given) noteField(notes, "approximated", "format");
  const speed = speedFor(ask, server.speeds, notes);
  if (ask.instructions?.trim() && !server.instructs) note(notes, "dropped", "instructions");
  const voice = context.voice ?? (ask.ownVoice ? ask.voice : standardVoice(server, ask, notes));
  const call = server.call({ ask, model: context.model, voice, form, speed, notes });
  return { call, warnings: notes.warnings };
}

const noWords = (): never => {
  throw new GatewayError("internal_error", "No client speaks this dialect to the gateway.");
};

export function speechServer<Form>(server: SpeechServer<Form>): Speaking {
  return {
    name: server.name,
    operation: "speak",
    request: {
      schema: Type.Object({}),
      parse: noWords,
      render: (ask, context) => render(server, ask, context),
      fieldPath: (field) => field,
    },
    response: {
      parse: () => {
        throw unsupported("model", "speech is no document.");
      },
      render: (answer) => ({ audio: Buffer.from(answer.bytes).toString("base64"), type: soundTypes[answer.format] }),
    },
    sound: {
      formats: soundFormats.filter((format) => server.formats[format] !== undefined),
      reader: (context, head) =>
        server.reader(
          context.ask?.operation === "speak" ? { ...context, ask: withFormat(server, context.ask) } : context,
          head,
        ),
      writer: soundWriter,
    },
    verbatim: noClient,
    error: server.error,
  };
}

/** Characters as the server has counted them; undefined where it told none. */
export function charactersTold(count: string | number | null | undefined): Usage | undefined {
  const amount = Number(count);
  if (count === null || count === undefined || !Number.isFinite(amount) || amount <= 0) return undefined;
  return { ...noUsage, units: { kind: "characters", amount: Math.round(amount) } };
}

/** Length of a body in bytes, where it is told. */
export function lengthTold(head: Head): number | null {
  const length = Number(head("content-length") ?? Number.NaN);
  return Number.isSafeInteger(length) && length > 0 ? length : null;
}

/** The same voice under several of the usual names. */
export function voicesByName(pairs: { readonly [voice: string]: readonly string[] }): Record<string, string> {
  return Object.fromEntries(Object.entries(pairs).flatMap(([voice, names]) => names.map((name) => [name, voice])));
}
