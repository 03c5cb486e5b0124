// The dialect of OpenAI's speech: a text and a voice in, an audio file out, complete or as events.
import { Type } from "typebox";
import {
  type AudioFormat,
  audioFormats,
  type SpeechRequest,
  type SpeechResponse,
  soundTypes,
  standardVoices,
} from "../../canonical/speech.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { badValue } from "../errors.ts";
import { fieldPaths, type WireMembers } from "../field-table.ts";
import { openaiErrors } from "../openai-error.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { renderer } from "../render-fields.ts";
import { enumeration, optional } from "../schema-helpers.ts";
import { openaiSoundReader, soundWriter } from "./openai-audio.ts";
import { refuseDocument, type SpeechTable } from "./upstream-speech.ts";

const path = "audio/speech";
/** Characters as users count them. */
const maxCharacters = 4096;

/** The schema counts UTF-16 units; this counts code points. */
function checkLength(input: string): void {
  if (input.length > maxCharacters && [...input].length > maxCharacters)
    throw badValue("input", `'input' must have at most ${maxCharacters} characters.`);
}

const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null;

const fields: SpeechTable = {
  input: {
    path: "input",
    schema: Type.String({
      minLength: 1,
      maxLength: maxCharacters,
      description: `The text to convert to speech, at most ${maxCharacters} characters.`,
    }),
    parse(value) {
      checkLength(String(value));
      return String(value);
    },
  },
  voice: {
    path: "voice",
    schema: Type.Union(
      [
        Type.String({ minLength: 1, maxLength: 256 }),
        Type.Object({ id: Type.String({ minLength: 1, maxLength: 256 }) }),
      ],
      { description: `One of ${standardVoices.join(", ")}, or a voice that is configured for the model.` },
    ),
    parseMembers: ({ wire: { voice } }) =>
      isObject(voice) ? { voice: String(voice.id), ownVoice: true } : { voice: String(voice) },
    render: (voice, { request, warnings: { context } }) => context.voice ?? (request.ownVoice ? { id: voice } : voice),
  },
  ownVoice: { path: "voice.id", carriedBy: "voice" },
  format: {
    path: "response_format",
    schema: enumeration(audioFormats, { default: "mp3", description: "File format of the output." }),
    parseMembers: ({ wire: { response_format: format } }) =>
      isGiven(format) ? { format: format as AudioFormat } : { format: "mp3", isDefaultFormat: true },
  },
  isDefaultFormat: { path: "response_format", carriedBy: "format" },
  speed: {
    path: "speed",
    schema: optional("number", {
      minimum: 0.25,
      maximum: 4,
      default: 1,
      description: "Speed of the speech; 1 is normal.",
    }),
    parseMembers: ({ wire }) => ({ speed: typeof wire.speed === "number" ? wire.speed : 1 }),
    render: (speed) => (speed === 1 ? undefined : speed),
  },
  instructions: {
    path: "instructions",
    schema: optional("string", { description: "Instructions for the voice." }),
  },
  events: {
    path: "stream_format",
    schema: enumeration(["audio", "sse"], { default: "audio", description: "Stream format: `audio` or `sse`." }),
    parseMembers: ({ wire }) => ({ events: wire.stream_format === "sse" }),
    render: (events) => (events ? "sse" : undefined),
  },
};

const members: WireMembers = {
  model: { schema: Type.String({ minLength: 1, description: "ID of the model to use." }), lost: null },
};

const readFields = fieldReader(fields, members);

function parse(wire: JsonObject): SpeechRequest {
  const { fields: read, unmappedFields } = readFields(wire);
  const fieldValues = read as Omit<SpeechRequest, "operation" | "model" | "stream" | "unmappedFields">;
  return { operation: "speak", model: String(wire.model), stream: true, ...fieldValues, unmappedFields };
}

export const openaiSpeech: Dialect<SpeechRequest, SpeechResponse> = {
  name: "openai-speech",
  operation: "speak",
  request: {
    fields,
    schema: requestSchema(fields, members),
    parse,
    render: renderer(fields, { path: () => path, members: ({ model }) => ({ model }) }),
    fieldPath: fieldPaths(fields),
  },
  response: {
    parse: refuseDocument,
    render: (response) => ({
      audio: Buffer.from(response.bytes).toString("base64"),
      type: soundTypes[response.format],
    }),
  },
  audio: { reader: openaiSoundReader, writer: soundWriter },
  passthrough: {
    render: (wire, { model, voice }) => ({
      path,
      body: { ...wire, model, ...(voice === undefined ? {} : { voice }) },
    }),
  },
  error: openaiErrors,
};
