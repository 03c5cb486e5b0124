// Pictures and speech: what a client wishes for, and what those that can make them are asked.
import { describe, expect, test } from "bun:test";
import type { ChatRequest, ChatResponse, OutputModalities } from "../../../src/canonical/chat.ts";
import { collectEvents, streamEventsOf } from "../../../src/canonical/stream-event.ts";
import type { CompatibilityFlags } from "../../../src/dialects/dialect.ts";
import { anthropicMessages, openaiChat, openaiResponses } from "../../../src/dialects/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { writeContextOf } from "../../support/laws.ts";
import { thrown } from "../../support/sample-requests.ts";
import { askOf, clientContext, dialect, parsed, partsOf, rendered, written } from "./bench.ts";

const config = (generationConfig: JsonObject): ChatRequest => parsed({ generationConfig });
const path = "generationConfig.responseModalities";
const voicePath = "generationConfig.speechConfig.voiceConfig.prebuiltVoiceConfig.voiceName";
const spoken = (voiceName: string) => ({ voiceConfig: { prebuiltVoiceConfig: { voiceName } } });
const pixel = "iVBORw0KGgo=";

const variants: [string, JsonObject, OutputModalities | undefined][] = [
  ["text", { responseModalities: ["TEXT"] }, undefined],
  ["a form without the wish", { imageConfig: { aspectRatio: "1:1" } }, undefined],
  ["a picture", { responseModalities: ["Text", "image"] }, { path, image: {} }],
  [
    "a picture of some form",
    { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "16:9", imageSize: "2K" } },
    { path, image: { aspectRatio: "16:9", size: "2K" } },
  ],
  ["speech", { responseModalities: ["AUDIO"] }, { path, speech: {} }],
  [
    "speech in some voice",
    { responseModalities: ["AUDIO"], speechConfig: spoken("Kore") },
    { path, speech: { voice: { name: "Kore", path: voicePath } } },
  ],
];

test.each(variants)("%s is understood", (_, generation, media) => {
  expect(config(generation).media).toEqual(media as OutputModalities);
});

test.each(variants.filter(([, , media]) => media !== undefined))(
  "%s is asked of a server of this dialect",
  (_, wire, media) => {
    const { generationConfig } = rendered({ media: media as OutputModalities }).body as {
      generationConfig: JsonObject;
    };
    expect(config(generationConfig).media).toEqual(media as OutputModalities);
    expect(config(wire).media).toEqual(media as OutputModalities);
  },
);

describe("asked of others", () => {
  const chat = (media: OutputModalities, options?: CompatibilityFlags) =>
    openaiChat.request.render(askOf({ media }), { ...clientContext, ...(options ? { options } : {}) }).call.body;

  test("a picture, where the server makes them", () => {
    expect(chat({ path, image: {} }, { makesImages: true })).toMatchObject({ modalities: ["text", "image"] });
    const form = { aspectRatio: "16:9", size: "2K" };
    expect(chat({ path, image: form }, { makesImages: true })).toMatchObject({
      image_config: { aspect_ratio: "16:9", image_size: "2K" },
    });
    expect(chat({ path, image: {} }, { makesImages: true })).not.toHaveProperty("image_config");
  });

  test("speech, as bare samples in a voice that is known there", () => {
    expect(chat({ path, speech: {} }, { makesSpeech: true })).toMatchObject({
      modalities: ["text", "audio"],
      audio: { voice: "alloy", format: "pcm16" },
    });
    const coral = { voice: { name: "coral", path: voicePath } };
    expect(chat({ path, speech: coral }, { makesSpeech: true })).toMatchObject({ audio: { voice: "coral" } });
    const kore = { voice: { name: "Kore", path: voicePath } };
    expect(thrown(() => chat({ path, speech: kore }, { makesSpeech: true }))).toMatchObject({ param: voicePath });
  });

  const refusals: [string, () => unknown][] = [
    ["a picture of a server that speaks", () => chat({ path, image: {} }, { makesSpeech: true })],
    ["speech of a server that draws", () => chat({ path, speech: {} }, { makesImages: true })],
    ["both of a server that draws", () => chat({ path, image: {}, speech: {} }, { makesImages: true })],
    ["a picture of any server", () => chat({ path, image: {} })],
    ...[openaiResponses, anthropicMessages].map((other): [string, () => unknown] => [
      `a picture of ${other.name}`,
      () => other.request.render(askOf({ media: { path, image: {} } }), clientContext),
    ]),
  ];
  test.each(refusals)("%s is refused by its path", (_, ask) => {
    expect(thrown(ask)).toMatchObject({ kind: "unsupported_parameter", param: path });
  });
});

describe("what comes back", () => {
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } };
  const elsewhere = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
  const images = [image, elsewhere, {}, null];
  const whole = (message: JsonObject, request?: ChatRequest): ChatResponse =>
    openaiChat.response.parse(
      {
        id: "c",
        model: "m",
        choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
      },
      { origin: "o", ...(request ? { request } : {}) },
    );
  const streamed = (...pieces: JsonObject[]): ChatResponse | null => {
    const reader = openaiChat.stream?.reader({ origin: "o" });
    const chunks = [...pieces.map((delta) => ({ delta })), { delta: {}, finish_reason: "stop" }];
    const frames = chunks.map((chunk) => ({
      data: JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, ...chunk }] }),
    }));
    return collectEvents([...frames, { data: "[DONE]" }].flatMap((frame) => reader?.read(frame) ?? []));
  };
  const parts = (response: ChatResponse) => {
    const reply = dialect.response.render(response, writeContextOf(askOf()));
    expect(partsOf(written(streamEventsOf(response)))).toMatchObject(partsOf([reply]));
    return partsOf([reply]);
  };

  test("pictures beside the text, whole and streamed", () => {
    const response = whole({ content: "Here.", images });
    expect(streamed({ content: "Here." }, { content: "", images })?.choices).toEqual(response.choices);
    expect(parts(response)).toEqual([{ text: "Here." }, { inlineData: { mimeType: "image/png", data: pixel } }]);
  });

  test("pictures alone", () => {
    expect(parts(whole({ content: null, images }))).toEqual([{ inlineData: { mimeType: "image/png", data: pixel } }]);
  });

  test("speech in this dialect's own form, whole and streamed", () => {
    const request = askOf({ media: { path, speech: {} } });
    const expected = [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: "AAAA" } }];
    const response = whole({ content: null, audio: { id: "a", data: "AAAA", transcript: "Hi." } }, request);
    expect(parts(response)).toEqual(expected);
    const pieces = streamed({ audio: { id: "a", transcript: "Hi." } }, { audio: { data: "AAAA" } });
    expect(pieces?.choices).toEqual(response.choices);
  });
});
