// Files of sound cut into what one tone is in them: frames of MP3 and AAC, packets of Ogg, blocks of FLAC.
import { toneSamples } from "./tones.ts";

/** https://www.rfc-editor.org/rfc/rfc3533#section-6 */
const pageHeaderBytes = 27;
/** 32 kbit/s at 24,000 samples a second, as the sandbox writes them. */
export const mp3FrameBytes = 96;
const mp3Head = [0xff, 0xf3, 0x44] as const;

/** Frames as the sandbox writes them; null for any other file. Tags before and behind are passed over. */
export function mp3Frames(bytes: Buffer): Uint8Array[] | null {
  const frames: Uint8Array[] = [];
  for (
    let at = bytes.indexOf(Buffer.from(mp3Head));
    at >= 0 && at + mp3FrameBytes <= bytes.length;
    at += mp3FrameBytes
  ) {
    if (mp3Head.some((byte, index) => bytes[at + index] !== byte)) break;
    frames.push(bytes.subarray(at, at + mp3FrameBytes));
  }
  return frames.length === 0 ? null : frames;
}

/** Frames of a stream of AAC, with their headers. */
export function adtsFrames(bytes: Buffer): Uint8Array[] | null {
  const frames: Uint8Array[] = [];
  for (let at = 0; at + 7 <= bytes.length; ) {
    const length = (bytes.readUIntBE(at + 3, 3) >>> 5) & 0x1fff;
    if (bytes[at] !== 0xff || length < 7) return null;
    frames.push(bytes.subarray(at, at + length));
    at += length;
  }
  return frames;
}

/** Packets of the one stream in an Ogg file, without the two of its heading. */
export function oggPackets(bytes: Buffer): Uint8Array[] | null {
  const packets: Uint8Array[] = [];
  let open: Uint8Array[] = [];
  for (let at = 0; at + pageHeaderBytes <= bytes.length; ) {
    if (bytes.toString("latin1", at, at + 4) !== "OggS") return null;
    const segments = bytes.subarray(at + pageHeaderBytes, at + pageHeaderBytes + (bytes[at + 26] ?? 0));
    at += pageHeaderBytes + segments.length;
    for (const length of segments) {
      open.push(bytes.subarray(at, at + length));
      at += length;
      if (length === 255) continue;
      packets.push(Buffer.concat(open));
      open = [];
    }
  }
  return packets.slice(2);
}

const flacHeadBytes = 42;
const blockBytes = toneSamples * 2;

/** How many bytes the number of a block takes, by the first of them. */
function numberBytes(first: number): number {
  if (first < 0x80) return 1;
  return Math.clz32(~(first << 24));
}

/** Samples of each block of a FLAC file as the sandbox writes it; null for any other file. */
export function flacBlocks(bytes: Buffer): Int16Array[] | null {
  const blocks: Int16Array[] = [];
  for (let at = flacHeadBytes; at < bytes.length; ) {
    const from = at + 4 + numberBytes(bytes[at + 4] ?? 0) + 1;
    const isOurs = bytes.readUInt16BE(at) === 0xfff8 && bytes[at + 2] === 0x27 && bytes[at + 3] === 0x08;
    if (!isOurs || bytes[from] !== 0x02 || from + 1 + blockBytes + 2 > bytes.length) return null;
    const samples = Buffer.from(bytes.subarray(from + 1, from + 1 + blockBytes)).swap16();
    blocks.push(new Int16Array(samples.buffer, samples.byteOffset, toneSamples));
    at = from + 1 + blockBytes + 2;
  }
  return blocks;
}
