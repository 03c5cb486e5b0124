// Tones as files: samples as they are, in WAV, in FLAC, and as frames that an encoder made once, bare or in Ogg.
import type { AudioFormat } from "../../../canonical/speech.ts";
import { wavHeader } from "../../../dialects/shared/audio-format.ts";
import { flacBlockSum, flacHeadSum, oggPageSum } from "./checksums.ts";
import { frameTexts } from "./frames.ts";
import { sampleRate, silence, toneOf, toneSamples } from "./tones.ts";

type Symbols = readonly number[];

const everySymbol = Array.from({ length: silence + 1 }, (_, symbol) => symbol);
const toneBytes = everySymbol.map((symbol) => Buffer.from(toneOf(symbol).buffer));
const framesOf = (texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text, "base64"));

/** The frame of each symbol. */
export const frames = {
  mp3: framesOf(frameTexts.mp3),
  aac: framesOf(frameTexts.aac),
  opus: framesOf(frameTexts.opus),
} as const;

const nothing = Buffer.alloc(0);
const from =
  (table: readonly Buffer[]) =>
  (symbol: number): Buffer =>
    table[symbol] ?? nothing;

/** The number of a block, as characters are written in UTF-8. */
const blockNumber = (index: number): Buffer => {
  if (index < 0x80) return Buffer.from([index]);
  const rest: number[] = [];
  let left = index;
  for (let most = 0x3f; left > most; most >>= 1) {
    rest.unshift(0x80 | (left & 0x3f));
    left = Math.floor(left / 64);
  }
  const lead = (0xff << (7 - rest.length)) & 0xff;
  return Buffer.from([lead | left, ...rest]);
};

/** https://www.rfc-editor.org/rfc/rfc9639#section-8: one block of metadata, whose sum of all samples is not told. */
function flacHead(blocks: number): Buffer {
  const head = Buffer.alloc(42);
  head.write("fLaC", 0, "latin1");
  head.writeUInt32BE(0x80000022, 4);
  head.writeUInt16BE(toneSamples, 8);
  head.writeUInt16BE(toneSamples, 10);
  const samples = blocks * toneSamples;
  // 20 bits of rate, 3 of channels less one, 5 of bits less one, 36 of samples.
  head.writeUIntBE((sampleRate << 4) | 0, 18, 3);
  head.writeUInt8(0xf0 | Math.floor(samples / 2 ** 32), 21);
  head.writeUInt32BE(samples % 2 ** 32, 22);
  return head;
}

const flacSamples = everySymbol.map((symbol) =>
  Buffer.concat([Buffer.from([0x02]), Buffer.from(toneOf(symbol).buffer).swap16()]),
);

/** A block of fixed size in one channel, its samples as they are. */
function flacBlock(symbol: number, index: number): Buffer {
  const head = Buffer.concat([Buffer.from([0xff, 0xf8, 0x27, 0x08]), blockNumber(index)]);
  const body = Buffer.concat([head, Buffer.from([flacHeadSum(head)]), from(flacSamples)(symbol)]);
  const sum = Buffer.alloc(2);
  sum.writeUInt16BE(flacBlockSum(body));
  return Buffer.concat([body, sum]);
}

/** Opus counts in these, whatever was recorded. */
const opusRate = 48_000;
const opusFrameSamples = 960;
/** What an encoder of Opus needs to come into its stride; ours begins with silence. */
const skippedSamples = 312;
const packetsOfPage = 50;
const serial = 0x7475726e;

function oggPage(packets: readonly Buffer[], index: number, position: number, flags: number): Buffer {
  const head = Buffer.alloc(27);
  head.write("OggS", 0, "latin1");
  head.writeUInt8(flags, 5);
  head.writeBigInt64LE(BigInt(position), 6);
  head.writeUInt32LE(serial, 14);
  head.writeUInt32LE(index, 18);
  head.writeUInt8(packets.length, 26);
  const page = Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets]);
  page.writeUInt32LE(oggPageSum(page), 22);
  return page;
}

/** https://www.rfc-editor.org/rfc/rfc7845#section-5 */
function opusHeading(): [Buffer, Buffer] {
  const head = Buffer.alloc(19);
  head.write("OpusHead", 0, "latin1");
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt16LE(skippedSamples, 10);
  head.writeUInt32LE(opusRate / 2, 12);
  const vendor = Buffer.from("sandbox");
  const tags = Buffer.alloc(16 + vendor.length);
  tags.write("OpusTags", 0, "latin1");
  tags.writeUInt32LE(vendor.length, 8);
  vendor.copy(tags, 12);
  return [head, tags];
}

const [first, last] = [2, 4];

function* opusFile(symbols: Symbols): Generator<Buffer> {
  const [head, tags] = opusHeading();
  yield oggPage([head], 0, 0, first);
  yield oggPage([tags], 1, 0, 0);
  for (let at = 0; at < symbols.length; at += packetsOfPage) {
    const end = Math.min(at + packetsOfPage, symbols.length);
    const packets = symbols.slice(at, end).map(from(frames.opus));
    yield oggPage(packets, 2 + at / packetsOfPage, end * opusFrameSamples, end === symbols.length ? last : 0);
  }
}

/** Seconds of one symbol, by format. */
export const symbolSeconds: { readonly [format in AudioFormat]: number } = {
  mp3: toneSamples / sampleRate,
  opus: opusFrameSamples / opusRate,
  aac: 1_024 / sampleRate,
  flac: toneSamples / sampleRate,
  wav: toneSamples / sampleRate,
  pcm: toneSamples / sampleRate,
};

const writers: { readonly [format in AudioFormat]: (symbols: Symbols) => Iterable<Buffer> } = {
  mp3: (symbols) => symbols.map(from(frames.mp3)),
  aac: (symbols) => symbols.map(from(frames.aac)),
  opus: opusFile,
  flac: (symbols) => [flacHead(symbols.length), ...symbols.map(flacBlock)],
  wav: (symbols) => [
    Buffer.from(wavHeader(symbols.length * toneSamples * 2, sampleRate)),
    ...symbols.map(from(toneBytes)),
  ],
  pcm: (symbols) => symbols.map(from(toneBytes)),
};

/** A whole file. */
export function fileOf(format: AudioFormat, symbols: Symbols): Uint8Array {
  return Buffer.concat([...writers[format](symbols)]);
}
