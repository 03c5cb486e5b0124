// The dialect of OpenAI's speech: a text and a voice in, a file of sound out, whole or as events.
import { Type } from "typebox";
import type { FieldName } from "../../canonical/request-field.ts";
import {
  type AudioFormat,
  audioFormats,
  type SpeechRequest,
  type SpeechResponse,
  soundTypes,
  standardVoices,
} from "../../canonical/speech.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { badValue, unsupported } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { enumeration, optional } from "../schema-helpers.ts";
import { openaiSoundReader } from "./openai-reader.ts";
import { soundWriter } from "./openai-writer.ts";

/** What people count as characters. */
const maxCharacters = 4096;

const schema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: "ID of the model to use." }),
    input: Type.String({
      minLength: 1,
      maxLength: maxCharacters,
      description: `The text to convert to speech, at most ${maxCharacters} characters.`,
    }),
    voice: Type.Union(
      [
        Type.String({ minLength: 1, maxLength: 256 }),
        Type.Object({ id: Type.String({ minLength: 1, maxLength: 256 }) }),
      ],
      { description: `One of ${standardVoices.join(", ")}, or a voice that is configured for the model.` },
    ),
    response_format: enumeration(audioFormats, { default: "mp3", description: "File format of the output." }),
    speed: optional("number", {
      minimum: 0.25,
      maximum: 4,
      default: 1,
      description: "Speed of the speech; 1 is normal.",
    }),
    instructions: optional("string", { description: "Instructions for the voice." }),
    stream_format: enumeration(["audio", "sse"], { default: "audio", description: "Stream format: `audio` or `sse`." }),
  },
  { additionalProperties: true },
);

const known = new Set(["model", "input", "voice", "response_format", "speed", "instructions", "stream_format"]);

function voiceOf(voice: Json | undefined): string {
  return isObject(voice) ? String(voice.id) : String(voice);
}

/** The schema counts what the runtime calls characters; people count what they see. */
function checkLength(input: string): void {
  if (input.length > maxCharacters && [...input].length > maxCharacters)
    throw badValue("input", `'input' must have at most ${maxCharacters} characters.`);
}

function parse(wire: JsonObject): SpeechRequest {
  const input = String(wire.input);
  checkLength(input);
  return {
    operation: "speak",
    model: String(wire.model),
    stream: true,
    input,
    voice: voiceOf(wire.voice),
    ...(isObject(wire.voice) ? { ownVoice: true } : {}),
    format: (wire.response_format ?? "mp3") as AudioFormat,
    ...(wire.response_format === undefined || wire.response_format === null ? { isDefaultFormat: true } : {}),
    speed: typeof wire.speed === "number" ? wire.speed : 1,
    ...(typeof wire.instructions === "string" ? { instructions: wire.instructions } : {}),
    events: wire.stream_format === "sse",
    unmappedFields: Object.keys(wire)
      .filter((name) => !known.has(name) && wire[name] !== null)
      .map((path) => ({ path, rule: "warn" })),
  };
}

const paths: { readonly [field in FieldName]?: string } = { format: "response_format" };

export const openaiSpeech: Dialect<SpeechRequest, SpeechResponse> = {
  name: "openai-speech",
  operation: "speak",
  request: {
    schema,
    parse,
    render: (request, { model, voice }) => ({
      call: {
        path: "audio/speech",
        body: omitUndefined({
          model,
          input: request.input,
          voice: voice ?? (request.ownVoice ? { id: request.voice } : request.voice),
          response_format: request.format,
          speed: request.speed === 1 ? undefined : request.speed,
          instructions: request.instructions,
          stream_format: request.events ? "sse" : undefined,
        }),
      },
      warnings: [],
    }),
    fieldPath: (field) => paths[field] ?? field,
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
  audio: { reader: openaiSoundReader, writer: soundWriter },
  passthrough: {
    render: (wire, { model, voice }) => ({
      path: "audio/speech",
      body: { ...wire, model, ...(voice === undefined ? {} : { voice }) },
    }),
  },
  error: openaiErrors,
};
