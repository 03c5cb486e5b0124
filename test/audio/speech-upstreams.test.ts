// Speech from upstreams that answer with sound itself: requests in their own words, formats, usage, refusals.
import { describe, expect, test } from "bun:test";
import { ledgerRows } from "../support/ledger.ts";
import { bytesOf, errorOf, lossesOf, mp3, plain, samples, wavOf } from "./sounds.ts";
import { stage } from "./stage.ts";

const { gateway, upstream, speak } = await stage();
const ledger = () => ledgerRows(gateway.dataFolder) as unknown as Record<string, unknown>[];

describe("ElevenLabs", () => {
  const model = "elevenlabs/eleven_flash_v2_5";
  const voice = "SAz9YHcvj6GT2YYXdXww";

  test("gets the voice in its path and the rest in its own words, and its count of characters is what is paid", async () => {
    upstream.on("GET /v1/voices", { json: { voices: [{ voice_id: voice, name: "River" }] } });
    upstream.on("*", plain(mp3, "audio/mpeg", { "character-cost": "6" }));
    const before = ledger().length;
    const answer = await speak({ model, speed: 4, instructions: "Whisper." });
    expect((await bytesOf(answer)).equals(mp3)).toBe(true);
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    expect(lossesOf(answer)).toBe("approximated;field=speed, dropped;field=instructions");
    const requested = upstream.requests.at(-1);
    expect(`${requested?.method} ${requested?.path}?${requested?.query}`).toBe(
      `POST /v1/text-to-speech/${voice}/stream?output_format=mp3_44100_128`,
    );
    expect(requested?.headers.get("xi-api-key")).toBe("canary-key");
    expect(requested?.json).toEqual({
      text: "Hello there.",
      model_id: "eleven_flash_v2_5",
      voice_settings: { speed: 1.2 },
    });
    expect(ledger()[before]).toMatchObject({ characters: 6, state: "completed" });
  });

  test("gives samples for a WAV file, whose header knows no end", async () => {
    upstream.on("*", plain(samples, "audio/pcm"));
    const answer = await speak({ model, response_format: "wav", voice: "anna" });
    expect(answer.headers.get("content-type")).toBe("audio/wav");
    expect((await bytesOf(answer)).equals(Buffer.concat([wavOf(null), samples]))).toBe(true);
    expect(`${upstream.requests[0]?.path}?${upstream.requests[0]?.query}`).toBe(
      "/v1/text-to-speech/own-anna/stream?output_format=pcm_24000",
    );
  });

  test("gives samples for a WAV file, whose header knows the end where it is told", async () => {
    upstream.on("*", {
      ...plain(samples, "audio/pcm", { "content-length": String(samples.length) }),
      framing: "length",
    });
    const received = await bytesOf(await speak({ model, response_format: "wav" }));
    expect(received.equals(Buffer.concat([wavOf(samples.length), samples]))).toBe(true);
  });

  test("loses nothing with an empty instruction, also strictly", async () => {
    upstream.on("*", plain(mp3, "audio/mpeg"));
    const answer = await speak({ model, instructions: " " }, { "x-turnpike-strict": "true" });
    expect([answer.status, lossesOf(answer)]).toEqual([200, null]);
  });

  test("is not asked to speak with a model that listens", async () => {
    const result = { status: 400, param: "model", code: "unsupported_parameter" };
    expect(await errorOf(await speak({ model: "elevenlabs/scribe_v1" }))).toMatchObject(result);
    expect(upstream.requests).toHaveLength(0);
  });

  test("takes a voice of one's own by its id", async () => {
    upstream.on("*", plain(mp3, "audio/mpeg"));
    expect((await speak({ model, voice: { id: "my voice/1" } })).status).toBe(200);
    expect(upstream.requests[0]?.path).toBe("/v1/text-to-speech/my%20voice%2F1/stream");
  });

  test.each(["aac", "flac"])("cannot make %s", async (format) => {
    expect(await errorOf(await speak({ model, response_format: format }))).toEqual({
      status: 400,
      param: "response_format",
      code: "unsupported_parameter",
    });
    expect(upstream.requests).toHaveLength(0);
  });

  test.each([
    { status: 401, json: { detail: { status: "quota_exceeded", message: "no credit" } }, expected: 502 },
    { status: 422, json: { detail: [{ loc: ["body", "text"], msg: "too long", type: "x" }] }, expected: 422 },
    { status: 400, json: { detail: { status: "voice_not_found", message: "no such voice" } }, expected: 400 },
    { status: 429, json: { detail: { status: "too_many_concurrent_requests", message: "busy" } }, expected: 429 },
  ])("says no with $status", async ({ status, json, expected }) => {
    upstream.on("*", { status, json });
    expect((await errorOf(await speak({ model }))).status).toBe(expected);
  });
});

describe("Deepgram", () => {
  test.each([
    { format: "mp3", query: "encoding=mp3" },
    { format: "opus", query: "encoding=opus&container=ogg" },
    { format: "aac", query: "encoding=aac" },
    { format: "flac", query: "encoding=flac&sample_rate=24000" },
    { format: "wav", query: "encoding=linear16&sample_rate=24000&container=wav" },
    { format: "pcm", query: "encoding=linear16&sample_rate=24000&container=none" },
  ])("$format is asked for by its query", async ({ format, query }) => {
    upstream.on("*", plain(samples, "audio/x", { "dg-char-count": "12" }));
    const before = ledger().length;
    await bytesOf(await speak({ model: "deepgram/aura-2", response_format: format }));
    const [requested] = upstream.requests;
    expect(`${requested?.path}?${requested?.query}`).toBe(`/v1/speak?model=aura-2-thalia-en&${query}`);
    expect(requested?.headers.get("authorization")).toBe("Token canary-key");
    expect(requested?.json).toEqual({ text: "Hello there." });
    expect(ledger()[before]).toMatchObject({ characters: 12 });
  });

  test.each([
    { model: "aura-2", voice: "nova", requested: "aura-2-luna-en" },
    { model: "aura-2", voice: "anna", requested: "aura-2-own-anna-en" },
    { model: "aura-2-celeste-es", voice: "alloy", requested: "aura-2-celeste-es" },
    { model: "aura-2", voice: { id: "aura-2-nestor-es" }, requested: "aura-2-nestor-es" },
    { model: "aura-2", voice: { id: "nestor-es" }, requested: "aura-2-nestor-es" },
  ])("$requested is a voice and a model in one", async ({ model, voice, requested }) => {
    upstream.on("*", plain(mp3, "audio/mpeg"));
    expect((await speak({ model: `deepgram/${model}`, voice })).status).toBe(200);
    expect(upstream.requests[0]?.query.get("model")).toBe(requested);
  });

  test("takes 2,000 characters, and no more", async () => {
    upstream.on("*", plain(mp3, "audio/mpeg"));
    expect((await speak({ model: "deepgram/aura-2", input: "x".repeat(2_000) })).status).toBe(200);
    expect(await errorOf(await speak({ model: "deepgram/aura-2", input: "x".repeat(2_001) }))).toMatchObject({
      status: 400,
      param: "input",
    });
  });

  test("knows no speed, and refuses in its own words", async () => {
    upstream.on("*", plain(mp3, "audio/mpeg"));
    expect(lossesOf(await speak({ model: "deepgram/aura-2", speed: 1.1 }))).toBe("dropped;field=speed");
    const strict = await speak({ model: "deepgram/aura-2", speed: 1.1 }, { "x-turnpike-strict": "true" });
    expect(await errorOf(strict)).toMatchObject({ status: 400, param: "speed" });
    upstream.on("*", { status: 400, json: { err_code: "INVALID_QUERY", err_msg: "no such model", request_id: "r" } });
    expect(await errorOf(await speak({ model: "deepgram/aura-2" }))).toMatchObject({
      status: 400,
      code: "INVALID_QUERY",
    });
  });
});

describe("Azure's speech service", () => {
  test("gets markup with everything escaped", async () => {
    upstream.on("*", plain(mp3, "audio/mpeg"));
    await bytesOf(await speak({ model: "azure-speech/neural", input: "Fish & <chips> \"'\u0007", speed: 1.2 }));
    const requested = upstream.requests.at(-1);
    expect(requested?.path).toBe("/cognitiveservices/v1");
    for (const [name, value] of [
      ["content-type", "application/ssml+xml"],
      ["x-microsoft-outputformat", "audio-24khz-96kbitrate-mono-mp3"],
      ["ocp-apim-subscription-key", "canary-key"],
      ["user-agent", expect.stringMatching(/^turnpike\//)],
    ] as const)
      expect(requested?.headers.get(name)).toEqual(value);
    expect(requested?.text).toContain(
      '<voice name="en-US-EvelynMultilingualNeural"><prosody rate="+20%">Fish &amp; &lt;chips&gt; &quot;&apos;</prosody></voice>',
    );
  });

  test("gives samples that it calls a file", async () => {
    upstream.on("*", plain(samples, "audio/basic"));
    const answer = await speak({
      model: "azure-speech/neural",
      response_format: "pcm",
      voice: { id: "de-DE-KatjaNeural" },
    });
    expect(answer.headers.get("content-type")).toBe("audio/pcm");
    expect((await bytesOf(answer)).equals(samples)).toBe(true);
    expect(upstream.requests[0]?.text).toContain('xml:lang="de-DE"');
  });

  test("refuses without a word", async () => {
    for (const [status, expected] of [
      [400, 400],
      [401, 502],
      [429, 429],
      [502, 502],
    ] as const) {
      upstream.on("*", { status, text: "" });
      expect((await errorOf(await speak({ model: "azure-speech/neural" }))).status).toBe(expected);
    }
  });
});

test("OpenAI's models on Azure have their deployment in the path", async () => {
  upstream.on("*", plain(mp3, "audio/mpeg"));
  expect((await speak({ model: "azure/tts-hd" })).status).toBe(200);
  expect(`${upstream.requests[0]?.path}?${upstream.requests[0]?.query}`).toBe(
    "/openai/deployments/tts-hd/audio/speech?api-version=2025-03-01-preview",
  );
});

describe("Groq", () => {
  const model = "groq/canopylabs/orpheus-v1-english";
  const file = Buffer.concat([wavOf(null, 48_000), samples]);

  test("makes WAV files", async () => {
    upstream.on("*", plain(file, "audio/wav"));
    const answer = await speak({ model, response_format: "wav" });
    expect((await bytesOf(answer)).equals(file)).toBe(true);
    expect(upstream.requests[0]?.path).toBe("/openai/v1/audio/speech");
    expect(upstream.requests[0]?.json).toEqual({
      model: "canopylabs/orpheus-v1-english",
      input: "Hello there.",
      voice: "autumn",
      response_format: "wav",
    });
  });

  test("gives samples out of a WAV file, at the one rate", async () => {
    upstream.on("*", { ...plain(file, "audio/wav"), cutAt: [10, 43, 45, 100] });
    const answer = await speak({ model, response_format: "pcm" });
    expect(answer.headers.get("content-type")).toBe("audio/pcm");
    const received = await bytesOf(answer);
    expect(received.length).toBe(samples.length / 2);
    expect(received.readInt16LE(20)).toBe(samples.readInt16LE(40));
  });

  test("gives its own format where none is requested, with its type and a warning", async () => {
    upstream.on("*", plain(file, "audio/wav"));
    const answer = await speak({ model });
    expect([answer.status, answer.headers.get("content-type"), lossesOf(answer)]).toEqual([
      ...[200, "audio/wav", "approximated;field=response_format"],
    ]);
    expect((await bytesOf(answer)).equals(file)).toBe(true);
    expect(upstream.requests[0]?.json).toMatchObject({ response_format: "wav" });
    expect((await speak({ model, response_format: null })).status).toBe(200);
  });

  test("cannot make mp3 where it is requested", async () => {
    expect(await errorOf(await speak({ model, response_format: "mp3" }))).toMatchObject({
      status: 400,
      param: "response_format",
    });
  });
});

test("SiliconFlow's voices belong to their model", async () => {
  upstream.on("*", plain(samples, "audio/pcm"));
  const answer = await speak({ model: "siliconflow/FunAudioLLM/CosyVoice2-0.5B", response_format: "pcm", speed: 2 });
  expect((await bytesOf(answer)).equals(samples)).toBe(true);
  expect(upstream.requests[0]?.json).toEqual({
    ...{ model: "FunAudioLLM/CosyVoice2-0.5B", input: "Hello there.", voice: "FunAudioLLM/CosyVoice2-0.5B:anna" },
    ...{ response_format: "pcm", sample_rate: 24_000, speed: 2, stream: true },
  });
});
