// Speech in formats that its provider does not make: real ffmpeg transcodes it, and real ffprobe checks the result.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AudioFormat, audioFormats } from "../../src/canonical/speech.ts";
import { limitsOf } from "../../src/config/limits.ts";
import { createAudioTranscoder, type RunningTranscode } from "../../src/gateway/operations/audio-transcoder.ts";
import { ledgerRows } from "../support/ledger.ts";
import { bytesOf, lossesOf, plain, wavOf } from "./sounds.ts";
import { stage } from "./stage.ts";

const ffmpeg = Bun.which("ffmpeg");
const hasTools = ffmpeg !== null && Bun.which("ffprobe") !== null;
if (!hasTools) process.stderr.write("no ffmpeg here: transcoding with a real one is not tested\n");

const { gateway, upstream, speak } = await stage({ TURNPIKE_FFMPEG: ffmpeg ?? "off" });
const folder = mkdtempSync(join(tmpdir(), "transcoding-"));
afterAll(() => rmSync(folder, { recursive: true }));

const rate = 24_000;
const seconds = 2;
/** A tone of two seconds. */
const tone = Buffer.from(
  Int16Array.from({ length: seconds * rate }, (_, at) => Math.round(9_000 * Math.sin((at * 440 * 2 * Math.PI) / rate)))
    .buffer,
);
const wavFile = Buffer.concat([wavOf(tone.length), tone]);

const codecs: { readonly [format in AudioFormat]: { codec: string; type: string } } = {
  mp3: { codec: "mp3", type: "audio/mpeg" },
  opus: { codec: "opus", type: "audio/ogg" },
  aac: { codec: "aac", type: "audio/aac" },
  flac: { codec: "flac", type: "audio/flac" },
  wav: { codec: "pcm_s16le", type: "audio/wav" },
  pcm: { codec: "pcm_s16le", type: "audio/pcm" },
};
const samplesForm = ["-f", "s16le", "-ar", String(rate), "-ac", "1"];

/** What ffprobe says of a file: its codec and its length, counted from the decoded samples. */
function probed(bytes: Uint8Array, format: AudioFormat): { codec: string; seconds: number } {
  const file = join(folder, `probe.${format}`);
  writeFileSync(file, bytes);
  const raw = format === "pcm" ? samplesForm : [];
  const probe = Bun.spawnSync(
    ["ffprobe", "-v", "error", ...raw, "-show_entries", "stream=codec_name", "-of", "csv=p=0", file],
    { env: process.env },
  );
  const decoded = Bun.spawnSync(["ffmpeg", "-v", "error", ...raw, "-i", file, ...samplesForm, "-"]);
  return { codec: probe.stdout.toString().trim(), seconds: decoded.stdout.length / 2 / rate };
}

async function made(to: RunningTranscode, sound: Uint8Array): Promise<Buffer> {
  const feeding = to.write(sound).then(() => to.end());
  const pieces: Uint8Array[] = [];
  for (let piece = await to.read(); piece !== null; piece = await to.read()) pieces.push(piece);
  await feeding;
  return Buffer.concat(pieces);
}

const ledger = () => ledgerRows(gateway.dataFolder) as unknown as Record<string, unknown>[];

describe.skipIf(!hasTools)("with ffmpeg", () => {
  test.each(["mp3", "opus", "aac", "flac"] as const)(
    "a provider of WAV files answers in %s, also strictly, and the same is booked",
    async (format) => {
      upstream.on("*", plain(wavFile, "audio/wav"));
      const before = ledger().length;
      const requested = { model: "groq/orpheus", response_format: format };
      const answer = await speak(requested, { "x-turnpike-strict": "true" });
      expect([answer.status, lossesOf(answer)]).toEqual([200, "emulated;field=response_format"]);
      expect(answer.headers.get("content-type")).toBe(codecs[format].type);
      const result = probed(await bytesOf(answer), format);
      expect(result.codec).toBe(codecs[format].codec);
      expect(Math.abs(result.seconds - seconds)).toBeLessThan(0.15);
      expect(upstream.requests[0]?.json).toMatchObject({ response_format: "wav" });
      expect(ledger()[before]).toMatchObject({ state: "completed", characters: 12 });
    },
    30_000,
  );

  test("a request without a format gets mp3", async () => {
    upstream.on("*", plain(wavFile, "audio/wav"));
    const answer = await speak({ model: "groq/orpheus" });
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    expect(lossesOf(answer)).toBe("emulated;field=response_format");
    expect(probed(await bytesOf(answer), "mp3").codec).toBe("mp3");
  }, 30_000);

  test("what the provider makes is not transcoded", async () => {
    upstream.on("*", plain(wavFile, "audio/wav"));
    const answer = await speak({ model: "groq/orpheus", response_format: "wav" });
    expect(lossesOf(answer)).toBeNull();
    expect((await bytesOf(answer)).equals(wavFile)).toBe(true);
  });

  test("events carry the transcoded sound, and end with the usage", async () => {
    const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 40 };
    const inlineData = { mimeType: "audio/L16;rate=24000", data: tone.toString("base64") };
    const candidates = [{ content: { parts: [{ inlineData }] }, finishReason: "STOP" }];
    upstream.on("*", { frames: [`data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`] });
    const requested = { model: "gemini/gemini-2.5-flash-preview-tts", response_format: "opus", stream_format: "sse" };
    const text = await (await speak(requested)).text();
    const events = text.trim().split("\n\n");
    const result = events.map((frame) => JSON.parse(frame.slice("data: ".length)));
    expect(result.at(-1)).toMatchObject({ type: "speech.audio.done", usage: { input_tokens: 3, output_tokens: 40 } });
    const sound = Buffer.concat(result.map(({ audio = "" }) => Buffer.from(audio, "base64")));
    expect(probed(sound, "opus").codec).toBe("opus");
  }, 30_000);

  test("the answer begins before the provider has ended", async () => {
    const rest = Promise.withResolvers<void>();
    const half = wavFile.length / 2;
    upstream.on("*", {
      ...plain(wavFile, "audio/wav"),
      bytes: [wavFile.subarray(0, half), wavFile.subarray(half)],
      gate: rest.promise,
    });
    const answer = await speak({ model: "groq/orpheus", response_format: "aac" });
    const body = answer.body!.getReader();
    const first = await body.read();
    expect(first.value?.length).toBeGreaterThan(0);
    rest.resolve();
    const pieces = [first.value!];
    for (let piece = await body.read(); !piece.done; piece = await body.read()) pieces.push(piece.value);
    expect(Math.abs(probed(Buffer.concat(pieces), "aac").seconds - seconds)).toBeLessThan(0.15);
  }, 30_000);

  test("a provider that breaks off in the middle breaks the connection", async () => {
    const rest = Promise.withResolvers<void>();
    const half = wavFile.length / 2;
    const bytes = [wavFile.subarray(0, half), wavFile.subarray(half)];
    upstream.on("*", { ...plain(wavFile, "audio/wav"), bytes, gate: rest.promise, ending: "reset" });
    const answer = await speak({ model: "groq/orpheus", response_format: "aac" });
    const body = answer.body!.getReader();
    await body.read();
    rest.resolve();
    const reading = async () => {
      while (!(await body.read()).done);
    };
    expect(
      await reading().then(
        () => "whole",
        () => "broken",
      ),
    ).toBe("broken");
  }, 30_000);

  test("bytes that are no sound are refused", async () => {
    const place = createAudioTranscoder(ffmpeg ?? "", limitsOf()).reserve(new AbortController().signal);
    const refusal = made(place.start("mp3", "aac"), Buffer.alloc(9_000, 9)).catch((thrown) => thrown);
    expect(await refusal).toMatchObject({ status: 502, code: "transcoding_failed" });
  }, 30_000);

  test("every format is made from samples, and made samples of", async () => {
    const transcoder = createAudioTranscoder(ffmpeg ?? "", limitsOf());
    const { signal } = new AbortController();
    for (const format of audioFormats) {
      const there = await made(transcoder.reserve(signal).start("pcm", format), tone);
      const back = await made(transcoder.reserve(signal).start(format, "pcm"), there);
      expect([format, probed(there, format).codec]).toEqual([format, codecs[format].codec]);
      expect(Math.abs(back.length / 2 / rate - seconds)).toBeLessThan(0.2);
    }
  }, 120_000);
});
