// OpenAI's transcriptions and translations, and servers with variants of that format.
import type { TranscriptFormat, TranscriptionRequest, TranscriptionResponse } from "../../canonical/transcription.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { FormPart, UpstreamDialect } from "../dialect.ts";
import { dropped, fieldPaths, rejected } from "../field-table.ts";
import { openaiErrors } from "../openai-error.ts";
import { callRenderer } from "../render-fields.ts";
import { warnField } from "../shared/warnings.ts";
import { isRecording, recordingType } from "./audio-input.ts";
import {
  clientHalves,
  clientRequest,
  filePart,
  formCall,
  noHint,
  recordingAt,
  type TranscriptionDialect,
  type TranscriptionSetting,
  type TranscriptionTable,
  tasksOf,
} from "./fields.ts";
import { parseResponse, renderResponse } from "./response.ts";
import { stream } from "./stream.ts";
import { documents } from "./subtitles.ts";
import { upstreamTranscription } from "./upstream-transcription.ts";

type Task = TranscriptionRequest["task"];

const paths: { readonly [task in Task]: string } = {
  transcribe: "audio/transcriptions",
  translate: "audio/translations",
};

/** A server of this format. */
interface Server {
  readonly name: string;
  readonly task: Task;
  /** Reply formats that it supports; absent: all. */
  readonly formats?: readonly TranscriptFormat[];
  /** Fields that it supports in addition to the model; absent: all. Others are dropped. */
  readonly has?: readonly ("language" | "prompt" | "format" | "temperature")[];
  /** It returns times in its only format when segments are requested, and then does not accept a language. */
  readonly timesSegments?: true;
}

const timed: readonly TranscriptFormat[] = ["srt", "vtt", "verbose_json", "diarized_json"];

/**
 * The format to request from the server: the client's, otherwise the most detailed from which the gateway can convert,
 * if there is one.
 */
function formatFor(format: TranscriptFormat, { formats, timesSegments }: Server): TranscriptFormat | undefined {
  if (formats === undefined || formats.includes(format)) return format;
  if (formats.includes("verbose_json") && format !== "diarized_json") return "verbose_json";
  return timed.includes(format) && (!timesSegments || format === "diarized_json") ? undefined : "json";
}

/** Segment times if the client requests any times; word times are not supported. */
function segmentTimes({ request, warnings }: TranscriptionSetting): JsonObject {
  if (!timed.includes(request.format)) return {};
  if (request.granularities.includes("word")) warnField(warnings, "approximated", "granularities");
  return { timestamp_granularities: ["segment"] };
}

function tableOf(server: Server): TranscriptionTable {
  const { task, has = ["language", "prompt", "format", "temperature"], timesSegments } = server;
  const client = clientHalves(task);
  const hint = (name: "language" | "prompt" | "temperature") => (has.includes(name) ? { path: name } : noHint(name));
  return {
    task: tasksOf([task]),
    recording: { ...client.recording, ...recordingAt("file") },
    language: {
      ...client.language,
      ...hint("language"),
      ...(timesSegments
        ? { limit: ({ request }) => (timed.includes(request.format) ? dropped("times exclude it") : undefined) }
        : {}),
    },
    prompt: { ...client.prompt, ...hint("prompt") },
    format: {
      ...client.format,
      path: "response_format",
      limit: (_setting, format) =>
        formatFor(format, server) === undefined ? rejected("this model returns no timestamps.") : undefined,
      render: (format) => (has.includes("format") ? formatFor(format, server) : undefined),
    },
    temperature: { ...client.temperature, ...hint("temperature") },
    granularities: {
      ...client.granularities,
      path: "timestamp_granularities",
      ...(timesSegments ? { renderMembers: segmentTimes } : {}),
      ...(server.has !== undefined && !timesSegments ? { render: () => undefined } : {}),
    },
  };
}

/** A server with a variant of OpenAI's format and without streaming. */
function transcriptionServer(server: Server): UpstreamDialect<TranscriptionRequest, TranscriptionResponse> {
  const fields = tableOf(server);
  return {
    ...upstreamTranscription({
      name: server.name,
      fields,
      call: (members, request, { model }) => formCall(paths[server.task], { model, ...members }, filePart(request)),
      parse: parseResponse,
      error: openaiErrors,
    }),
    textFormats: documents,
  };
}

/** The client's recording, with its original name and type. */
function clientsFile(files: Parameters<TranscriptionDialect["passthrough"]["render"]>[2]["files"]): FormPart {
  const { name = "file", type = "", bytes = new Uint8Array() } = files?.find(isRecording) ?? {};
  return { name: "file", fileName: name, type: type || recordingType(bytes, type), bytes };
}

function transcriptionDialect(server: Server): TranscriptionDialect {
  const { name, task } = server;
  const fields = tableOf(server);
  return {
    name,
    operation: "transcribe",
    request: {
      fields,
      ...clientRequest(task, fields),
      render: callRenderer(fields, (members, request, { model }) =>
        formCall(paths[task], { model, ...members, ...(request.stream ? { stream: true } : {}) }, filePart(request)),
      ),
      fieldPath: fieldPaths(fields),
    },
    response: {
      parse: parseResponse,
      render: (response, { request }) => renderResponse(response, request as TranscriptionRequest),
    },
    textFormats: documents,
    stream,
    passthrough: {
      render: (wire, { model }, { files }) => formCall(paths[task], { ...wire, model }, clientsFile(files)),
    },
    error: openaiErrors,
  };
}

export const openaiTranscriptions = transcriptionDialect({
  name: "openai-transcriptions",
  task: "transcribe",
});

export const openaiTranslations = transcriptionDialect({
  name: "openai-translations",
  task: "translate",
});

const whisper = ["json", "verbose_json", "text"] as const;

/** https://console.groq.com/docs/speech-to-text */
export const groqTranscriptions = transcriptionServer({
  name: "groq-transcriptions",
  task: "transcribe",
  formats: whisper,
});

export const groqTranslations = transcriptionServer({
  name: "groq-translations",
  task: "translate",
  formats: whisper,
  has: ["prompt", "format", "temperature"],
});

/**
 * https://docs.mistral.ai/api/#tag/audio.transcriptions: one reply format; it does not accept a language together with
 * times.
 */
export const mistralTranscriptions = transcriptionServer({
  name: "mistral-transcriptions",
  task: "transcribe",
  formats: ["json"],
  has: ["language", "temperature"],
  timesSegments: true,
});

/** https://docs.siliconflow.cn/cn/api-reference/audio/create-audio-transcriptions: a file and a model, nothing else. */
export const siliconflowTranscriptions = transcriptionServer({
  name: "siliconflow-transcriptions",
  task: "transcribe",
  formats: ["json"],
  has: [],
});
