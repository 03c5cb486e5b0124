// Writes src/providers/sandbox/audio/frames.ts: each tone of the sandbox once in every codec that it cannot write by itself. Needs ffmpeg.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adtsFrames, mp3Frames, oggPackets } from "../src/providers/sandbox/audio/containers.ts";
import { sampleRate, silence, toneOf } from "../src/providers/sandbox/audio/tones.ts";

interface Codec {
  readonly name: string;
  /** Samples of one frame. */
  readonly samples: number;
  readonly ending: string;
  command(input: string, output: string): string[];
  frames(bytes: Buffer): Uint8Array[] | null;
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
    frames: mp3Frames,
  },
  {
    name: "aac",
    samples: 1_024,
    ending: "aac",
    command: (input, output) => ffmpeg(input, "-c:a", "aac", "-b:a", "32k", "-f", "adts", output),
    frames: adtsFrames,
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
        output,
      ),
    frames: oggPackets,
  },
];

/** Enough for an encoder to come to rest. */
const repeats = 40;

function frameOf(codec: Codec, symbol: number, folder: string): string {
  const input = join(folder, "in.raw");
  const output = join(folder, `out.${codec.ending}`);
  const tone = Buffer.from(toneOf(symbol, codec.samples).buffer);
  writeFileSync(input, Buffer.concat(Array.from({ length: repeats }, () => tone)));
  const { exitCode, stderr } = Bun.spawnSync(codec.command(input, output));
  if (exitCode !== 0) throw new Error(`${codec.name}: ${stderr.toString()}`);
  const frame = codec.frames(readFileSync(output))?.[repeats / 2];
  if (frame === undefined) throw new Error(`${codec.name}: there is no frame for ${symbol}`);
  return Buffer.from(frame).toString("base64");
}

const folder = mkdtempSync(join(tmpdir(), "tones-"));
const tables = codecs.map((codec) => {
  const rows = Array.from({ length: silence + 1 }, (_, symbol) => `    "${frameOf(codec, symbol, folder)}",`);
  return `  ${codec.name}: [\n${rows.join("\n")}\n  ],`;
});
rmSync(folder, { recursive: true });
const head = `// Made by scripts/sandbox-tones.ts with FFmpeg (LAME, its own AAC, libopus): one frame for each tone, the last one for silence.

/** By codec and symbol, in base64. */
export const frameTexts = {
`;
writeFileSync(
  join(import.meta.dir, "../src/providers/sandbox/audio/frames.ts"),
  `${head}${tables.join("\n")}\n} as const;\n`,
);
