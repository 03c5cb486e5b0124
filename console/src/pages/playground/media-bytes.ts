// Bytes of images and audio: from data URLs and Base64, and raw samples as a file that a browser plays.
import type { Part } from "./message.ts";

/** The type and content of a data URL; null for an address. */
export function dataOf(url: string): { readonly type: string; readonly data: string } | null {
  const found = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  return found === null ? null : { type: (found[1] ?? "").toLowerCase(), data: found[2] ?? "" };
}

/** Empty for what is not Base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

const usualRate = 24_000;
const headBytes = 44;

/** The head of a WAV file: one channel of samples with 16 bits. */
function wavHead(sampleBytes: number, rate: number): Uint8Array<ArrayBuffer> {
  const head = new DataView(new ArrayBuffer(headBytes));
  const text = (at: number, letters: string): void => {
    for (const [index, letter] of [...letters].entries()) head.setUint8(at + index, letter.charCodeAt(0));
  };
  text(0, "RIFF");
  head.setUint32(4, headBytes - 8 + sampleBytes, true);
  text(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true);
  head.setUint16(22, 1, true);
  head.setUint32(24, rate, true);
  head.setUint32(28, rate * 2, true);
  head.setUint16(32, 2, true);
  head.setUint16(34, 16, true);
  text(36, "data");
  head.setUint32(40, sampleBytes, true);
  return new Uint8Array(head.buffer);
}

/** Audio as the browser plays it. Only types of audio are given to it as such. */
export function playable({ type, data }: Extract<Part, { kind: "audio" }>) {
  const pieces = data.map(bytesOf);
  const [name = ""] = type.toLowerCase().split(";");
  const isRaw = name === "audio/l16" || name === "audio/pcm";
  if (!isRaw)
    return { type: name, blobType: /^audio\/[\w.+-]+$/.test(name) ? name : "application/octet-stream", pieces };
  const rate = Number(/rate=(\d+)/.exec(type)?.[1] ?? usualRate);
  const sampleBytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  return { type: "audio/wav", blobType: "audio/wav", pieces: [wavHead(sampleBytes, rate), ...pieces] };
}
