// Transcription and translation from an OpenAI-style upstream: forms of every spelling, all forms of reply, streams, the ledger.
import { describe, expect, test } from "bun:test";
import { setting } from "../http/setting.ts";
import { openaiClient } from "../support/clients.ts";
import { ledgerRows } from "../support/ledger.ts";
import { formOf, formSeen, type Part, smallest, wav, wavFile } from "./transcription-forms.ts";

const { world, bearer, send } = await setting();
const ledger = () => ledgerRows(world.gateway.dataFolder) as unknown as Record<string, unknown>[];
const { alpha } = world.upstreams;
const openai = openaiClient(world.gateway.url, world.gateway.key);
const path = "POST /v1/audio/transcriptions";
const translations = "POST /v1/audio/translations";
const bare = { text: "Hello there." };

const transcribe = (parts: readonly Part[], to = "/v1/audio/transcriptions") =>
  send(to, { method: "POST", headers: bearer, body: formOf(parts) });

test("the SDK's form goes on with everything that it says", async () => {
  alpha.on(path, { json: bare });
  const reply = await openai.audio.transcriptions.create({
    ...{ model: "gpt-x", file: wavFile, language: "de", prompt: "Turnpike", temperature: 0.5, response_format: "json" },
    timestamp_granularities: ["word", "segment"],
    include: ["logprobs"],
    chunking_strategy: { type: "server_vad", threshold: 0.5 },
  });
  expect(reply.text).toBe(bare.text);
  const [requested] = alpha.requests;
  if (requested === undefined) throw new Error("nothing was asked");
  const seen = await formSeen(requested);
  expect(seen).toHaveLength(11);
  for (const part of [
    ["model", "gpt-x"],
    ["temperature", "0.5"],
    ["timestamp_granularities[]", "word"],
    ["timestamp_granularities[]", "segment"],
    ["include[]", "logprobs"],
    ["chunking_strategy[type]", "server_vad"],
    ["chunking_strategy[threshold]", "0.5"],
    ["file", expect.objectContaining({ name: "talk.wav" })],
  ] as [string, unknown][])
    expect(seen).toContainEqual(part);
  expect(requested.text).toContain('filename="talk.wav"\r\nContent-Type: audio/wav\r\n');
});

describe("lists of granularities", () => {
  test.each<{ parts: Part[] }>([
    {
      parts: [
        ["timestamp_granularities[]", "word"],
        ["timestamp_granularities[]", "segment"],
      ],
    },
    {
      parts: [
        ["timestamp_granularities", "word"],
        ["timestamp_granularities", "segment"],
      ],
    },
    {
      parts: [
        ["timestamp_granularities[0]", "word"],
        ["timestamp_granularities[1]", "segment"],
      ],
    },
    { parts: [["timestamp_granularities", '["word","segment"]']] },
    { parts: [["timestamp_granularities", "word,segment"]] },
    { parts: [["timestamp_granularities", "word, segment"]] },
  ])("case %# means both", async ({ parts }) => {
    alpha.on(path, { json: bare });
    expect((await transcribe([...smallest, ...parts])).status).toBe(200);
    const seen = await formSeen(alpha.requests[0]!);
    expect(seen.filter(([name]) => name.startsWith("timestamp"))).toEqual([
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
    ]);
  });
});

test("texts may stand before the file and behind it, and unknown ones travel on", async () => {
  alpha.on(path, { json: bare });
  const orders: Part[][] = [
    [
      ["file", wavFile],
      ["future", "7"],
      ["model", "gpt-x"],
    ],
    [
      ["model", "gpt-x"],
      ["future", "7"],
      ["file", wavFile],
    ],
  ];
  for (const [index, parts] of orders.entries()) {
    expect((await transcribe(parts)).status).toBe(200);
    expect(await formSeen(alpha.requests[index]!)).toContainEqual(["future", "7"]);
  }
});

const verbose = {
  ...{ task: "transcribe", language: "english", duration: 8.47, text: "Hello there." },
  segments: [
    {
      id: 0,
      seek: 0,
      start: 0,
      end: 2.5,
      text: "Hello there.",
      tokens: [1],
      temperature: 0,
      avg_logprob: -0.2,
      compression_ratio: 1,
      no_speech_prob: 0,
    },
  ],
  usage: { type: "duration", seconds: 9 },
};
const diarized = {
  task: "transcribe",
  duration: 2,
  text: "Hi",
  segments: [{ type: "transcript.text.segment", id: "seg_001", start: 0, end: 2, text: "Hi", speaker: "A" }],
};

describe("forms of reply", () => {
  test.each<{ format: string; reply: { json?: unknown; text?: string }; type: string }>([
    { format: "json", reply: { json: { ...bare, usage: { type: "duration", seconds: 9 } } }, type: "application/json" },
    { format: "verbose_json", reply: { json: verbose }, type: "application/json" },
    { format: "diarized_json", reply: { json: diarized }, type: "application/json" },
    { format: "text", reply: { text: "Hello there.\n" }, type: "text/plain" },
    { format: "srt", reply: { text: "1\n00:00:00,000 --> 00:00:02,500\nHi\n\n" }, type: "text/plain" },
    { format: "vtt", reply: { text: "WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nHi\n\n" }, type: "text/plain" },
  ])("$format goes on byte for byte", async ({ format, reply, type }) => {
    alpha.on(path, reply);
    const answer = await transcribe([...smallest, ["response_format", format]]);
    expect({ status: answer.status, type: answer.headers.get("content-type") }).toEqual({
      status: 200,
      type: `${type}; charset=utf-8`,
    });
    expect(await answer.text()).toBe(reply.text ?? JSON.stringify(reply.json));
    expect(await formSeen(alpha.requests[0]!)).toContainEqual(["response_format", format]);
  });

  test("the SDK reads text as text", async () => {
    alpha.on(path, { text: "Hello there.\n" });
    const text = await openai.audio.transcriptions.create({ model: "gpt-x", file: wavFile, response_format: "text" });
    expect(text as unknown).toBe("Hello there.\n");
  });

  test("a page, nothing and nonsense are no reply", async () => {
    for (const reply of [
      { text: "<html>", headers: { "content-type": "text/html" } },
      { json: { words: [] } },
      { text: "RIFF", headers: { "content-type": "audio/wav" } },
    ]) {
      alpha.on(path, reply);
      expect((await transcribe([...smallest, ["response_format", "text"]])).status).toBe(502);
    }
  });
});

describe("streams", () => {
  const frames = ["Hel", "lo"].map((delta) => `data: ${JSON.stringify({ type: "transcript.text.delta", delta })}\n\n`);
  const tokens = { type: "tokens", input_tokens: 14, output_tokens: 3, total_tokens: 17 };
  const done = `data: ${JSON.stringify({ type: "transcript.text.done", text: "Hello", usage: tokens })}\n\n`;
  const streaming: Part[] = [...smallest, ["stream", "true"]];

  test("go on untouched", async () => {
    alpha.on(path, { frames: [...frames, done] });
    const before = ledger().length;
    const reply = await transcribe(streaming);
    expect(reply.headers.get("content-type")).toStartWith("text/event-stream");
    expect(await reply.text()).toBe([...frames, done].join(""));
    expect(ledger()[before]).toMatchObject({ inputTokens: 14, outputTokens: 3, stream: true });
  });

  test("are told from a whole reply where the upstream does not care", async () => {
    for (const reply of [{ json: { ...bare, usage: { type: "duration", seconds: 3 } } }, { text: "Hello there.\n" }]) {
      alpha.on(path, reply);
      const result = await (await transcribe(streaming)).text();
      const events = result
        .trim()
        .split("\n\n")
        .map((frame) => JSON.parse(frame.slice("data: ".length)) as object);
      expect(events).toMatchObject([
        { type: "transcript.text.delta", delta: "Hello there." },
        { type: "transcript.text.done", text: "Hello there." },
      ]);
    }
  });

  test("are events for the SDK", async () => {
    alpha.on(path, { frames: [...frames, done] });
    const stream = await openai.audio.transcriptions.create({ model: "gpt-x", file: wavFile, stream: true });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(["transcript.text.delta", "transcript.text.delta", "transcript.text.done"]);
  });

  test("that stop without their end say so", async () => {
    alpha.on(path, { frames });
    expect(await (await transcribe(streaming)).text()).toContain('"error"');
  });

  test("`false` is no stream", async () => {
    alpha.on(path, { json: bare });
    expect((await transcribe([...smallest, ["stream", "false"]])).headers.get("content-type")).toStartWith(
      "application/json",
    );
  });
});

describe("the ledger", () => {
  test.each([
    {
      reply: { json: { ...bare, usage: { type: "duration", seconds: 9 } } },
      row: { audioMs: 9_000, estimated: false },
    },
    { reply: { json: verbose }, row: { audioMs: 9_000, estimated: false } },
    {
      reply: { json: { ...verbose, usage: undefined } },
      row: { audioMs: 8_470, estimated: false },
    },
    {
      reply: { json: { ...bare, usage: { type: "tokens", input_tokens: 5, output_tokens: 2 } } },
      row: { audioMs: 0, inputTokens: 5, outputTokens: 2, estimated: false },
    },
    { reply: { json: bare }, row: { audioMs: 250, inputTokens: 0, estimated: true } },
    { reply: { text: "Hello" }, row: { audioMs: 250, inputTokens: 0, estimated: true } },
  ])("case %# counts what was told, or the recording itself", async ({ reply, row }) => {
    alpha.on(path, reply);
    const before = ledger().length;
    await (await transcribe(smallest)).text();
    expect(ledger()[before]).toMatchObject({ state: "completed", operation: "transcribe", ...row });
  });
});

describe("translations", () => {
  test("have a path of their own, and any form of reply", async () => {
    alpha.on(translations, { json: bare }, { text: "Hello" });
    expect((await openai.audio.translations.create({ model: "gpt-x", file: wavFile })).text).toBe(bare.text);
    const answer = await transcribe([...smallest, ["response_format", "karaoke"]], "/v1/audio/translations");
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: "Hello" });
    expect(await formSeen(alpha.requests[1]!)).toContainEqual(["response_format", "karaoke"]);
  });

  test("count seconds too", async () => {
    alpha.on(translations, { json: { ...verbose, task: "translate" } });
    const before = ledger().length;
    await (await transcribe([...smallest, ["response_format", "verbose_json"]], "/v1/audio/translations")).text();
    expect(ledger()[before]).toMatchObject({ operation: "transcribe", audioMs: 9_000 });
  });
});

test("the same dialect on both sides: the form goes on as it came, whatever the bytes say", async () => {
  alpha.on(path, { json: bare });
  await transcribe([
    ["model", "gpt-x"],
    ["file", new File([wav], "talk.mp3", { type: "audio/mpeg" })],
  ]);
  expect(alpha.requests[0]?.text).toContain('filename="talk.mp3"\r\nContent-Type: audio/mpeg\r\n');
});
