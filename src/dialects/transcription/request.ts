// The request: a form with a recording and a few texts, both ways.
import { type TranscriptFormat, type TranscriptionRequest, transcriptFormats } from "../../canonical/transcription.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { FormPart, RequestMeta, UpstreamRequest } from "../dialect.ts";
import { formParts } from "../shared/form-parts.ts";
import { recordingOf } from "./audio-input.ts";

const known = new Set([
  "model",
  "language",
  "prompt",
  "response_format",
  "temperature",
  "timestamp_granularities",
  "stream",
]);

const isFormat = (value: Json | undefined): value is TranscriptFormat =>
  transcriptFormats.some((format) => format === value);

/** What only OpenAI's own models know changes how the text is found, not what is asked: it may be left out. */
function extrasOf(wire: JsonObject): UnmappedField[] {
  const extras = Object.keys(wire)
    .filter((name) => !known.has(name) && wire[name] !== null)
    .map((path): UnmappedField => ({ path, rule: "warn" }));
  const format = wire.response_format ?? "json";
  return isFormat(format) ? extras : [...extras, { path: "response_format", rule: "reject" }];
}

function granularitiesOf(value: Json | undefined): TranscriptionRequest["granularities"] {
  return Array.isArray(value) ? [...new Set(value)].filter((item) => item === "word" || item === "segment") : [];
}

export function parseRequest(
  task: TranscriptionRequest["task"],
  wire: JsonObject,
  envelope: RequestMeta,
): TranscriptionRequest {
  return {
    operation: "transcribe",
    task,
    model: String(wire.model),
    stream: wire.stream === true,
    recording: recordingOf(envelope),
    format: isFormat(wire.response_format) ? wire.response_format : "json",
    granularities: granularitiesOf(wire.timestamp_granularities),
    unmappedFields: extrasOf(wire),
    // A form sends an empty text for what was not said.
    ...(typeof wire.language === "string" && wire.language.trim() !== "" ? { language: wire.language } : {}),
    ...(typeof wire.prompt === "string" ? { prompt: wire.prompt } : {}),
    ...(typeof wire.temperature === "number" ? { temperature: wire.temperature } : {}),
  };
}

/** A form as a call: texts first, so that a server can decide before the bytes come. `body` keeps the texts for those who read it here. */
export function formCall(path: string, wire: JsonObject, file: FormPart): UpstreamRequest {
  return { path, body: wire, form: [...formParts(wire), file] };
}

export function filePart({ recording }: Pick<TranscriptionRequest, "recording">): FormPart {
  return { name: "file", fileName: recording.name, type: recording.mediaType, bytes: recording.bytes };
}

/** The texts of a request in this dialect. `format` is what is asked of the upstream, where that is another. */
export function renderWire(request: TranscriptionRequest, model: string, format: TranscriptFormat): JsonObject {
  return omitUndefined({
    model,
    language: request.language,
    prompt: request.prompt,
    response_format: format,
    temperature: request.temperature,
    timestamp_granularities: request.granularities.length === 0 ? undefined : [...request.granularities],
    stream: request.stream ? true : undefined,
  });
}
