// Transcription by servers that speak nearly as OpenAI does: fewer fields, fewer forms of reply, the rest made from what they give.
import { describe, expect, test } from "bun:test";
import { errorOf, format, lossesOf, srt, transcribing } from "./transcribing.ts";

const { upstream, ledger, asks, translates, lastRequest, textsSeen } = await transcribing();
const vtt = "WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nHi\n\n";

describe("Groq", () => {
  const model = "groq/whisper-large-v3";
  const verbose = {
    task: "transcribe",
    language: "English",
    duration: 2.5,
    text: "Hi",
    segments: [{ id: 0, start: 0, end: 2.5, text: "Hi" }],
    x_groq: { id: "req_1" },
  };

  test.each([
    { wanted: "json", sent: "json", body: JSON.stringify({ text: "Hi", usage: { type: "duration", seconds: 2.5 } }) },
    { wanted: "text", sent: "text", body: "Hi\n" },
    { wanted: "srt", sent: "verbose_json", body: srt },
    { wanted: "vtt", sent: "verbose_json", body: vtt },
  ])("$wanted comes from $sent", async ({ wanted, sent, body }) => {
    upstream.on("*", sent === "text" ? { text: "Hi" } : { json: verbose });
    const answer = await asks(model, format(wanted));
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: body });
    expect(answer.headers.get("content-type")).toBe(
      wanted === "json" ? "application/json; charset=utf-8" : "text/plain; charset=utf-8",
    );
    expect(lastRequest().path).toBe("/openai/v1/audio/transcriptions");
    expect(await textsSeen()).toEqual([
      ["model", "whisper-large-v3"],
      ["response_format", sent],
    ]);
  });

  test("streams are told from its whole reply", async () => {
    upstream.on("*", { json: verbose });
    const answer = await asks(model, ["stream", "true"]);
    expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
    expect(await answer.text()).toContain('{"type":"transcript.text.done","text":"Hi"');
    expect(await textsSeen()).not.toContainEqual(["stream", "true"]);
  });

  test("translates at a place of its own, without a language", async () => {
    upstream.on("*", { json: { ...verbose, task: "translate" } });
    const answer = await translates(model, format("verbose_json"), ["prompt", "names"]);
    expect(await answer.json()).toMatchObject({ task: "translate", language: "english", duration: 2.5 });
    expect(lastRequest().path).toBe("/openai/v1/audio/translations");
  });

  test("cannot tell speakers apart", async () => {
    expect(await errorOf(await asks(model, format("diarized_json")))).toMatchObject({
      status: 400,
      param: "response_format",
    });
  });
});

describe("Mistral", () => {
  const model = "mistral/voxtral-mini-latest";
  const reply = {
    model: "voxtral",
    text: "Hi",
    language: "en",
    segments: [{ type: "transcription_segment", start: 0, end: 2.5, text: "Hi" }],
    usage: { prompt_audio_seconds: 3, prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
  };

  test("gets only what it knows", async () => {
    upstream.on("*", { json: { ...reply, segments: [] } });
    const before = ledger().length;
    const answer = await asks(model, ["language", "en"], ["prompt", "names"], ["temperature", "0.5"]);
    expect(await answer.json()).toMatchObject({ text: "Hi" });
    expect(lossesOf(answer)).toBe("dropped;field=prompt");
    expect(await textsSeen()).toEqual([
      ["model", "voxtral-mini-latest"],
      ["language", "en"],
      ["temperature", "0.5"],
    ]);
    expect(ledger()[before]).toMatchObject({ inputTokens: 4, outputTokens: 5 });
  });

  test("is asked for the times of segments where they are wanted", async () => {
    upstream.on("*", { json: reply });
    const answer = await asks(model, format("srt"), ["language", "en"]);
    expect(await answer.text()).toBe(srt);
    expect(lossesOf(answer)).toBe("dropped;field=language");
    expect(await textsSeen()).toEqual([
      ["model", "voxtral-mini-latest"],
      ["timestamp_granularities[]", "segment"],
    ]);
  });

  test("tells no times of words", async () => {
    upstream.on("*", { json: reply });
    const answer = await asks(model, format("verbose_json"), ["timestamp_granularities[]", "word"]);
    expect(lossesOf(answer)).toBe("approximated;field=timestamp_granularities");
    expect((await translates(model)).status).toBe(400);
  });
});

describe("SiliconFlow", () => {
  const model = "siliconflow/FunAudioLLM/SenseVoiceSmall";

  test("gets a file and a model", async () => {
    upstream.on("*", { json: { text: "Hi" } });
    const answer = await asks(model, format("text"), ["temperature", "0"]);
    expect(await answer.text()).toBe("Hi\n");
    expect(lossesOf(answer)).toBe("dropped;field=temperature");
    expect(await textsSeen()).toEqual([["model", "FunAudioLLM/SenseVoiceSmall"]]);
  });

  test.each(["srt", "vtt", "verbose_json", "diarized_json"])("cannot make %s", async (wanted) => {
    expect(await errorOf(await asks(model, format(wanted)))).toMatchObject({ status: 400, param: "response_format" });
  });
});

test("OpenAI's models on Azure have their deployment in the path", async () => {
  upstream.on("*", { json: { text: "Hi" } });
  expect((await asks("azure/whisper")).status).toBe(200);
  expect(`${lastRequest().path}?${lastRequest().query}`).toBe(
    "/openai/deployments/whisper/audio/transcriptions?api-version=2025-03-01-preview",
  );
  expect(await textsSeen()).toEqual([["model", "whisper"]]);
});
