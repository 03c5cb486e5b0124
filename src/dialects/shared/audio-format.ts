// Audio formats by their bytes, and the WAV header for raw samples.
import type { AudioFormat } from "../../canonical/speech.ts";

/** The number of bytes that determine the format. */
export const tellingBytes = 12;

const ascii = (bytes: Uint8Array, from: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(from, from + length));

/** Formats with a signature at the start of the file. */
function soundNamed(bytes: Uint8Array): AudioFormat | null {
  const head = ascii(bytes, 0, 4);
  if (head === "RIFF" && ascii(bytes, 8, 4) === "WAVE") return "wav";
  if (head === "OggS") return "opus";
  if (head === "fLaC") return "flac";
  if (!head.startsWith("ID3")) return null;
  return framesOf(bytes.subarray(tagBytes(bytes))) ?? "mp3";
}

/** MPEG audio by the start of the first frame; null for anything else. */
function framesOf([first, second]: Uint8Array): AudioFormat | null {
  if (first !== 0xff || second === undefined) return null;
  if ((second & 0xf6) === 0xf0) return "aac";
  return (second & 0xe6) === 0xe2 ? "mp3" : null;
}

const tagHeadBytes = 10;

/** https://id3.org/id3v2.4.0-structure: the size of the tag at the start of a file. */
export function tagBytes(bytes: Uint8Array): number {
  if (ascii(bytes, 0, 3) !== "ID3" || bytes.length < tagHeadBytes) return 0;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, tagHeadBytes);
  return tagHeadBytes + ((a << 21) | (b << 14) | (c << 7) | d);
}

/** The format by the first bytes of a file; null when unknown, as for raw samples. */
export function soundOf(bytes: Uint8Array): AudioFormat | null {
  return soundNamed(bytes) ?? framesOf(bytes);
}

const formats: { readonly [type: string]: AudioFormat } = {
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/ogg": "opus",
  "audio/opus": "opus",
  "audio/aac": "aac",
  "audio/x-aac": "aac",
  "audio/flac": "flac",
  "audio/x-flac": "flac",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/vnd.wave": "wav",
  "audio/pcm": "pcm",
  "audio/l16": "pcm",
};

/** The format by Content-Type; null when unknown. */
export function soundOfType(type: string | null): AudioFormat | null {
  return formats[type?.split(";")[0]?.trim().toLowerCase() ?? ""] ?? null;
}

/**
 * The format by bytes and Content-Type. Raw samples may look like the start of an MPEG frame, so where samples are
 * declared, only a signature overrides that.
 */
export function soundOfTyped(bytes: Uint8Array, type: string | null): AudioFormat | null {
  return soundOfType(type) === "pcm" ? soundNamed(bytes) : soundOf(bytes);
}

/** The size field of a file whose end is not known yet; players accept it. */
const unknownLength = 0xffffffff;
const headerBytes = 44;
const sampleBytes = 2;

/** The header of a WAV file for `length` bytes of 16 bit samples; null where the length is not known yet. */
export function wavHeader(length: number | null, rate: number, channels = 1): Uint8Array {
  const header = Buffer.alloc(headerBytes);
  const frame = channels * sampleBytes;
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(length === null ? unknownLength : headerBytes - 8 + length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * frame, 28);
  header.writeUInt16LE(frame, 32);
  header.writeUInt16LE(sampleBytes * 8, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(length ?? unknownLength, 40);
  return header;
}
