// Speech from upstreams that answer with sound inside JSON: in base64 or hexadecimal, in one document or in many.
import { describe, expect, test } from "bun:test";
import { ledgerRows } from "../support/ledger.ts";
import type { Reply } from "../support/upstream.ts";
import { bytesOf, errorOf, lossesOf, mp3, samples, wavOf } from "./sounds.ts";
import { stage } from "./stage.ts";

const { gateway, upstream, speak } = await stage();
const ledger = () => ledgerRows(gateway.dataFolder) as unknown as Record<string, unknown>[];

describe("Gemini", () => {
  const model = "gemini/gemini-2.5-flash-preview-tts";
  const documentOf = (bytes: Uint8Array, more: object = {}, rate = 24_000) => ({
    candidates: [
      {
        content: {
          parts: [
            {
              inlineData: { mimeType: `audio/L16;codec=pcm;rate=${rate}`, data: Buffer.from(bytes).toString("base64") },
            },
          ],
        },
        ...more,
      },
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 25, totalTokenCount: 30 },
  });

  test("gives a WAV file where no format is requested, with its type and a warning", async () => {
    upstream.on("*", { json: documentOf(samples) });
    const answer = await speak({ model });
    expect([answer.status, answer.headers.get("content-type"), lossesOf(answer)]).toEqual([
      ...[200, "audio/wav", "approximated;field=response_format"],
    ]);
    expect((await bytesOf(answer)).subarray(44).equals(samples)).toBe(true);
  });
  const frames = (...bodies: object[]) => bodies.map((body) => `data: ${JSON.stringify(body)}\r\n\r\n`);

  test("is told how to speak in words, and streams samples in base64", async () => {
    upstream.on("*", {
      frames: frames(documentOf(samples.subarray(0, 100)), documentOf(samples.subarray(100), { finishReason: "STOP" })),
    });
    const before = ledger().length;
    const answer = await speak({ model, response_format: "pcm", speed: 2, instructions: "Whisper." });
    expect((await bytesOf(answer)).equals(samples)).toBe(true);
    expect(answer.headers.get("content-type")).toBe("audio/pcm");
    expect(lossesOf(answer)).toBe("approximated;field=speed");
    const [requested] = upstream.requests;
    expect(`${requested?.path}?${requested?.query}`).toBe(
      "/v1beta/models/gemini-2.5-flash-preview-tts:streamGenerateContent?alt=sse",
    );
    expect(requested?.json).toEqual({
      contents: [{ role: "user", parts: [{ text: "Whisper. Speak fast:\nHello there." }] }],
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
      },
    });
    expect(ledger()[before]).toMatchObject({ inputTokens: 5, outputTokens: 25 });
  });

  test("in one document becomes a WAV file with its true length, at the rate that it tells", async () => {
    upstream.on("*", { json: documentOf(samples, { finishReason: "STOP" }, 16_000) });
    const received = await bytesOf(await speak({ model, response_format: "wav" }));
    expect(received.equals(Buffer.concat([wavOf(samples.length, 16_000), samples]))).toBe(true);
  });

  test("whose first sample looks like the beginning of a file are samples still", async () => {
    const loud = Buffer.concat([Buffer.from("fffb", "hex"), samples.subarray(2)]);
    upstream.on("*", { json: documentOf(loud, { finishReason: "STOP" }) });
    const answer = await speak({ model, response_format: "wav" });
    expect(answer.headers.get("content-type")).toBe("audio/wav");
    expect((await bytesOf(answer)).equals(Buffer.concat([wavOf(loud.length), loud]))).toBe(true);
  });

  test("at another rate is brought to the one rate of pcm", async () => {
    upstream.on("*", { json: documentOf(samples, { finishReason: "STOP" }, 12_000) });
    const received = await bytesOf(await speak({ model, response_format: "pcm" }));
    expect(received.length / 2).toBeGreaterThanOrEqual(958);
    expect(received.length / 2).toBeLessThanOrEqual(960);
    expect(received.readInt16LE(0)).toBe(samples.readInt16LE(0));
    expect(received.readInt16LE(200)).toBe(samples.readInt16LE(100));
    expect(received.readInt16LE(202)).toBe(Math.round((samples.readInt16LE(100) + samples.readInt16LE(102)) / 2));
  });

  test("as events for the client, each by itself", async () => {
    upstream.on("*", {
      frames: frames(documentOf(samples.subarray(0, 100)), documentOf(samples.subarray(100), { finishReason: "STOP" })),
    });
    const text = await (await speak({ model, response_format: "pcm", stream_format: "sse" })).text();
    const events = text
      .trim()
      .split("\n\n")
      .map((frame) => JSON.parse(frame.slice(6)) as Record<string, unknown>);
    expect(events.at(-1)).toEqual({
      type: "speech.audio.done",
      usage: { input_tokens: 5, output_tokens: 25, total_tokens: 30 },
    });
    const received = events.slice(0, -1).map(({ audio }) => Buffer.from(String(audio), "base64"));
    expect(Buffer.concat(received).equals(samples)).toBe(true);
  });

  test.each<{ name: string; reply: Reply; expected: object }>([
    {
      name: "a refusal",
      reply: { frames: frames({ candidates: [{ finishReason: "SAFETY" }] }) },
      expected: { status: 400, code: "content_policy_violation" },
    },
    {
      name: "a blocked prompt",
      reply: { json: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } } },
      expected: { status: 400, code: "content_policy_violation" },
    },
    {
      name: "text in place of sound",
      reply: { json: { candidates: [{ content: { parts: [{ text: "hi" }] }, finishReason: "STOP" }] } },
      expected: { status: 502 },
    },
    {
      name: "an error in the stream",
      reply: { frames: frames({ error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED" } }) },
      expected: { status: 429 },
    },
    {
      name: "no JSON",
      reply: { text: "oops", headers: { "content-type": "application/json" } },
      expected: { status: 502 },
    },
  ])("$name is an error", async ({ reply, expected }) => {
    upstream.on("*", reply);
    expect(await errorOf(await speak({ model, response_format: "wav" }))).toMatchObject(expected);
  });

  test("that stops without its end breaks the connection", async () => {
    upstream.on("*", { frames: frames(documentOf(samples)) });
    const received = speak({ model, response_format: "pcm" }).then((answer) => answer.bytes());
    expect(
      await received.then(
        () => "whole",
        () => "broken",
      ),
    ).toBe("broken");
  });

  test.each(["mp3", "opus", "aac", "flac"])("cannot make %s", async (format) => {
    expect(await errorOf(await speak({ model, response_format: format }))).toMatchObject({
      status: 400,
      param: "response_format",
    });
  });
});

describe("MiniMax", () => {
  const model = "minimax/speech-2.8-turbo";
  const ok = { status_code: 0, status_msg: "success" };
  const piece = (bytes: Buffer, status: number, more: object = {}) => ({
    data: { audio: bytes.toString("hex"), status },
    trace_id: "t",
    base_resp: ok,
    ...more,
  });
  const frames = (...bodies: object[]) => bodies.map((body) => `data: ${JSON.stringify(body)}\n\n`);

  test("streams in hexadecimal, and what it says twice is sent once", async () => {
    upstream.on("*", {
      frames: frames(
        piece(mp3.subarray(0, 20), 1),
        piece(mp3.subarray(20), 1),
        piece(mp3, 2, { extra_info: { usage_characters: 12 } }),
      ),
    });
    const before = ledger().length;
    const answer = await speak({ model, speed: 3 });
    expect((await bytesOf(answer)).equals(mp3)).toBe(true);
    expect(lossesOf(answer)).toBe("approximated;field=speed");
    expect(upstream.requests[0]?.path).toBe("/v1/t2a_v2");
    expect(upstream.requests[0]?.json).toMatchObject({
      ...{ model: "speech-2.8-turbo", text: "Hello there.", stream: true, output_format: "hex" },
      voice_setting: { voice_id: "English_Graceful_Lady", speed: 2 },
      audio_setting: { format: "mp3", channel: 1 },
    });
    expect(ledger()[before]).toMatchObject({ characters: 12 });
  });

  test("gives a WAV file in one document", async () => {
    const file = Buffer.concat([wavOf(samples.length), samples]);
    upstream.on("*", { json: piece(file, 2, { extra_info: { usage_characters: 12 } }) });
    const answer = await speak({ model, response_format: "wav" });
    expect(answer.headers.get("content-type")).toBe("audio/wav");
    expect((await bytesOf(answer)).equals(file)).toBe(true);
    expect(upstream.requests[0]?.json).toMatchObject({
      stream: false,
      audio_setting: { format: "wav", sample_rate: 24_000 },
    });
  });

  test("gives samples at the one rate", async () => {
    upstream.on("*", { frames: frames(piece(samples, 1), piece(Buffer.alloc(0), 2)) });
    expect((await bytesOf(await speak({ model, response_format: "pcm" }))).equals(samples)).toBe(true);
    expect(upstream.requests[0]?.json).toMatchObject({ audio_setting: { format: "pcm", sample_rate: 24_000 } });
  });

  test.each([
    { code: 1002, status: 429 },
    { code: 1004, status: 502 },
    { code: 1008, status: 502 },
    { code: 1026, status: 400 },
    { code: 2013, status: 400 },
    { code: 1000, status: 502 },
  ])("says no with $code and status 200", async ({ code, status }) => {
    upstream.on("*", { json: { base_resp: { status_code: code, status_msg: "no" } } });
    expect((await errorOf(await speak({ model }))).status).toBe(status);
  });

  test.each(["opus", "aac"])("cannot make %s", async (format) => {
    expect(await errorOf(await speak({ model, response_format: format }))).toMatchObject({
      status: 400,
      param: "response_format",
    });
  });
});
