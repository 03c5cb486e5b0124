// Speech from an OpenAI-style upstream, through the official SDK and plain fetch: bytes, types, events, bounds and voices.
import { describe, expect, test } from "bun:test";
import { setting } from "../http/setting.ts";
import { at } from "../support/chat-stream-reader.ts";
import { openaiClient } from "../support/clients.ts";
import { ledgerRows, settledRow } from "../support/ledger.ts";

const { world, bearer, send } = await setting();
const ledger = () => ledgerRows(world.gateway.dataFolder) as unknown as Record<string, unknown>[];
const { alpha } = world.upstreams;
const { gateway } = world;
const openai = openaiClient(gateway.url, gateway.key);
const mp3 = Buffer.concat([Buffer.from("fffb9064", "hex"), Buffer.alloc(60, 7)]);
const path = "POST /v1/audio/speech";

const speak = (body: object) =>
  send("/v1/audio/speech", {
    method: "POST",
    headers: { ...bearer, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const least = { model: "gpt-x", input: "hi", voice: "alloy" };
const sound = (bytes: Uint8Array[], type: string) => ({ bytes, headers: { "content-type": type } });

test("the SDK gets the very bytes, and the upstream the very request", async () => {
  alpha.on(path, sound([mp3.subarray(0, 5), mp3.subarray(5)], "audio/mpeg"));
  const requested = { ...least, voice: "nova", speed: 1.5, instructions: "Whisper.", future_field: 7 } as const;
  const reply = await openai.audio.speech.create(requested);
  expect(reply.headers.get("content-type")).toBe("audio/mpeg");
  expect(reply.headers.get("x-turnpike-provider")).toBe("alpha");
  expect(Buffer.from(await reply.arrayBuffer()).equals(mp3)).toBe(true);
  expect(alpha.requests[0]?.json).toEqual({ ...requested, model: "gpt-x" });
});

test("characters are what the ledger counts, and it settles before the last bytes", async () => {
  alpha.on(path, sound([mp3], "audio/mpeg"));
  const before = ledger().length;
  await (await speak({ ...least, input: "héllo 🎵" })).bytes();
  expect(ledger()[before]).toMatchObject({ state: "completed", characters: 7 });
});

test("the type tells what the bytes are, not what was asked for", async () => {
  const wav = Buffer.from(
    "524946462800000057415645666d74201000000001000100c05d000080bb0000020010006461746104000000",
    "hex",
  );
  alpha.on(path, sound([wav], "audio/mpeg"));
  expect((await speak(least)).headers.get("content-type")).toBe("audio/wav");
  alpha.on(path, sound([Buffer.alloc(64, 1)], "application/octet-stream"));
  expect((await speak({ ...least, response_format: "pcm" })).headers.get("content-type")).toBe("audio/pcm");
});

test("samples that are declared stay samples, also where the first looks like the beginning of a frame", async () => {
  for (const beginning of ["fffb", "fff1"]) {
    alpha.on(path, sound([Buffer.concat([Buffer.from(beginning, "hex"), Buffer.alloc(62, 1)])], "audio/pcm"));
    expect((await speak({ ...least, response_format: "pcm" })).headers.get("content-type")).toBe("audio/pcm");
  }
  alpha.on(path, sound([Buffer.concat([Buffer.from("ID3"), Buffer.alloc(61)])], "audio/pcm"));
  expect((await speak({ ...least, response_format: "pcm" })).headers.get("content-type")).toBe("audio/mpeg");
});

test("the first bytes leave before the upstream has finished", async () => {
  const rest = Promise.withResolvers<void>();
  alpha.on(path, { ...sound([mp3, mp3], "audio/mpeg"), gate: rest.promise });
  const reader = (await speak(least)).body!.getReader();
  expect((await reader.read()).value?.length).toBe(mp3.length);
  rest.resolve();
  expect((await reader.read()).value?.length).toBe(mp3.length);
  expect((await reader.read()).done).toBe(true);
});

/** Reads to the end; what the reader was told. */
const endOf = async (reader: { read(): Promise<{ done: boolean }> }): Promise<string> => {
  try {
    while (!(await reader.read()).done);
    return "whole";
  } catch {
    return "broken";
  }
};

test("a cut upstream breaks the connection: no client takes the beginning for the whole", async () => {
  const begun = Promise.withResolvers<void>();
  alpha.on(path, { ...sound([mp3, mp3], "audio/mpeg"), gate: begun.promise, ending: "reset" });
  const before = ledger().length;
  const reader = (await speak(least)).body!.getReader();
  await reader.read();
  begun.resolve();
  expect(await endOf(reader)).toBe("broken");
  expect(await settledRow(gateway.dataFolder, before)).toMatchObject({
    state: "failed",
    characters: [...least.input].length,
  } as object);
});

describe("events", () => {
  const delta = (bytes: Uint8Array) =>
    `data: ${JSON.stringify({ type: "speech.audio.delta", audio: Buffer.from(bytes).toString("base64") })}\n\n`;
  const done =
    'data: {"type":"speech.audio.done","usage":{"input_tokens":14,"output_tokens":101,"total_tokens":115}}\n\n';
  const frames = [
    delta(mp3.subarray(0, 9)),
    'data: {"type":"speech.audio.tomorrow"}\n\n',
    delta(mp3.subarray(9)),
    done,
  ];

  test("from an upstream that speaks them go on untouched", async () => {
    alpha.on(path, { frames });
    const before = ledger().length;
    const reply = await speak({ ...least, stream_format: "sse" });
    expect(reply.headers.get("content-type")).toStartWith("text/event-stream");
    expect(await reply.text()).toBe(frames.join(""));
    expect(ledger()[before]).toMatchObject({ inputTokens: 14, outputTokens: 101 });
  });

  test("are made from bytes where the upstream has none", async () => {
    alpha.on(path, sound([mp3.subarray(0, 20), mp3.subarray(20)], "audio/mpeg"));
    const text = await (await speak({ ...least, stream_format: "sse" })).text();
    const events = text
      .trim()
      .split("\n\n")
      .map((frame) => JSON.parse(frame.slice("data: ".length)));
    expect(events.at(-1)).toMatchObject({ type: "speech.audio.done" });
    const received = events.slice(0, -1).map(({ audio }) => Buffer.from(audio, "base64"));
    expect(Buffer.concat(received).equals(mp3)).toBe(true);
  });

  test("become bytes for a client that wants none", async () => {
    alpha.on(path, { frames });
    const reply = await speak(least);
    expect(reply.headers.get("content-type")).toBe("audio/mpeg");
    expect(Buffer.from(await reply.arrayBuffer()).equals(mp3)).toBe(true);
  });

  test("that stop without their end break the connection", async () => {
    const begun = Promise.withResolvers<void>();
    alpha.on(path, { frames: frames.slice(0, 3), gate: begun.promise });
    const reader = (await speak({ ...least, stream_format: "sse" })).body!.getReader();
    await reader.read();
    begun.resolve();
    expect(await endOf(reader)).toBe("broken");
  });
});

test.each([
  {
    name: "an error with status 200",
    reply: { json: { error: { message: "no", type: "invalid_request_error", code: "x" } } },
    status: 400,
  },
  { name: "a document", reply: { json: { text: "hi" } }, status: 502 },
  { name: "nothing", reply: sound([], "audio/mpeg"), status: 502 },
  {
    name: "a refusal",
    reply: {
      status: 400,
      json: { error: { message: "bad voice", type: "invalid_request_error", param: "voice", code: null } },
    },
    status: 400,
  },
])("$name is an error before the first byte", async ({ reply, status }) => {
  alpha.on(path, reply);
  const answer = await speak(least);
  expect(answer.status).toBe(status);
  expect(Object.keys(at(await answer.json(), "error") as object)).toEqual(["message", "type", "param", "code"]);
});

describe("bounds", () => {
  const many = (text: string, times: number) => text.repeat(times);
  test.each([
    { input: many("a", 4096) },
    { input: many("🎵", 4096) },
    { speed: 0.25 },
    { speed: 4 },
    { speed: null },
    { response_format: "pcm" },
    { response_format: null },
    { voice: "cedar" },
    { voice: { id: "voice_1" } },
  ])("case %# is taken", async (change) => {
    alpha.on(path, sound([mp3], "audio/mpeg"));
    expect((await speak({ ...least, ...change })).status).toBe(200);
  });

  test.each([
    { param: "input", change: { input: many("a", 4097) } },
    { param: "input", change: { input: many("🎵", 4097) } },
    { param: "input", change: { input: "" } },
    { param: "input", change: { input: 7 } },
    { param: "input", change: { input: undefined } },
    { param: "model", change: { model: undefined } },
    { param: "voice", change: { voice: undefined } },
    { param: "voice", change: { voice: "" } },
    { param: "voice", change: { voice: "nobody" } },
    { param: "voice", change: { voice: 7 } },
    { param: "speed", change: { speed: 0.24 } },
    { param: "speed", change: { speed: 4.01 } },
    { param: "speed", change: { speed: "1" } },
    { param: "response_format", change: { response_format: "ogg" } },
    { param: "stream_format", change: { stream_format: "events" } },
  ])("$param, case %#, is refused", async ({ param, change }) => {
    const answer = await speak({ ...least, ...change });
    expect({ status: answer.status, param: at(await answer.json(), "error", "param") }).toEqual({ status: 400, param });
    expect(alpha.requests).toHaveLength(0);
  });
});
