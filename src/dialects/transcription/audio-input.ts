// The recording of a request: the only file of its form, with the media type of its bytes.
import { GatewayError } from "../../canonical/error.ts";
import type { AudioInput } from "../../canonical/transcription.ts";
import type { UploadedFile } from "../dialect.ts";
import { badValue, missing } from "../errors.ts";
import { soundOf } from "../shared/audio-format.ts";

/** The limit of OpenAI. */
const maxRecordingBytes = 26_214_400;

const soundTypes = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  flac: "audio/flac",
  opus: "audio/ogg",
  aac: "audio/aac",
  pcm: "application/octet-stream",
} as const;

function containerOf(bytes: Uint8Array): string | null {
  const text = String.fromCharCode(...bytes.subarray(0, 8));
  if (text.startsWith("\x1aE\xdf\xa3")) return "audio/webm";
  return text.endsWith("ftyp") ? "audio/mp4" : null;
}

/** The media type by the bytes, otherwise the declared one. */
export function recordingType(bytes: Uint8Array, declared: string): string {
  const sound = soundOf(bytes);
  if (sound !== null) return soundTypes[sound];
  return containerOf(bytes) ?? (declared === "" ? "application/octet-stream" : declared);
}

/** Whether this is the file to transcribe. */
export const isRecording = ({ field }: UploadedFile): boolean => field === "file" || field === "file[]";

/** The file named `file`. Throws status 400 for none, an empty one or several, 413 for one that is too large. */
export function recordingOf(files: readonly UploadedFile[]): AudioInput {
  const [file, second] = files.filter(isRecording);
  if (file === undefined) throw missing("file");
  if (second !== undefined) throw badValue("file", "Send exactly one 'file'.");
  if (file.bytes.length === 0) throw badValue("file", "'file' is empty.");
  if (file.bytes.length > maxRecordingBytes)
    throw new GatewayError("request_too_large", `'file' is larger than ${maxRecordingBytes} bytes.`, { param: "file" });
  return { name: file.name, mediaType: recordingType(file.bytes, file.type), bytes: file.bytes };
}
