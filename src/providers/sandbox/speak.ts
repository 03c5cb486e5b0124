// The sandbox's speech: a playable file in every format, whose text its transcription recognizes.
import type { SpeechRequest, SpeechResponse } from "../../canonical/speech.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import type { CanonicalReply } from "../provider.ts";
import { type Directives, withoutDirectives } from "./directives.ts";
import { audioFile } from "./sound.ts";
import { paced } from "./stream.ts";

export function speakReply(request: SpeechRequest): SpeechResponse {
  return {
    operation: "speak",
    model: `sandbox/${request.model}`,
    format: request.format,
    bytes: audioFile(request.format, { text: withoutDirectives(request.input), speed: request.speed }),
    usage: { ...zeroUsage, units: [{ kind: "characters", amount: [...request.input].length }] },
  };
}

const pieceBytes = 8 * 1024;

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** The file in fragments. If cut, the stream must break, because the file does not show where it ends. */
export function speakStream(
  { bytes, format, usage = zeroUsage }: SpeechResponse,
  directives: Directives,
  signal: AbortSignal,
): CanonicalReply {
  return { audio: paced(piecesOf(bytes), directives, signal, true), format, usage };
}
