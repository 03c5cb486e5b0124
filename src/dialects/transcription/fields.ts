// The fields of a transcription: the client halves of a form, and rows shared by the tables of servers.
import { type TSchema, Type } from "typebox";
import {
  type TranscriptFormat,
  type TranscriptionRequest,
  type TranscriptionResponse,
  transcriptFormats,
} from "../../canonical/transcription.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { Dialect, FormPart, RequestMeta, UpstreamRequest } from "../dialect.ts";
import {
  type ClientHalf,
  dropped,
  type FieldTable,
  ignored,
  type RenderSetting,
  rejected,
  type WireMembers,
} from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { enumeration, optional } from "../schema-helpers.ts";
import { formParts } from "../shared/form-values.ts";
import { recordingOf } from "./audio-input.ts";

export type TranscriptionDialect = Dialect<TranscriptionRequest, TranscriptionResponse>;
export type TranscriptionTable = FieldTable<TranscriptionRequest>;
export type TranscriptionSetting = RenderSetting<TranscriptionRequest>;
type Task = TranscriptionRequest["task"];
type Client = ClientHalf<TranscriptionRequest, never>;

const isFormat = (value: Json | undefined): value is TranscriptFormat =>
  transcriptFormats.some((format) => format === value);

const strings = (description: string): TSchema =>
  Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()], { description }));

const read = {
  recording: ({ files }) => ({ recording: recordingOf(files) }),
  // A form sends an empty text for a missing value.
  language: ({ wire: { language } }) => (typeof language === "string" && language.trim() !== "" ? { language } : {}),
  prompt: ({ wire: { prompt } }) => (typeof prompt === "string" ? { prompt } : {}),
  temperature: ({ wire: { temperature } }) => (typeof temperature === "number" ? { temperature } : {}),
  format({ wire: { response_format: format }, unmapped }) {
    if (isFormat(format)) return { format };
    if (format !== undefined && format !== null) unmapped.push({ path: "response_format", rule: "reject" });
    return { format: "json" };
  },
  granularities({ wire: { timestamp_granularities: value } }) {
    const given = Array.isArray(value) ? [...new Set(value)] : [];
    return { granularities: given.filter((item) => item === "word" || item === "segment") };
  },
} satisfies { readonly [field: string]: Client["parseMembers"] };

/**
 * How clients send the fields of a task. The format of a translation is any text: the provider refuses unknown ones.
 */
export const clientHalves = (task: Task) => ({
  recording: { parseMembers: read.recording },
  language: {
    parseMembers: read.language,
    ...(task === "translate"
      ? {}
      : { schema: optional("string", { description: "Language of the audio, as an ISO 639-1 code." }) }),
  },
  prompt: {
    parseMembers: read.prompt,
    schema: optional("string", { description: "Text that guides the transcription, such as names in the recording." }),
  },
  format: {
    parseMembers: read.format,
    schema:
      task === "translate"
        ? optional("string", { default: "json", description: "Format of the response." })
        : enumeration(transcriptFormats, { default: "json", description: "Format of the response." }),
  },
  temperature: {
    parseMembers: read.temperature,
    schema: optional("number", { minimum: 0, maximum: 1, description: "Sampling temperature, from 0 to 1." }),
  },
  granularities: {
    parseMembers: read.granularities,
    ...(task === "translate"
      ? {}
      : {
          schema: Type.Optional(
            Type.Union([Type.Array(Type.Enum(["word", "segment"])), Type.Null()], {
              description: "Timestamp granularities to return.",
            }),
          ),
        }),
  },
});

const common: WireMembers = {
  model: { schema: Type.String({ minLength: 1, description: "ID of the model to use." }), lost: null },
  stream: {
    schema: optional("boolean", {
      default: false,
      description: "Whether to stream the transcript as server-sent events.",
    }),
    lost: null,
  },
};

/** Fields of OpenAI's own models that affect how the text is generated, not its content, so they may be dropped. */
const transcriptionMembers: WireMembers = {
  ...common,
  include: { schema: Type.Optional(Type.Union([Type.Array(Type.Enum(["logprobs"])), Type.Null()])) },
  known_speaker_names: { schema: strings("Names of known speakers.") },
  known_speaker_references: { schema: strings("Audio samples of the known speakers, as data URIs.") },
  languages: { schema: strings("Languages that the audio may contain.") },
  keywords: { schema: strings("Words that the audio may contain.") },
};

/** The request of a client whose format has this table; the form has passed its schema. */
export function clientRequest(task: Task, table: TranscriptionTable) {
  const members = task === "translate" ? common : transcriptionMembers;
  const readFields = fieldReader<TranscriptionRequest, TranscriptionSetting>(table, members);
  return {
    schema: requestSchema(table, members),
    parse(wire: JsonObject, { files }: RequestMeta): TranscriptionRequest {
      const { fields, unmappedFields } = readFields(wire, files);
      return {
        ...{ operation: "transcribe", task, model: String(wire.model), stream: wire.stream === true },
        ...(fields as Pick<TranscriptionRequest, "recording" | "format" | "granularities">),
        unmappedFields,
      };
    },
  };
}

/**
 * A form as an upstream request: texts first, so that a server can decide before the bytes arrive. `body` has the
 * texts for readers within the gateway.
 */
export function formCall(path: string, wire: JsonObject, file: FormPart): UpstreamRequest {
  return { path, body: wire, form: [...formParts(wire), file] };
}

export function filePart({ recording }: Pick<TranscriptionRequest, "recording">): FormPart {
  return { name: "file", fileName: recording.name, type: recording.mediaType, bytes: recording.bytes };
}

/** A field that the server does not have; an empty text counts as absent. */
export const noHint = (path: string) => ({
  path,
  limit: (_setting: TranscriptionSetting, value: string | number) =>
    value === "" ? undefined : dropped("the format has no such field"),
  render: () => undefined,
});

/** The tasks that a server supports. */
export const tasksOf = (tasks: readonly Task[]) => ({
  path: "task",
  limit(_setting: TranscriptionSetting, task: Task) {
    if (tasks.includes(task)) return undefined;
    const words = task === "translate" ? "translation" : "transcription";
    return { ...rejected(`this model does not support ${words}.`), path: "model" };
  },
  render: () => undefined,
});

/** The formats that can be produced from a server's replies. */
export const formatsOf =
  (formats: readonly TranscriptFormat[]) => (_setting: TranscriptionSetting, format: TranscriptFormat) =>
    formats.includes(format) ? undefined : rejected(`this model supports the formats ${formats.join(", ")}.`);

/** A recording that the request contains. */
export const recordingAt = (path: string, maxBytes = Number.POSITIVE_INFINITY) => ({
  path,
  limit: (_setting: TranscriptionSetting, { bytes }: TranscriptionRequest["recording"]) =>
    bytes.length > maxBytes ? rejected(`this model accepts files of at most ${maxBytes} bytes.`) : undefined,
  render: () => undefined,
});

export const allTimes = ignored("the reply has every time that there is");
