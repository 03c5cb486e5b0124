// Speech and transcription against what OpenAI's and ElevenLabs' own packages declare: voices, formats, fields and bounds.
import { describe, expect, test } from "bun:test";
import { audioFormats, standardVoices } from "../../src/canonical/speech.ts";
import { openaiSpeech } from "../../src/dialects/index.ts";
import { publishedTypes } from "../support/model-types.ts";
import { errorOf, lossesOf, mp3, plain, samples } from "./sounds.ts";
import { stage } from "./stage.ts";
import { formOf, formSeen, wavFile } from "./transcription-forms.ts";

const { upstream, speak, transcribe } = await stage();

describe("OpenAI's types", async () => {
  interface Speech {
    readonly members: string[];
    readonly models: string[];
    readonly voices: string[];
    readonly responseFormats: string[];
    readonly streamFormats: string[];
    readonly speed: [least: number, most: number];
    readonly maxCharacters: number;
  }
  const { speech } = await publishedTypes<{ speech: Speech }>("openai");

  test("have the voices, formats and fields of this format, and no others", () => {
    expect(standardVoices.toSorted()).toEqual(speech.voices.toSorted());
    expect<string[]>([...audioFormats].sort()).toEqual(speech.responseFormats.toSorted());
    const { properties } = openaiSpeech.request.schema as unknown as { properties: object };
    expect(Object.keys(properties).sort()).toEqual(speech.members.toSorted());
  });

  test.each([
    ["the slowest", { speed: speech.speed[0] }, null],
    ["slower", { speed: speech.speed[0] - 0.01 }, "speed"],
    ["the fastest", { speed: speech.speed[1] }, null],
    ["faster", { speed: speech.speed[1] + 0.01 }, "speed"],
    ["the longest", { input: "a".repeat(speech.maxCharacters) }, null],
    ["longer", { input: "a".repeat(speech.maxCharacters + 1) }, "input"],
    ["another format", { response_format: "ogg" }, "response_format"],
    ["another stream", { stream_format: "chunked" }, "stream_format"],
  ])("bound what is accepted: %s", async (_case, body, param) => {
    upstream.on("*", plain(mp3, "audio/mpeg"));
    const answer = await speak({ model: "groq/tts", ...body });
    if (param !== null) return expect(await errorOf(answer)).toMatchObject({ status: 400, param });
    expect([answer.status, await answer.bytes()]).toEqual([200, expect.anything()]);
  });

  test.each([
    ...speech.models.flatMap((model) => speech.voices.map((voice) => ({ model, voice }))),
    ...speech.responseFormats.map((response_format) => ({ model: "tts-1", response_format })),
    ...speech.streamFormats.map((stream_format) => ({ model: "gpt-4o-mini-tts", stream_format })),
  ])("are sent to a provider with this format as they are: %j", async (fields) => {
    upstream.on("*", plain(mp3, "audio/mpeg"));
    const answer = await speak({ ...fields, model: `azure/${fields.model}` });
    await answer.bytes();
    expect([answer.status, lossesOf(answer)]).toEqual([200, null]);
    expect(upstream.requests.at(-1)?.json).toMatchObject(fields);
  });
});

describe("ElevenLabs' types", async () => {
  interface Published {
    readonly speech: { members: string[]; voiceSettings: string[]; outputFormats: string[] };
    readonly voice: { members: string[] };
    readonly transcription: { members: string[]; timestampsGranularity: string[]; response: string[]; word: string[] };
  }
  const { speech, voice, transcription } = await publishedTypes<Published>("elevenlabs");
  const listed = { voice_id: "v1", name: "Ada - calm", category: "premade", labels: { gender: "female" } };

  test.each(
    ["mp3", "opus", "wav", "pcm"].flatMap((response_format) =>
      [0.25, 1, 4].map((speed) => ({ response_format, speed })),
    ),
  )("have every field that is sent: %j", async (fields) => {
    upstream.on("GET /v1/voices", { json: { voices: [listed] } });
    upstream.on("*", fields.response_format === "mp3" ? plain(mp3, "audio/mpeg") : plain(samples, "audio/pcm"));
    const answer = await speak({ model: "elevenlabs/eleven_v3", ...fields });
    await answer.bytes();
    expect(answer.status).toBe(200);
    const sent = upstream.requests.at(-1);
    const { voice_settings: settings = {}, ...body } = (sent?.json ?? {}) as { voice_settings?: object };
    expect(Object.keys(body).filter((name) => !speech.members.includes(name))).toEqual([]);
    expect(Object.keys(settings).filter((name) => !speech.voiceSettings.includes(name))).toEqual([]);
    expect(speech.outputFormats).toContain(sent?.query.get("output_format") ?? "");
  });

  test("have every field of a voice that is read", () => {
    expect(Object.keys(listed).filter((name) => !voice.members.includes(name))).toEqual([]);
  });

  test.each(["json", "verbose_json", "srt", "diarized_json"])("of transcription, as %s", async (format) => {
    const word = { text: "Hi", start: 0, end: 1, type: "word", speaker_id: "speaker_0", logprob: 0 };
    const reply = {
      ...{ language_code: "eng", language_probability: 1, text: "Hi", audio_duration_secs: 1 },
      words: [word],
    };
    expect(Object.keys(word).filter((name) => !transcription.word.includes(name))).toEqual([]);
    expect(Object.keys(reply).filter((name) => !transcription.response.includes(name))).toEqual([]);
    upstream.on("*", { json: reply });
    const fields: [string, string][] = [
      ["model", "elevenlabs/scribe_v2"],
      ["response_format", format],
      ["language", "en"],
      ["temperature", "0.5"],
    ];
    const answer = await transcribe(formOf([...fields, ["file", wavFile]]));
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Hi")]);
    const [request] = upstream.requests;
    if (request === undefined) throw new Error("nothing was asked");
    const sent = await formSeen(request);
    expect(sent.map(([name]) => name).filter((name) => !transcription.members.includes(name))).toEqual([]);
    const granularity = sent.find(([name]) => name === "timestamps_granularity")?.[1];
    expect(transcription.timestampsGranularity).toContain(String(granularity));
  });
});
