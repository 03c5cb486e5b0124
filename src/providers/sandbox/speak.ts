// What the sandbox says aloud: tones that spell the text, in every format, for real players. Its transcription understands them.
import type { SpeechRequest, SpeechResponse } from "../../canonical/speech.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import type { CanonicalReply } from "../provider.ts";
import { symbolsOf } from "./audio/code.ts";
import { fileOf } from "./audio/files.ts";
import { silence } from "./audio/tones.ts";
import { paced } from "./delay.ts";
import { type Directives, withoutDirectives } from "./directives.ts";

/** Decoders need a moment to begin, and give the end late. */
const quiet = [silence, silence];

/** A tone is held longer for slow speech; it cannot be shorter than one. */
const heldFor = (speed: number): number => Math.max(1, Math.round(1 / speed));

export function speakReply(request: SpeechRequest): SpeechResponse {
  const symbols = [...quiet, ...symbolsOf(withoutDirectives(request.input), heldFor(request.speed)), ...quiet];
  return {
    operation: "speak",
    model: `sandbox/${request.model}`,
    format: request.format,
    bytes: fileOf(request.format, symbols),
    usage: { ...zeroUsage, units: [{ kind: "characters", amount: [...request.input].length }] },
  };
}

const pieceBytes = 8 * 1024;

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** The file in pieces. One that is cut breaks: nothing in it says where it ends. */
export function speakStream(
  { bytes, format, usage = zeroUsage }: SpeechResponse,
  directives: Directives,
  signal: AbortSignal,
): CanonicalReply {
  return { audio: paced(piecesOf(bytes), directives, signal, true), format, usage };
}
