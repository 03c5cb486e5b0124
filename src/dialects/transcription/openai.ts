// The dialects of OpenAI's transcriptions and translations, and those of servers that give fewer forms of reply.

import type { FieldName } from "../../canonical/request-field.ts";
import type { TranscriptFormat, TranscriptionRequest, TranscriptionResponse } from "../../canonical/transcription.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Dialect, FormPart, RenderContext, RenderedRequest } from "../dialect.ts";
import { unsupported, unsupportedByModel } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { isRecording, recordingType } from "./audio-input.ts";
import { filePart, formCall, parseRequest, renderWire } from "./request.ts";
import { parseResponse, renderResponse } from "./response.ts";
import { transcriptionSchema, translationSchema } from "./schema.ts";
import { stream } from "./stream.ts";
import { documents } from "./text-formats.ts";

type Transcribing = Dialect<TranscriptionRequest, TranscriptionResponse>;

/** A server of this dialect. */
interface Server {
  readonly name: string;
  readonly path: string;
  readonly task: TranscriptionRequest["task"];
  /** Forms of reply that it gives; absent: all. */
  readonly formats?: readonly TranscriptFormat[];
  /** Fields that it knows beside the model; absent: all. Others are dropped. */
  readonly fields?: readonly string[];
  /** It tells times in its one form of reply when it is asked for segments, and then takes no language. */
  readonly timesSegments?: true;
  /** False where it answers all at once. */
  readonly streams?: false;
}

const paths: { readonly [field in FieldName]?: string } = { format: "response_format" };
const timed: readonly TranscriptFormat[] = ["srt", "vtt", "verbose_json", "diarized_json"];

/** The form to ask the server for: the client's own, else the richest from which the gateway makes it. */
function formatFor({ format }: TranscriptionRequest, server: Server): TranscriptFormat {
  const { formats } = server;
  if (formats === undefined || formats.includes(format)) return format;
  if (formats.includes("verbose_json") && format !== "diarized_json") return "verbose_json";
  if (timed.includes(format) && (!server.timesSegments || format === "diarized_json"))
    throw unsupported("response_format", "this model returns no timestamps.");
  return "json";
}

/** What the server does not know is left out; of what the client asked for itself, it is told. */
function knownTo({ fields }: Server, wire: JsonObject, warnings: Warning[]): JsonObject {
  if (fields === undefined) return wire;
  const known = new Set(["model", ...fields]);
  for (const path of ["language", "prompt", "temperature"])
    if (wire[path] !== undefined && wire[path] !== "" && !known.has(path)) warnings.push({ code: "dropped", path });
  return Object.fromEntries(Object.entries(wire).filter(([name]) => known.has(name)));
}

/** Times for segments, where the client wants any; words get none. */
function withTimes(request: TranscriptionRequest, wire: JsonObject, warnings: Warning[]): JsonObject {
  if (!timed.includes(request.format)) return wire;
  if (request.granularities.includes("word")) warnings.push({ code: "approximated", path: "timestamp_granularities" });
  if (request.language !== undefined) warnings.push({ code: "dropped", path: "language" });
  const { language: _, ...rest } = wire;
  return { ...rest, timestamp_granularities: ["segment"] };
}

function render(request: TranscriptionRequest, { model }: RenderContext, server: Server): RenderedRequest {
  if (request.task !== server.task) throw unsupportedByModel(`this model does not support the task '${request.task}'.`);
  const warnings: Warning[] = [];
  const known = knownTo(server, renderWire(request, model, formatFor(request, server)), warnings);
  const { stream: _, ...wire } = server.timesSegments ? withTimes(request, known, warnings) : known;
  const streamed = request.stream && server.streams !== false ? { ...wire, stream: true } : wire;
  return { call: formCall(server.path, streamed, filePart(request)), warnings };
}

/** The recording that came with the form, under the name and type that it had. */
function clientsFile(files: Parameters<Transcribing["passthrough"]["render"]>[2]["files"]): FormPart {
  const { name = "file", type = "", bytes = new Uint8Array() } = files?.find(isRecording) ?? {};
  return { name: "file", fileName: name, type: type || recordingType(bytes, type), bytes };
}

export function transcriptionDialect(server: Server): Transcribing {
  return {
    name: server.name,
    operation: "transcribe",
    request: {
      schema: server.task === "translate" ? translationSchema : transcriptionSchema,
      parse: (wire, envelope) => parseRequest(server.task, wire, envelope),
      render: (canonicalRequest, context) => render(canonicalRequest, context, server),
      fieldPath: (field) => paths[field] ?? field,
    },
    response: {
      parse: parseResponse,
      render: (response, { request }) => renderResponse(response, request as TranscriptionRequest),
    },
    textFormats: documents,
    ...(server.streams === false ? {} : { stream }),
    passthrough: {
      render: (wire, { model }, { files }) => formCall(server.path, { ...wire, model }, clientsFile(files)),
    },
    error: openaiErrors,
  };
}

export const openaiTranscriptions = transcriptionDialect({
  name: "openai-transcriptions",
  path: "audio/transcriptions",
  task: "transcribe",
});

export const openaiTranslations = transcriptionDialect({
  name: "openai-translations",
  path: "audio/translations",
  task: "translate",
});
