// Files that make whoever walks them walk for long: boxes, chunks, pages and frames without content, and near boundaries.

type Make = (size: number, random: () => number) => Buffer;

/** The same few bytes again and again, behind a head. */
const filled =
  (head: Buffer, unit: Buffer): Make =>
  (size) => {
    const file = Buffer.alloc(Math.max(size, head.length + unit.length), unit);
    head.copy(file);
    return file;
  };

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const box = (name: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 8]), latin(name)]);
const adts = Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x00, 0xff, 0xfc]);

export const recordings: readonly (readonly [string, Make])[] = [
  ["dashes", filled(latin(""), latin("-"))],
  ["line ends", filled(latin(""), latin("\r\n"))],
  ["near boundaries", filled(latin(""), latin("\r\n--"))],
  ["nearer boundaries", filled(latin(""), latin("\r\n-"))],
  ["boundaries of nothing", filled(latin(""), latin("\r\n--b\r\n\r\n"))],
  ["closed early", filled(latin("\r\n--b--"), latin("\r\n"))],
  ["padding", filled(latin("\r\n--b"), latin(" "))],
  ["boxes", filled(box("ftyp"), box("free"))],
  ["movies", filled(box("ftyp"), box("mvhd"))],
  ["chunks", filled(latin("RIFF\xff\xff\xff\x00WAVE"), latin("junk\0\0\0\0"))],
  ["pages", filled(latin("OggS"), Buffer.concat([latin("OggS"), Buffer.alloc(23)]))],
  ["frames of AAC", filled(adts, adts)],
  ["frames of MP3", filled(latin(""), Buffer.from([0xff, 0xfb, 0x90, 0x64]))],
  ["tags of MP3", filled(latin("ID3\x04\0\0\x7f\x7f\x7f\x7f"), latin("ID3"))],
  ["FLAC", filled(latin("fLaC"), Buffer.from([0xff, 0xf8]))],
  ["WebM", filled(Buffer.from("1a45dfa3", "hex"), Buffer.from("4489", "hex"))],
  [
    "noise",
    (size, random) => Buffer.from(Array.from({ length: Math.min(size, 100_000) }, () => Math.floor(random() * 256))),
  ],
];
