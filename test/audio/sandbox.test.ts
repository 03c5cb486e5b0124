// The sandbox speaks in every format, real decoders play it, and it understands itself; what it does not understand, it says so.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { soundSeconds } from "../../src/dialects/shared/audio-duration.ts";
import { sandbox } from "../sandbox/setting.ts";
import { openaiClient } from "../support/clients.ts";

const { world } = await sandbox();
const { gateway } = world;
const openai = openaiClient(gateway.url, gateway.key);
const headers = { authorization: `Bearer ${gateway.key}` };

const formats = [
  { format: "mp3", type: "audio/mpeg", codec: "mp3" },
  { format: "opus", type: "audio/ogg", codec: "opus" },
  { format: "aac", type: "audio/aac", codec: "aac" },
  { format: "flac", type: "audio/flac", codec: "flac" },
  { format: "wav", type: "audio/wav", codec: "pcm_s16le" },
  { format: "pcm", type: "audio/pcm", codec: "pcm_s16le" },
] as const;
const text = "Hello there. Äpfel & 🎵 “quotes”! How are you?";

const speak = (body: object) =>
  fetch(`${gateway.url}/v1/audio/speech`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox/speak", voice: "alloy", input: text, ...body }),
  });

const fileOf = async (format: string, more: object = {}) =>
  Buffer.from(await (await speak({ response_format: format, ...more })).arrayBuffer());

function transcribe(bytes: Uint8Array, fields: Record<string, string> = {}, to = "transcriptions"): Promise<Response> {
  const form = new FormData();
  form.append("model", "sandbox/transcribe");
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new File([new Uint8Array(bytes)], "speech"));
  return fetch(`${gateway.url}/v1/audio/${to}`, { method: "POST", headers, body: form });
}
const textOf = async (answer: Response) => ((await answer.json()) as { text: string }).text;

/** Runs a tool over bytes in a file; gives what it says, or writes behind the file's name. */
function run(bytes: Uint8Array, command: (input: string, output: string) => string[]) {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-audio-"));
  const [input, output] = [join(folder, "in"), join(folder, "out.wav")];
  writeFileSync(input, bytes);
  const { exitCode, stdout, stderr } = Bun.spawnSync(command(input, output));
  const made = exitCode === 0 && stdout.length === 0 ? readFileSync(output) : Buffer.alloc(0);
  rmSync(folder, { recursive: true });
  return { exitCode, printed: stdout.toString(), complaints: stderr.toString(), made };
}

const hasDecoder = Bun.which("ffprobe") !== null && Bun.which("ffmpeg") !== null;
if (!hasDecoder) process.stderr.write("no ffmpeg here: that real decoders play the sandbox's speech is not tested\n");
const raw = (format: string) => (format === "pcm" ? ["-f", "s16le", "-ar", "24000", "-ac", "1"] : []);

describe.each(formats)("$format", ({ format, type, codec }) => {
  test("is what its type says, and is understood with its times", async () => {
    const answer = await speak({ response_format: format });
    expect(answer.headers.get("content-type")).toBe(type);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const received = await transcribe(bytes, { response_format: "verbose_json", "timestamp_granularities[]": "word" });
    const reply = (await received.json()) as {
      text: string;
      duration: number;
      words: { word: string; start: number; end: number }[];
    };
    expect(reply.text).toBe(text);
    expect(reply.words.map(({ word }) => word).join(" ")).toBe(text);
    const edges = reply.words.flatMap(({ start, end }) => [start, end]);
    expect(edges).toEqual(edges.toSorted((left, right) => left - right));
    expect(edges[0]).toBeGreaterThan(0);
    expect(edges.at(-1)).toBeLessThan(reply.duration);
  });

  test.skipIf(!hasDecoder)(
    "is played by a real decoder without a complaint, and what was played is understood",
    async () => {
      const bytes = await fileOf(format, { speed: 0.5 });
      const probe = run(bytes, (input) => [
        "ffprobe",
        "-v",
        "error",
        ...raw(format),
        "-show_entries",
        "stream=codec_name,channels:format=duration",
        "-of",
        "json",
        input,
      ]);
      const result = JSON.parse(probe.printed) as {
        streams: { codec_name: string; channels: number }[];
        format: { duration?: string };
      };
      expect(result.streams).toMatchObject([
        { codec_name: codec, channels: format === "pcm" ? expect.any(Number) : 1 },
      ]);
      const played = run(bytes, (input, output) => [
        "ffmpeg",
        "-v",
        "warning",
        ...["-xerror", "-err_detect", "crccheck+explode"],
        ...raw(format),
        "-i",
        input,
        // Tags of Ogg belong to its stream, and go on only where that is said.
        ...(format === "opus" ? ["-map_metadata", "0:s:a:0"] : []),
        "-ar",
        "24000",
        "-ac",
        "1",
        output,
      ]);
      expect({
        exitCode: played.exitCode,
        complaints: played.complaints.replace(/.*(?:Estimating duration from bitrate|Guessed Channel Layout).*\n/g, ""),
      }).toEqual({ exitCode: 0, complaints: "" });
      const length = soundSeconds(played.made);
      expect(length).toBeGreaterThan(1);
      if (format !== "pcm") expect(Math.abs(length - soundSeconds(bytes))).toBeLessThan(0.15);
      expect(await textOf(await transcribe(played.made))).toBe(text);
    },
  );

  test("is events too", async () => {
    const result = await (await speak({ response_format: format, stream_format: "sse", input: "Hi" })).text();
    const events = result
      .trim()
      .split("\n\n")
      .map((frame) => JSON.parse(frame.slice(6)) as { audio?: string });
    const bytes = Buffer.concat(events.map(({ audio = "" }) => Buffer.from(audio, "base64")));
    expect(await textOf(await transcribe(bytes))).toBe("Hi");
  });
});

test("slow speech takes longer, and is understood too", async () => {
  const [usual, slow] = [await fileOf("wav", { input: "Hi" }), await fileOf("wav", { input: "Hi", speed: 0.25 })];
  expect(slow.length).toBeGreaterThan(3 * usual.length);
  expect(await textOf(await transcribe(slow))).toBe("Hi");
});

test("two channels are understood too", async () => {
  const bytes = await fileOf("wav", { input: "Hi there" });
  const end = 44 + bytes.readUInt32LE(40);
  const twice = Buffer.alloc((end - 44) * 2);
  for (let at = 44; at < end; at += 2)
    for (const side of [0, 2]) twice.writeInt16LE(bytes.readInt16LE(at), (at - 44) * 2 + side);
  const header = Buffer.from(bytes.subarray(0, 44));
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(96_000, 28);
  header.writeUInt32LE(twice.length, 40);
  const both = Buffer.concat([header, twice, bytes.subarray(end)]);
  expect(await textOf(await transcribe(both))).toBe("Hi there");
});

test.each([
  { name: "a recording that is cut", change: (bytes: Buffer) => bytes.subarray(0, bytes.length - 6_000) },
  {
    name: "a recording without its beginning",
    change: (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 44), bytes.subarray(44 + 7_000)]),
  },
  {
    name: "noise",
    change: (bytes: Buffer) =>
      Buffer.concat([bytes.subarray(0, 44), Buffer.from(Array.from({ length: 9_000 }, (_, at) => (at * 7_919) % 251))]),
  },
  { name: "nothing of the kind", change: () => Buffer.from("This is no sound at all.") },
])("$name is not understood, and nobody pretends", async ({ change }) => {
  const answer = await transcribe(change(await fileOf("wav", { input: "Hi" })), { response_format: "verbose_json" });
  const reply = (await answer.json()) as { text: string; segments: { text: string }[] };
  expect(reply.text).toStartWith("The sandbox transcribes only speech that it generated.");
  expect(reply.segments.map((segment) => segment.text).join(" ")).toBe(reply.text);
});

test("the SDK speaks and listens, in every form of reply", async () => {
  const speech = await openai.audio.speech.create({ model: "sandbox/speak", voice: "nova", input: "One. Two." });
  const file = new File([await speech.arrayBuffer()], "a.mp3");
  const requested = { model: "sandbox/transcribe", file };
  expect((await openai.audio.transcriptions.create(requested)).text).toBe("One. Two.");
  const srt = (await openai.audio.transcriptions.create({ ...requested, response_format: "srt" })) as unknown as string;
  expect(srt).toMatch(
    /^1\n00:00:00,\d{3} --> 00:00:00,\d{3}\nOne\.\n\n2\n00:00:00,\d{3} --> 00:00:0[01],\d{3}\nTwo\.\n\n$/,
  );
  expect((await openai.audio.translations.create(requested)).text).toBe("One. Two.");
  const deltas: string[] = [];
  for await (const event of await openai.audio.transcriptions.create({ ...requested, stream: true }))
    if (event.type === "transcript.text.delta") deltas.push(event.delta);
  expect(deltas).toEqual(["One. ", "Two."]);
});

describe("directives", () => {
  test("in the text are obeyed, and not spoken", async () => {
    expect((await speak({ input: "Hi [sandbox error=503]" })).status).toBe(503);
    expect((await speak({ input: "Hi [sandbox rate-limit=7]" })).headers.get("retry-after")).toBe("7");
    expect(await textOf(await transcribe(await fileOf("wav", { input: "Hi [sandbox delay=1]" })))).toBe("Hi");
  });

  test("a cut is a broken connection", async () => {
    const received = speak({ response_format: "wav", input: `Hi ${"x".repeat(200)} [sandbox cut=2]` }).then((answer) =>
      answer.bytes(),
    );
    expect(
      await received.then(
        () => "whole",
        () => "broken",
      ),
    ).toBe("broken");
  });

  test("in the prompt are obeyed", async () => {
    expect((await transcribe(await fileOf("wav"), { prompt: "[sandbox error=500]" })).status).toBe(502);
    const cut = await (await transcribe(await fileOf("wav"), { prompt: "[sandbox cut=2]", stream: "true" })).text();
    expect(cut).toContain('"error"');
  });
});

test("the longest text is spoken", async () => {
  const longest = "x".repeat(4_096);
  const bytes = await fileOf("opus", { input: longest });
  expect(await textOf(await transcribe(bytes))).toBe(longest);
});
