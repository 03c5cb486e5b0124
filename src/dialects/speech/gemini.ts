// Google's generateContent as speech: samples in Base64.
import { type AudioFormat, pcmRate, type SpeechRequest } from "../../canonical/speech.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { geminiErrors } from "../gemini/error.ts";
import { callPath } from "../gemini/request.ts";
import { readUsage } from "../gemini/usage.ts";
import { contentRefused } from "../images/content-policy.ts";
import { soundOfTyped } from "../shared/audio-format.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import type { TurnSamples } from "../shared/pcm.ts";
import { warnField } from "../shared/warnings.ts";
import { type AudioChunk, type AudioDecoder, formatOf, jsonAudioReader } from "./audio-readers.ts";
import { samplesAs } from "./pcm-wav.ts";
import { type SpeechSetting, upstreamSpeech } from "./upstream-speech.ts";

/** https://ai.google.dev/gemini-api/docs/speech-generation#voices */
const voices = {
  alloy: "Kore",
  ash: "Puck",
  ballad: "Enceladus",
  cedar: "Charon",
  coral: "Aoede",
  echo: "Orus",
  fable: "Iapetus",
  marin: "Leda",
  nova: "Zephyr",
  onyx: "Fenrir",
  sage: "Sulafat",
  shimmer: "Achernar",
  verse: "Umbriel",
} as const;

const slowest = 0.9;
const fastest = 1.1;

/** The format has no field for speed, but the model follows instructions. */
function manner({ speed, instructions }: SpeechRequest): string {
  const pace = speed > fastest ? "Speak fast." : speed < slowest ? "Speak slowly." : "";
  return [instructions?.trim(), pace].filter((words) => words !== undefined && words !== "").join(" ");
}

function textOf(input: string, { request, warnings }: SpeechSetting): string {
  if (request.speed !== 1) warnField(warnings, "approximated", "speed");
  const how = manner(request);
  return how === "" ? input : `${how.replace(/[.:\s]+$/, "")}:\n${input}`;
}

const inputPath = "contents[0].parts[0].text";

const refusals = /^(?:SAFETY|RECITATION|PROHIBITED_CONTENT|BLOCKLIST|SPII|LANGUAGE)$/;

function refuseBlocked(feedback: Json | undefined): void {
  const reason = isObject(feedback) ? feedback.blockReason : undefined;
  if (typeof reason === "string" && reason !== "BLOCKED_REASON_UNSPECIFIED")
    throw contentRefused(`The provider refused the content of the request: ${reason}.`);
}

const rateOf = (type: string): number => Number(/rate=(\d{4,6})/.exec(type)?.[1] ?? pcmRate);

function decoderFor(requested: AudioFormat): AudioDecoder {
  let format = requested;
  let turn: TurnSamples | null = null;
  const turned = (type: string, bytes: Uint8Array, whole: boolean): Uint8Array => {
    if (turn === null) {
      const kind = soundOfTyped(bytes, type);
      format = kind ?? (requested === "wav" ? "wav" : "pcm");
      turn = kind === null ? samplesAs(format, { rate: rateOf(type) }, whole ? bytes.length : null) : (chunk) => chunk;
    }
    return turn(bytes);
  };
  return {
    get format() {
      return format;
    },
    decode(body: JsonObject, whole: boolean): AudioChunk {
      if (body.error) throw geminiErrors.parse(200, body);
      refuseBlocked(body.promptFeedback);
      const [candidate] = objectsIn(body.candidates);
      const parts = objectsIn(isObject(candidate?.content) ? candidate.content.parts : undefined);
      const data = parts.flatMap(({ inlineData }) => (isObject(inlineData) ? [inlineData] : []));
      const reason = candidate?.finishReason;
      if (data.length === 0 && turn === null && typeof reason === "string" && refusals.test(reason))
        throw contentRefused(`The provider refused the content of the request: ${reason}.`);
      const bytes = Buffer.concat(data.map((each) => Buffer.from(String(each.data), "base64")));
      const usage = readUsage(body.usageMetadata);
      return {
        ...(bytes.length === 0 ? {} : { sound: turned(String(data[0]?.mimeType), bytes, whole) }),
        ...(usage === undefined ? {} : { usage }),
        done: typeof reason === "string" && reason !== "",
      };
    },
  };
}

/** https://ai.google.dev/gemini-api/docs/speech-generation */
export const geminiSpeech = upstreamSpeech({
  name: "gemini-speech",
  paths: {
    input: inputPath,
    voice: "generationConfig.speechConfig.voiceConfig.prebuiltVoiceConfig.voiceName",
    format: "generationConfig.responseModalities",
  },
  voices,
  formats: { wav: null, pcm: null },
  rows: {
    input: {
      path: inputPath,
      renderMembers: (setting) => ({
        contents: [{ role: "user", parts: [{ text: textOf(setting.request.input, setting) }] }],
      }),
    },
    speed: { path: inputPath, carriedBy: "input" },
    instructions: { path: inputPath, carriedBy: "input" },
  },
  call: ({ generationConfig, ...body }, _request, { model }) => ({
    path: callPath(model, "streamGenerateContent"),
    body: { ...body, generationConfig: { responseModalities: ["AUDIO"], ...(generationConfig as JsonObject) } },
  }),
  reader: (context, head) => jsonAudioReader(head("content-type"), decoderFor(formatOf(context))),
  error: geminiErrors,
});
