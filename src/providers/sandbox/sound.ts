// The sandbox's audio: a hum for words and silence between them, in every format. A comment in the file contains the
// text.
import type { AudioFormat } from "../../canonical/speech.ts";
import { wavHeader } from "../../dialects/shared/audio-format.ts";
import { frameTexts } from "./sound-frames.ts";

/** A table of one step for each byte. */
function tableOf(width: 8 | 16 | 32, polynomial: number): Uint32Array {
  const top = 2 ** (width - 1);
  const mask = 2 ** width - 1;
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte * 2 ** (width - 8);
    for (let bit = 0; bit < 8; bit++)
      value = (((value & top) !== 0 ? (value << 1) ^ polynomial : value << 1) & mask) >>> 0;
    return value;
  });
}

function checksum(width: 8 | 16 | 32, polynomial: number): (bytes: Uint8Array) => number {
  const table = tableOf(width, polynomial);
  const mask = 2 ** width - 1;
  return (bytes) => {
    let value = 0;
    for (const byte of bytes)
      value = (((value << 8) ^ (table[((value >>> (width - 8)) ^ byte) & 255] ?? 0)) & mask) >>> 0;
    return value;
  };
}

/** https://www.rfc-editor.org/rfc/rfc9639#section-9.1.8 */
const flacHeadSum = checksum(8, 0x07);
/** https://www.rfc-editor.org/rfc/rfc9639#section-9.3 */
const flacBlockSum = checksum(16, 0x8005);
/** https://www.rfc-editor.org/rfc/rfc3533#section-6 */
const oggPageSum = checksum(32, 0x04c11db7);

/** The text of a file, and its speed. */
interface Spoken {
  readonly text: string;
  readonly speed: number;
}

const characterSeconds = 0.05;

/**
 * Seconds from the start to a position in the text; the duration of one character precedes the first and follows the
 * last.
 */
export const secondsAt = (place: number, speed: number): number => ((place + 1) * characterSeconds) / speed;
export const secondsOf = ({ text, speed }: Spoken): number => secondsAt(text.length + 1, speed);

const sampleRate = 24_000;
/** Samples of an MP3 frame, and of formats without frames. */
const frameSamples = 576;
/** 625 Hz, in whole waves, so that the next frame follows without a click. */
const wavesOfFrame = 15;
const loudness = 12_000;

/** A frame with the hum and a silent one. */
interface Frames {
  readonly hum: Buffer;
  readonly silence: Buffer;
  readonly seconds: number;
}

const humSample = (at: number): number =>
  Math.round(loudness * Math.sin((2 * Math.PI * wavesOfFrame * at) / frameSamples));
const samples: Frames = {
  hum: Buffer.from(Int16Array.from({ length: frameSamples }, (_, at) => humSample(at)).buffer),
  silence: Buffer.alloc(2 * frameSamples),
  seconds: frameSamples / sampleRate,
};
const encodedFrames = ({ hum, silence }: { hum: string; silence: string }, seconds: number): Frames => ({
  hum: Buffer.from(hum, "base64"),
  silence: Buffer.from(silence, "base64"),
  seconds,
});
const mp3 = encodedFrames(frameTexts.mp3, frameSamples / sampleRate);
const aac = encodedFrames(frameTexts.aac, 1_024 / sampleRate);
const opus = encodedFrames(frameTexts.opus, 0.02);

function framesOf(spoken: Spoken, { hum, silence, seconds }: Frames): Buffer[] {
  const { text, speed } = spoken;
  return Array.from({ length: Math.ceil(secondsOf(spoken) / seconds) }, (_, index) => {
    const place = Math.floor(((index + 0.5) * seconds * speed) / characterSeconds) - 1;
    return /\S/.test(text[place] ?? " ") ? hum : silence;
  });
}

const marker = "turnpike-sandbox:";
const commentForm = /^turnpike-sandbox:(\d[\d.]{0,7}):([\w%.!~*'()-]*);/;
const maxCommentBytes = 256 * 1024;

/** Only ASCII, so that it is found in any container without parsing the container. */
const commentOf = ({ text, speed }: Spoken): string => `${marker}${speed}:${encodeURIComponent(text.toWellFormed())};`;

/**
 * The text of a sandbox file, even after conversion by a tool that preserves comments; null for any other recording.
 */
export function spokenIn(recording: Uint8Array): Spoken | null {
  const bytes = Buffer.from(recording.buffer, recording.byteOffset, recording.length);
  for (const encoding of ["latin1", "utf16le"] as const) {
    const at = bytes.indexOf(Buffer.from(marker, encoding));
    const found = at < 0 ? null : commentForm.exec(bytes.toString(encoding, at, at + maxCommentBytes));
    const text = decoded(found?.[2]);
    if (text !== null) return { text, speed: Number(found?.[1]) };
  }
  return null;
}

function decoded(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text);
  } catch {
    // A comment of another tool with the same marker.
    return null;
  }
}

const withLength = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** https://www.xiph.org/vorbis/doc/v-comment.html: the tags of FLAC and of Ogg. */
const vorbisTags = (comment: string): Buffer =>
  Buffer.concat([
    withLength(Buffer.from("sandbox")),
    Buffer.from([1, 0, 0, 0]),
    withLength(Buffer.from(`COMMENT=${comment}`)),
  ]);

/** https://id3.org/id3v2.4.0-structure: lengths have seven bits in each byte. */
function id3Tag(comment: string): Buffer {
  const part = (name: string, rest: readonly number[], body: Buffer): Buffer => {
    const length = [21, 14, 7, 0].map((shift) => (body.length >> shift) & 127);
    return Buffer.concat([
      Buffer.from(name),
      Buffer.from(name === "ID3" ? [...rest, ...length] : [...length, ...rest]),
      body,
    ]);
  };
  return part("ID3", [4, 0, 0], part("COMM", [0, 0], Buffer.from(`\x03eng\0${comment}`)));
}

/** https://www.rfc-editor.org/rfc/rfc9639#section-8: the description of the samples, whose checksum is left out, and the tags. */
function flacHead(blocks: number, tags: Buffer): Buffer {
  const head = Buffer.alloc(46);
  head.write("fLaC", 0, "latin1");
  head.writeUInt32BE(0x22, 4);
  head.writeUInt16BE(frameSamples, 8);
  head.writeUInt16BE(frameSamples, 10);
  // 20 bits of rate, 3 of channels less one, 5 of bits less one, 36 of samples.
  head.writeUIntBE(sampleRate << 4, 18, 3);
  head.writeUInt8(0xf0, 21);
  head.writeUInt32BE(blocks * frameSamples, 22);
  head.writeUInt32BE(0x84000000 + tags.length, 42);
  return Buffer.concat([head, tags]);
}

/** A block of fixed size in one channel, its samples as they are. Its number is written as a character is in UTF-8. */
function flacBlock(frame: Buffer, index: number): Buffer {
  const head = Buffer.from([0xff, 0xf8, 0x27, 0x08, ...Buffer.from(String.fromCodePoint(index))]);
  const body = Buffer.concat([head, Buffer.from([flacHeadSum(head), 0x02]), Buffer.from(frame).swap16()]);
  const sum = Buffer.alloc(2);
  sum.writeUInt16BE(flacBlockSum(body));
  return Buffer.concat([body, sum]);
}

const opusRate = 48_000;
/** The warm-up samples of an Opus decoder; this file starts with silence. */
const skippedSamples = 312;
const packetsOfPage = 50;
const serial = 0x7475726e;
const [first, last] = [2, 4];

/** https://www.rfc-editor.org/rfc/rfc3533#section-6 */
function oggPage(packets: readonly Buffer[], index: number, position: number, flags: number): Buffer {
  const head = Buffer.alloc(27);
  head.write("OggS", 0, "latin1");
  head.writeUInt8(flags, 5);
  head.writeBigInt64LE(BigInt(position), 6);
  head.writeUInt32LE(serial, 14);
  head.writeUInt32LE(index, 18);
  const lacing = packets.flatMap(({ length }) => [
    ...new Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  head.writeUInt8(lacing.length, 26);
  const page = Buffer.concat([head, Buffer.from(lacing), ...packets]);
  page.writeUInt32LE(oggPageSum(page), 22);
  return page;
}

/** https://www.rfc-editor.org/rfc/rfc7845#section-5 */
function opusFile(packets: readonly Buffer[], comment: string): Buffer[] {
  const head = Buffer.alloc(19);
  head.write("OpusHead", 0, "latin1");
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt16LE(skippedSamples, 10);
  head.writeUInt32LE(sampleRate, 12);
  const tags = Buffer.concat([Buffer.from("OpusTags"), vorbisTags(comment)]);
  const pages = [oggPage([head], 0, 0, first), oggPage([tags], 1, 0, 0)];
  for (let at = 0; at < packets.length; at += packetsOfPage) {
    const end = Math.min(at + packetsOfPage, packets.length);
    const position = end * opus.seconds * opusRate;
    pages.push(oggPage(packets.slice(at, end), pages.length, position, end === packets.length ? last : 0));
  }
  return pages;
}

/** The samples, followed by a list chunk with their metadata. */
function wavFile(frames: readonly Buffer[], comment: string): Buffer {
  const data = Buffer.concat(frames);
  const text = Buffer.from(comment.padEnd(comment.length + 2 - (comment.length % 2), "\0"));
  const list = Buffer.concat([Buffer.from("INFOICMT"), withLength(text)]);
  const header = Buffer.from(wavHeader(data.length, sampleRate));
  const file = Buffer.concat([header, data, Buffer.from("LIST"), withLength(list)]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

const writers: { readonly [format in AudioFormat]: (spoken: Spoken) => readonly Buffer[] } = {
  mp3: (spoken) => [id3Tag(commentOf(spoken)), ...framesOf(spoken, mp3)],
  aac: (spoken) => [id3Tag(commentOf(spoken)), ...framesOf(spoken, aac)],
  opus: (spoken) => opusFile(framesOf(spoken, opus), commentOf(spoken)),
  flac(spoken) {
    const blocks = framesOf(spoken, samples);
    return [flacHead(blocks.length, vorbisTags(commentOf(spoken))), ...blocks.map(flacBlock)];
  },
  wav: (spoken) => [wavFile(framesOf(spoken, samples), commentOf(spoken))],
  // Raw samples have no place for a comment: each of its characters is one more sample, too quiet to notice.
  pcm: (spoken) => [...framesOf(spoken, samples), Buffer.from(commentOf(spoken), "utf16le")],
};

/** A complete file. */
export const audioFile = (format: AudioFormat, spoken: Spoken): Uint8Array => Buffer.concat(writers[format](spoken));
