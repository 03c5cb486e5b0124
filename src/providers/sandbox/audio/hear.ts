// Files back into tones: samples are listened to, frames are known by their bytes.
import type { AudioFormat } from "../../../canonical/speech.ts";
import { soundOf } from "../../../dialects/shared/audio-format.ts";
import { resampled } from "../../../dialects/shared/pcm.ts";
import { begins } from "./code.ts";
import { adtsFrames, flacBlocks, mp3Frames, oggPackets } from "./containers.ts";
import { frames, symbolSeconds } from "./files.ts";
import { sampleRate, silence, symbolIn } from "./tones.ts";

/** Symbols in a row, null where a window or a frame is none of ours, and how long each of them is. */
export interface Heard {
  readonly symbols: readonly (number | null)[];
  readonly seconds: number;
}

function known(table: readonly Buffer[]): (frame: Uint8Array) => number | null {
  const symbols = new Map(table.slice(0, silence).map((frame, symbol) => [frame.toString("latin1"), symbol]));
  return (frame) => symbols.get(Buffer.from(frame).toString("latin1")) ?? null;
}

const byFrame = {
  mp3: known(frames.mp3),
  aac: known(frames.aac),
  opus: known(frames.opus),
} as const;

/** A tone is looked for in windows that begin at so many places, for files that an encoder has moved a little. */
const startsOfWindow = 6;
const windowSizes = [...new Set(Object.values(symbolSeconds))].map((seconds) => Math.round(seconds * sampleRate));
/** Within so much the sandbox has begun to speak, if it speaks at all: nobody's long recording is listened to in vain. */
const beginsWithinSeconds = 4;

function symbolsFrom(samples: Int16Array, start: number, size: number): Heard {
  const count = Math.max(0, Math.floor((samples.length - start) / size));
  const symbols = Array.from({ length: count }, (_, index) =>
    symbolIn(samples.subarray(start + index * size, start + (index + 1) * size)),
  );
  return { symbols, seconds: size / sampleRate };
}

/** Samples of 16 bit as a file has them. */
interface Recorded {
  readonly bytes: Uint8Array;
  readonly rate: number;
  readonly channels: number;
}

function samplesOf({ bytes, rate, channels }: Recorded, most = bytes.length): Int16Array {
  const taken = Math.min(most, bytes.length);
  const turned = resampled(rate, sampleRate, channels)(bytes.subarray(0, taken - (taken % (2 * channels))));
  // A view of 16 bit must begin at an even place.
  const aligned = turned.byteOffset % 2 === 0 ? turned : Uint8Array.from(turned);
  return new Int16Array(aligned.buffer, aligned.byteOffset, aligned.length >> 1);
}

/** Listens in one way after the other, until somebody is content. */
function* listen(recorded: Recorded): Generator<Heard> {
  const head = samplesOf(recorded, beginsWithinSeconds * recorded.rate * recorded.channels * 2);
  let whole: Int16Array | null = null;
  for (const size of windowSizes)
    for (let each = 0; each < startsOfWindow; each++) {
      const start = Math.round((each * size) / startsOfWindow);
      if (!begins(symbolsFrom(head, start, size).symbols)) continue;
      whole ??= samplesOf(recorded);
      yield symbolsFrom(whole, start, size);
    }
}

const isUsual = ({ rate, channels }: Omit<Recorded, "bytes">): boolean =>
  rate >= 8_000 && rate <= 192_000 && channels >= 1 && channels <= 8;

/** The samples of a WAV file of 16 bit; null for any other. */
function wavSamples(bytes: Buffer): Recorded | null {
  let form: Omit<Recorded, "bytes"> | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const end = Math.min(at + 8 + size, bytes.length);
    if (name === "fmt " && end - at >= 24 && bytes.readUInt16LE(at + 22) === 16)
      form = { rate: bytes.readUInt32LE(at + 12), channels: bytes.readUInt16LE(at + 10) };
    if (name === "data") return form !== null && isUsual(form) ? { ...form, bytes: bytes.subarray(at + 8, end) } : null;
    at += 8 + size + (size % 2);
  }
  return null;
}

const readFrames = (list: readonly Uint8Array[] | null, format: keyof typeof byFrame): Heard[] =>
  list === null ? [] : [{ symbols: list.map(byFrame[format]), seconds: symbolSeconds[format] }];

const readers: { readonly [format in AudioFormat]: (bytes: Buffer) => Iterable<Heard> } = {
  mp3: (bytes) => readFrames(mp3Frames(bytes), "mp3"),
  aac: (bytes) => readFrames(adtsFrames(bytes), "aac"),
  opus: (bytes) => readFrames(oggPackets(bytes), "opus"),
  flac: (bytes) => {
    const blocks = flacBlocks(bytes);
    return blocks === null ? [] : [{ symbols: blocks.map(symbolIn), seconds: symbolSeconds.flac }];
  },
  wav: (bytes) => {
    const recorded = wavSamples(bytes);
    return recorded === null ? [] : listen(recorded);
  },
  pcm: (bytes) => listen({ bytes, rate: sampleRate, channels: 1 }),
};

/** What a recording is, and every way in which it may be heard, the likeliest first. Never throws. */
export function hear(recording: Uint8Array): { format: AudioFormat; heard: Iterable<Heard> } {
  const format = soundOf(recording) ?? "pcm";
  const bytes = Buffer.from(recording.buffer, recording.byteOffset, recording.length);
  try {
    return { format, heard: readers[format](bytes) };
  } catch (thrown) {
    if (thrown instanceof RangeError) return { format, heard: [] };
    throw thrown;
  }
}
