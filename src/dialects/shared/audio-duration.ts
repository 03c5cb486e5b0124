// The duration of a recording by its bytes: from a header, otherwise from its size at a common bit rate.
import { soundOf, tagBytes } from "./audio-format.ts";

/** 128 kbit/s: the maximum of most compressed speech. */
const usualBytesPerSecond = 16_000;
/** Where container headers are searched. */
const headBytes = 64 * 1024;

/** Maximum chunks, boxes or frames to read, so that no file takes long. */
const mostSteps = 20_000;
/** https://www.rfc-editor.org/rfc/rfc3533#section-6: the largest page. */
const oggPageBytes = 65_307;

type View = Buffer<ArrayBufferLike>;

function wavSeconds(bytes: View): number | null {
  let rate = 0;
  for (let at = 12, steps = 0; at + 8 <= bytes.length && steps < mostSteps; steps++) {
    const name = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (name === "fmt " && at + 20 <= bytes.length) rate = bytes.readUInt32LE(at + 16);
    if (name === "data") return rate === 0 ? null : Math.min(size, bytes.length - at - 8) / rate;
    at += 8 + size + (size % 2);
  }
  return null;
}

/** https://www.rfc-editor.org/rfc/rfc9639#section-8.2: 20 bits of rate and 36 of samples in the first block. */
function flacSeconds(bytes: View): number | null {
  if (bytes.length < 26) return null;
  const rate = bytes.readUIntBE(18, 3) >>> 4;
  const samples = (bytes.readUInt8(21) & 0x0f) * 2 ** 32 + bytes.readUInt32BE(22);
  return rate === 0 || samples === 0 ? null : samples / rate;
}

/** The last page has the position in samples: 48,000 a second for Opus, for others the rate of their first page. */
function oggSeconds(bytes: View): number | null {
  const tail = bytes.subarray(-2 * oggPageBytes);
  const last = tail.lastIndexOf("OggS");
  const opus = bytes.subarray(0, 256).indexOf("OpusHead");
  const vorbis = bytes.subarray(0, 256).indexOf("\x01vorbis");
  if (last < 0 || last + 14 > tail.length || (opus < 0 && vorbis < 0)) return null;
  const samples = Number(tail.readBigInt64LE(last + 6));
  const [rate, skipped] = opus < 0 ? [bytes.readUInt32LE(vorbis + 12), 0] : [48_000, bytes.readUInt16LE(opus + 10)];
  return samples <= 0 || rate === 0 ? null : Math.max(0, samples - skipped) / rate;
}

const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

function aacSeconds(bytes: View): number | null {
  const start = tagBytes(bytes);
  const rate = aacRates[((bytes[start + 2] ?? 0) >> 2) & 15];
  let frames = 0;
  let at = start;
  for (; at + 7 <= bytes.length && frames < mostSteps; frames++) {
    const length = (bytes.readUIntBE(at + 3, 3) >>> 5) & 0x1fff;
    if (length < 7) break;
    at += length;
  }
  if (rate === undefined || frames === 0) return null;
  const seconds = (frames * 1_024) / rate;
  // The rest of a long recording is assumed to be like its start.
  return frames < mostSteps ? seconds : (seconds * (bytes.length - start)) / (at - start);
}

const mp3Rates = [44_100, 48_000, 32_000];
const mp3KilobitsOne = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mp3KilobitsTwo = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** By the first frame: its frame count if present, otherwise its bit rate for the whole file. */
function mp3Seconds(bytes: View): number | null {
  const at = tagBytes(bytes);
  const [, version = 0, rates = 0] = bytes.subarray(at, at + 4);
  const isOne = (version & 0x18) === 0x18;
  const rate = (mp3Rates[(rates >> 2) & 3] ?? 0) / (isOne ? 1 : version & 0x10 ? 2 : 4);
  const kilobits = (isOne ? mp3KilobitsOne : mp3KilobitsTwo)[rates >> 4] ?? 0;
  if (rate === 0 || kilobits === 0) return null;
  const info = bytes.subarray(at, at + 64);
  const header = Math.max(info.indexOf("Xing"), info.indexOf("Info"));
  if (header > 0 && header + 12 <= info.length && info.readUInt32BE(header + 4) & 1)
    return (info.readUInt32BE(header + 8) * (isOne ? 1_152 : 576)) / rate;
  return ((bytes.length - at) * 8) / (kilobits * 1_000);
}

/** The content of the `moov` box, which may come before or after the samples. */
function mp4Movie(bytes: View): View | null {
  for (let at = 0, steps = 0; at + 16 <= bytes.length && steps < mostSteps; steps++) {
    const short = bytes.readUInt32BE(at);
    const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    if (bytes.toString("latin1", at + 4, at + 8) === "moov") return bytes.subarray(at, at + headBytes);
    if (size < 8) return null;
    at += size;
  }
  return null;
}

/** `mvhd` of an MP4 file, at the start of its `moov`: timescale and duration. */
function mp4Seconds(file: View): number | null {
  const bytes = mp4Movie(file);
  const at = bytes?.indexOf("mvhd") ?? -1;
  if (bytes === null || at < 0 || at + 36 > bytes.length) return null;
  const isLong = bytes[at + 4] === 1;
  const scale = bytes.readUInt32BE(at + (isLong ? 24 : 16));
  const duration = isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20);
  return scale === 0 || duration === 0 || duration === 0xffffffff ? null : duration / scale;
}

const webmScale = Buffer.from("2ad7b183", "hex");
const webmDuration = Buffer.from("4489", "hex");

/** Duration in units of the timescale, by default a millisecond. */
function webmSeconds(bytes: View): number | null {
  const head = bytes.subarray(0, headBytes);
  const scaled = head.indexOf(webmScale);
  const scale = scaled < 0 ? 1_000_000 : head.readUIntBE(scaled + 4, 3);
  const at = head.indexOf(webmDuration);
  if (at < 0 || at + 11 > head.length) return null;
  const value = head[at + 2] === 0x88 ? head.readDoubleBE(at + 3) : head.readFloatBE(at + 3);
  return Number.isFinite(value) && value > 0 ? (value * scale) / 1e9 : null;
}

function durationOf(bytes: View): number | null {
  switch (soundOf(bytes)) {
    case "wav":
      return wavSeconds(bytes);
    case "flac":
      return flacSeconds(bytes);
    case "opus":
      return oggSeconds(bytes);
    case "aac":
      return aacSeconds(bytes);
    case "mp3":
      return mp3Seconds(bytes);
    default:
      return bytes.toString("latin1", 4, 8) === "ftyp" ? mp4Seconds(bytes) : webmSeconds(bytes);
  }
}

/** Headers that point beyond the end are ignored. */
function safeDuration(bytes: View): number | null {
  try {
    return durationOf(bytes);
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

/** Seconds; estimated from the size where the bytes do not contain it. Never throws for any bytes. */
export function soundSeconds(bytes: Uint8Array): number {
  const seconds = safeDuration(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  return seconds !== null && seconds <= bytes.length ? seconds : bytes.length / usualBytesPerSecond;
}
