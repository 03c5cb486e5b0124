// Writes src/providers/sandbox/sound-frames.ts: a frame of a hum and one of silence in every codec that the sandbox cannot write by itself. Needs ffmpeg.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const sampleRate = 24_000;

interface Codec {
  readonly name: string;
  /** Samples of one frame. */
  readonly samples: number;
  readonly ending: string;
  command(input: string, output: string): string[];
  /** Where frames begin, and how much stands before the first byte of each. */
  readonly beginning: Buffer;
  readonly skipped: number;
}

const raw = ["-f", "s16le", "-ar", String(sampleRate), "-ac", "1"];
const ffmpeg = (input: string, ...options: string[]): string[] => [
  ...["ffmpeg", "-v", "error", "-y", ...raw, "-i", input],
  ...options,
];

const codecs: readonly Codec[] = [
  {
    name: "mp3",
    samples: 576,
    ending: "mp3",
    // No reservoir: each frame stands by itself. No tag: it would be a frame too.
    command: (input, output) =>
      ffmpeg(
        input,
        "-c:a",
        "libmp3lame",
        "-b:a",
        "32k",
        "-reservoir",
        "0",
        "-write_xing",
        "0",
        "-id3v2_version",
        "0",
        output,
      ),
    beginning: Buffer.from([0xff, 0xf3, 0x44]),
    skipped: 0,
  },
  {
    name: "aac",
    samples: 1_024,
    ending: "aac",
    command: (input, output) => ffmpeg(input, "-c:a", "aac", "-b:a", "32k", "-f", "adts", output),
    beginning: Buffer.from([0xff, 0xf1]),
    skipped: 0,
  },
  {
    name: "opus",
    samples: 480,
    ending: "ogg",
    // Expecting losses, it leans little on the frame before.
    command: (input, output) =>
      ffmpeg(
        input,
        "-c:a",
        "libopus",
        "-b:a",
        "24k",
        "-vbr",
        "off",
        "-frame_duration",
        "20",
        "-application",
        "lowdelay",
        "-packet_loss",
        "100",
        "-page_duration",
        "20000",
        output,
      ),
    // One packet in each page, which has a head of 28 bytes then.
    beginning: Buffer.from("OggS"),
    skipped: 28,
  },
];

/** Enough for an encoder to come to rest. */
const repeats = 40;

/** Whole waves in the frame, as near to 625 Hz as that goes: the next one follows without a click. */
function hum(samples: number): Buffer {
  const waves = Math.round((625 * samples) / sampleRate);
  const sample = (at: number): number => Math.round(12_000 * Math.sin((2 * Math.PI * waves * at) / samples));
  return Buffer.from(Int16Array.from({ length: samples }, (_, at) => sample(at)).buffer);
}

function frameOf(codec: Codec, samples: Buffer, folder: string): string {
  const input = join(folder, "in.raw");
  const output = join(folder, `out.${codec.ending}`);
  writeFileSync(input, Buffer.concat(Array.from({ length: repeats }, () => samples)));
  const { exitCode, stderr } = Bun.spawnSync(codec.command(input, output));
  if (exitCode !== 0) throw new Error(`${codec.name}: ${stderr.toString()}`);
  const bytes = readFileSync(output);
  const begins: number[] = [];
  for (let at = bytes.indexOf(codec.beginning); at >= 0; at = bytes.indexOf(codec.beginning, at + 1)) begins.push(at);
  const [from, to] = begins.slice(repeats / 2);
  if (from === undefined || to === undefined) throw new Error(`${codec.name}: there are too few frames`);
  return bytes.subarray(from + codec.skipped, to).toString("base64");
}

const folder = mkdtempSync(join(tmpdir(), "sound-"));
const rows = codecs.map((codec) => {
  const tone = hum(codec.samples);
  const [sound, silence] = [tone, Buffer.alloc(tone.length)].map((samples) => frameOf(codec, samples, folder));
  return `  ${codec.name}: {\n    hum: "${sound}",\n    silence: "${silence}",\n  },`;
});
rmSync(folder, { recursive: true });
const head = `// Made by scripts/sandbox-sound.ts with FFmpeg (LAME, its own AAC, libopus): one frame of a hum and one of silence for each codec.

/** In base64. */
export const frameTexts = {
`;
const file = join(import.meta.dir, "../src/providers/sandbox/sound-frames.ts");
writeFileSync(file, `${head}${rows.join("\n")}\n} as const;\n`);
