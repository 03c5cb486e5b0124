// Transcription by upstreams in words of their own: requests, every form of reply made of theirs, refusals.
import { describe, expect, test } from "bun:test";
import { errorOf, format, lossesOf, srt, transcribing } from "./transcribing.ts";
import { formOf, wav } from "./transcription-forms.ts";

const { upstream, transcribe, ledger, asks, translates, lastRequest, textsSeen } = await transcribing();

describe("Deepgram", () => {
  const model = "deepgram/nova-3";
  const words = [
    { word: "hi", start: 0, end: 1, confidence: 1, punctuated_word: "Hi", speaker: 1 },
    { word: "you", start: 1, end: 2.5, confidence: 1, punctuated_word: "you.", speaker: 0 },
  ];
  const replyOf = (received: object[]) => ({
    metadata: { request_id: "r", duration: 2.5, channels: 1 },
    results: {
      channels: [
        { detected_language: "en", alternatives: [{ transcript: "Hi you.", confidence: 1, words: received }] },
      ],
      utterances: [{ start: 0, end: 2.5, transcript: "Hi you.", speaker: 0 }],
    },
  });
  const plain = words.map(({ speaker: _, ...word }) => word);

  test("gets the recording as it is, and the rest in its query", async () => {
    upstream.on("*", { json: replyOf(plain) });
    const before = ledger().length;
    const answer = await asks(
      model,
      format("verbose_json"),
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
      ["prompt", "names"],
    );
    expect(await answer.json()).toMatchObject({
      ...{ task: "transcribe", language: "english", duration: 2.5, text: "Hi you." },
      words: [
        { word: "Hi", start: 0, end: 1 },
        { word: "you.", start: 1, end: 2.5 },
      ],
      segments: [{ id: 0, seek: 0, start: 0, end: 2.5, text: "Hi you.", tokens: [] }],
      usage: { type: "duration", seconds: 2.5 },
    });
    expect(lossesOf(answer)).toBe("dropped;field=prompt");
    expect(`${lastRequest().path}?${lastRequest().query}`).toBe(
      "/v1/listen?model=nova-3&smart_format=true&utterances=true&detect_language=true",
    );
    expect(lastRequest().headers.get("content-type")).toBe("audio/wav");
    expect(lastRequest().headers.get("content-length")).toBe(String(wav.length));
    expect(ledger()[before]).toMatchObject({ audioMs: 2_500, estimated: false });
  });

  test("tells speakers apart by letters, in the order in which they speak", async () => {
    upstream.on("*", { json: replyOf(words) });
    const answer = await asks(model, format("diarized_json"), ["language", "de"]);
    expect(await answer.json()).toMatchObject({
      segments: [
        { type: "transcript.text.segment", id: "seg_001", start: 0, end: 1, text: "Hi", speaker: "A" },
        { id: "seg_002", start: 1, end: 2.5, text: "you.", speaker: "B" },
      ],
    });
    expect(lastRequest().query.get("diarize")).toBe("true");
    expect(lastRequest().query.get("language")).toBe("de");
  });

  test("makes subtitles, of words where there are no utterances", async () => {
    const { results, ...rest } = replyOf(plain);
    upstream.on("*", { json: { ...rest, results: { ...results, utterances: undefined } } });
    expect(await (await asks(model, format("srt"))).text()).toBe(srt.replace("Hi", "Hi you."));
  });

  test("is left to find an empty language, and is not asked to listen with a model that speaks", async () => {
    upstream.on("*", { json: replyOf(plain) });
    expect((await asks(model, ["language", ""])).status).toBe(200);
    expect([lastRequest().query.get("language"), lastRequest().query.get("detect_language")]).toEqual([null, "true"]);
    expect(await errorOf(await asks("deepgram/aura-2"))).toMatchObject({ status: 400, param: "model" });
  });

  test("does not translate", async () => {
    expect(await errorOf(await translates(model))).toMatchObject({
      status: 400,
      param: "model",
      code: "unsupported_parameter",
    });
  });

  test.each([{ json: {} }, { json: { results: {} } }])("case %# is no reply", async (reply) => {
    upstream.on("*", reply);
    expect((await errorOf(await asks(model))).status).toBe(502);
  });
});

describe("ElevenLabs", () => {
  const model = "elevenlabs/scribe_v1";
  const word = (text: string, start: number, end: number, type = "word", speaker_id = "speaker_0") => ({
    text,
    start,
    end,
    type,
    speaker_id,
    logprob: 0,
  });
  const reply = {
    ...{ language_code: "deu", language_probability: 1, text: "Hallo du.", audio_duration_secs: 3 },
    words: [
      word("Hallo", 0, 1),
      word(" ", 1, 1.1, "spacing"),
      word("du.", 1.1, 2.5, "word", "speaker_7"),
      word("(laughter)", 2.5, 3, "audio_event"),
    ],
  };

  test("gets a form, and tells words", async () => {
    upstream.on("*", { json: reply });
    const before = ledger().length;
    const answer = await asks(
      model,
      format("verbose_json"),
      ["timestamp_granularities", "word"],
      ["temperature", "0.2"],
      ["prompt", "names"],
    );
    expect(await answer.json()).toEqual({
      ...{ task: "transcribe", language: "german", duration: 3, text: "Hallo du." },
      words: [
        { word: "Hallo", start: 0, end: 1 },
        { word: "du.", start: 1.1, end: 2.5 },
      ],
      usage: { type: "duration", seconds: 3 },
    });
    expect(lastRequest().path).toBe("/v1/speech-to-text");
    expect(lastRequest().headers.get("xi-api-key")).toBe("canary-key");
    expect(await textsSeen()).toEqual([
      ["model_id", "scribe_v1"],
      ["tag_audio_events", "false"],
      ["timestamps_granularity", "word"],
      ["temperature", "0.2"],
    ]);
    expect(lossesOf(answer)).toBe("dropped;field=prompt");
    expect(ledger()[before]).toMatchObject({ audioMs: 3_000 });
  });

  test("tells speakers apart, and makes subtitles of words", async () => {
    upstream.on("*", { json: reply });
    expect(await (await asks(model, format("diarized_json"))).json()).toMatchObject({
      segments: [
        { text: "Hallo", speaker: "A" },
        { text: "du.", speaker: "B" },
      ],
    });
    expect(await (await asks(model, format("vtt"))).text()).toContain("00:00:00.000 --> 00:00:01.000\nHallo\n\n");
    expect(await errorOf(await translates(model))).toMatchObject({ status: 400, param: "model" });
  });
});

describe("Gemini", () => {
  const model = "gemini/gemini-2.5-flash";
  const reply = {
    candidates: [{ content: { parts: [{ text: "Think.", thought: true }, { text: "Hi\n" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 2, totalTokenCount: 42 },
  };

  test("sends a recording in base64 with the options", async () => {
    upstream.on("*", { json: reply });
    const before = ledger().length;
    const answer = await asks(model, ["language", "de"], ["prompt", "Turnpike"]);
    expect(await answer.json()).toEqual({
      text: "Hi",
      usage: { type: "tokens", input_tokens: 40, output_tokens: 2, total_tokens: 42 },
    });
    const { contents, generationConfig } = lastRequest().json as {
      contents: { parts: { text?: string; inlineData?: { mimeType: string; data: string } }[] }[];
      generationConfig: object;
    };
    const [recording, instruction] = contents[0]?.parts ?? [];
    expect(recording?.inlineData?.mimeType).toBe("audio/wav");
    expect(Buffer.from(recording?.inlineData?.data ?? "", "base64").equals(wav)).toBe(true);
    expect(instruction?.text).toMatch(/word for word.*german.*Turnpike/s);
    expect(generationConfig).toEqual({ temperature: 0 });
    expect(ledger()[before]).toMatchObject({ inputTokens: 40, outputTokens: 2 });
  });

  test("translates", async () => {
    upstream.on("*", { json: reply });
    expect(await (await translates(model, format("text"))).text()).toBe("Hi\n");
    expect(JSON.stringify(lastRequest().json)).toContain("translated into English");
  });

  test("tells no times", async () => {
    for (const wanted of ["srt", "vtt", "verbose_json", "diarized_json"])
      expect(await errorOf(await asks(model, format(wanted)))).toMatchObject({ status: 400, param: "response_format" });
  });

  test("takes 14.5 MB, and no more", async () => {
    upstream.on("*", (line) => line.play({ json: reply }));
    const file = (bytes: number) =>
      formOf([
        ["model", model],
        ["file", new File([new Uint8Array(bytes)], "a.wav", { type: "audio/wav" })],
      ]);
    expect((await transcribe(file(14_500_000))).status).toBe(200);
    expect(await errorOf(await transcribe(file(14_500_001)))).toMatchObject({ status: 400, param: "file" });
  });

  test("says nothing to silence, and no to what it refuses", async () => {
    upstream.on("*", { json: { candidates: [{ finishReason: "STOP" }] } });
    expect(await (await asks(model)).json()).toEqual({ text: "", usage: { type: "duration", seconds: 0.25 } });
    upstream.on("*", { json: { candidates: [{ finishReason: "SAFETY" }] } });
    expect(await errorOf(await asks(model))).toMatchObject({ status: 400, code: "content_policy_violation" });
  });
});
