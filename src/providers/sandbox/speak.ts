// What the sandbox says aloud: tones that spell the text, in every format, for real players. Its transcription understands them.
import { GatewayError } from "../../canonical/error.ts";
import type { SpeechRequest, SpeechResponse } from "../../canonical/speech.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import type { Dialect, WriteContext } from "../../dialects/dialect.ts";
import { symbolsOf } from "./audio/code.ts";
import { fileOf } from "./audio/files.ts";
import { silence } from "./audio/tones.ts";
import { withoutDirectives } from "./directives.ts";

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
    usage: { ...zeroUsage, units: { kind: "characters", amount: [...request.input].length } },
  };
}

const pieceBytes = 8 * 1024;

function* written(
  { bytes, usage = zeroUsage }: SpeechResponse,
  writer: ReturnType<typeof writerOf>,
): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield writer.write(bytes.subarray(at, at + pieceBytes));
  const end = writer.end(usage);
  if (end.length > 0) yield end;
}

function writerOf({ format }: SpeechResponse, { audio }: Dialect, write: WriteContext) {
  if (audio === undefined) throw new GatewayError("internal_error", "This format does not support speech.");
  return audio.writer(write, format);
}

/** The file in pieces, or in events, as the dialect has it. */
export function speakPieces(response: SpeechResponse, dialect: Dialect, write: WriteContext) {
  const writer = writerOf(response, dialect, write);
  return { type: writer.type, pieces: written(response, writer), breaks: true };
}
