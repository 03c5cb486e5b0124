// Google's generateContent for transcription: a recording and an instruction in, a text out.
import type { TranscriptionRequest, TranscriptionResponse } from "../../canonical/transcription.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { geminiErrors } from "../gemini/error.ts";
import { callPath } from "../gemini/request.ts";
import { readUsage } from "../gemini/usage.ts";
import { contentRefused } from "../images/content-policy.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { allTimes, formatsOf, recordingAt, type TranscriptionTable } from "./fields.ts";
import { languageName } from "./response.ts";
import { upstreamTranscription } from "./upstream-transcription.ts";

/** A request has at most 20 MB, and Base64 adds a third: https://ai.google.dev/gemini-api/docs/audio. */
const maxBytes = 14_500_000;

const tasks = {
  transcribe: "Transcribe this recording word for word, in the language in which it is spoken.",
  translate: "Transcribe this recording, translated into English.",
} as const;

/** Its media types that differ from the usual ones. */
const typeNames: { readonly [type: string]: string } = { "audio/mpeg": "audio/mp3", "audio/mp4": "audio/m4a" };

function instruction({ task, language, prompt }: TranscriptionRequest): string {
  const spoken = language === undefined ? "" : ` It is spoken in ${languageName(language) || language}.`;
  const hint = prompt === undefined || prompt.trim() === "" ? "" : `\nThese words may help: ${prompt}`;
  return `${tasks[task]} Return the text only, without timestamps, names of speakers or remarks. If nothing is spoken, return nothing.${spoken}${hint}`;
}

const instructionPath = "contents[0].parts[1].text";
const instructed = { path: instructionPath, carriedBy: "recording" } as const;

function contentsOf(request: TranscriptionRequest): JsonObject {
  const { bytes, mediaType } = request.recording;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  const recording = { inlineData: { mimeType: typeNames[mediaType] ?? mediaType, data } };
  return { contents: [{ role: "user", parts: [recording, { text: instruction(request) }] }] };
}

const fields: TranscriptionTable = {
  format: { path: "format", limit: formatsOf(["json", "text"]), render: () => undefined },
  recording: {
    ...recordingAt("contents[0].parts[0].inlineData", maxBytes),
    renderMembers: ({ request }) => contentsOf(request),
  },
  task: instructed,
  language: instructed,
  prompt: instructed,
  temperature: { path: "generationConfig.temperature" },
  granularities: allTimes,
};

const refusals = /^(?:SAFETY|RECITATION|PROHIBITED_CONTENT|BLOCKLIST|SPII|LANGUAGE)$/;

/** Silence gives an empty text, not an error. */
function parse(wire: unknown): TranscriptionResponse {
  const body = isObject(wire) ? wire : {};
  const blocked = isObject(body.promptFeedback) ? body.promptFeedback.blockReason : undefined;
  const [candidate] = objectsIn(body.candidates);
  const reason = candidate?.finishReason;
  const parts = objectsIn(isObject(candidate?.content) ? candidate.content.parts : undefined);
  const text = parts.map((part) => (part.thought !== true && typeof part.text === "string" ? part.text : "")).join("");
  const refusal = typeof reason === "string" && refusals.test(reason) ? reason : blocked;
  if (text === "" && typeof refusal === "string")
    throw contentRefused(`The provider refused the content of the request: ${refusal}.`);
  if (candidate === undefined) throw invalidUpstreamResponse("the response has no candidates");
  const usage = readUsage(body.usageMetadata);
  return { operation: "transcribe", model: "", text: text.trim(), ...(usage === undefined ? {} : { usage }) };
}

export const geminiTranscriptions = upstreamTranscription({
  name: "gemini-transcriptions",
  fields,
  call: (members, _request, { model }) => ({
    path: callPath(model, "generateContent"),
    body: { generationConfig: { temperature: 0 }, ...members },
  }),
  parse,
  error: geminiErrors,
});
