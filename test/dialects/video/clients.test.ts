// Client formats into canon: the same wish in four spellings, numbers as texts, images in every carrier.
import { expect, test } from "bun:test";
import type { VideoClient } from "../../../src/dialects/video/client.ts";
import {
  jimengVideo,
  klingImageVideo,
  klingTextVideo,
  openaiVideo,
  videoGenerations,
} from "../../../src/dialects/video/index.ts";
import { validate } from "../../../src/http/validate.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { thrown } from "../../support/sample-requests.ts";
import { pixel } from "./setting.ts";

const base64 = Buffer.from(pixel).toString("base64");
const url = "https://example.com/a.png";
const address = { kind: "url", url } as const;
const bytes = { kind: "bytes", mediaType: "image/png", bytes: pixel } as const;

function parse(client: VideoClient, wire: JsonObject, files?: { field: string; bytes: Uint8Array }[]) {
  validate(client.schema, wire);
  const uploads = files?.map((file) => ({ ...file, name: "a.png", type: "image/png" }));
  return client.parse(wire, { header: () => null, params: {}, ...(uploads === undefined ? {} : { files: uploads }) });
}

test("one wish, four spellings", () => {
  const common = { prompt: "a cat", seconds: 5, negativePrompt: "dogs", ratio: "9:16" };
  const metadata = { negative_prompt: "dogs", aspect_ratio: "9:16" };
  const rest = { prompt: "a cat", negative_prompt: "dogs", aspect_ratio: "9:16" };
  const rows: [VideoClient, JsonObject][] = [
    [videoGenerations, { model: "m", prompt: "a cat", duration: 5, metadata }],
    [videoGenerations, { model: "m", prompt: "a cat", duration: "5", metadata }],
    [klingTextVideo, { model_name: "m", duration: "5", ...rest }],
    [jimengVideo, { req_key: "m", frames: 121, ...rest }],
    [openaiVideo, { model: "m", seconds: "5", ...rest }],
    [openaiVideo, { model: "m", seconds: 5, prompt: "a cat", metadata }],
  ];
  for (const [client, wire] of rows)
    expect(parse(client, wire)).toMatchObject({ model: "m", n: 1, images: [], ...common });
});

test("images in every carrier", () => {
  const rows: [VideoClient, JsonObject, object[]][] = [
    [videoGenerations, { image: url }, [{ role: "first", source: address, path: "image" }]],
    [
      videoGenerations,
      { metadata: { image: base64, image_tail: url } },
      [
        { role: "first", source: bytes, path: "metadata.image" },
        { role: "last", source: address, path: "metadata.image_tail" },
      ],
    ],
    [
      videoGenerations,
      { image: url, metadata: { images: [url] } },
      [
        { role: "first", path: "image" },
        { role: "reference", path: "metadata.images[0]" },
      ],
    ],
    [
      klingImageVideo,
      { image: base64, image_tail: url },
      [
        { role: "first", source: bytes, path: "image" },
        { role: "last", source: address, path: "image_tail" },
      ],
    ],
    [jimengVideo, { image_urls: [url, url] }, [{ role: "first" }, { role: "last", path: "image_urls[1]" }]],
    [jimengVideo, { binary_data_base64: [base64] }, [{ role: "first", source: bytes }]],
    [openaiVideo, { input_reference: { image_url: url } }, [{ source: address, path: "input_reference.image_url" }]],
    [openaiVideo, { input_reference: { file_id: "f" } }, [{ source: { kind: "file", id: "f" } }]],
    [openaiVideo, { input_reference: url }, [{ source: address }]],
  ];
  for (const [client, wire, images] of rows)
    expect(parse(client, { model: "m", req_key: "m", ...wire }).images).toMatchObject(images as never);
  expect(parse(openaiVideo, { prompt: "x" }, [{ field: "input_reference", bytes: pixel }]).images).toMatchObject([
    { source: bytes },
  ]);
});

test("modes, sound, frames and chance", () => {
  expect(parse(klingTextVideo, { model: "m", prompt: "x", mode: "pro", sound: "on" })).toMatchObject({
    resolution: "1080p",
    audio: true,
    metadata: { mode: "pro" },
  });
  expect(parse(jimengVideo, { req_key: "m", prompt: "x", frames: 241, seed: -1 })).toMatchObject({ seconds: 10 });
  expect(parse(jimengVideo, { req_key: "m", prompt: "x", seed: -1 }).seed).toBeUndefined();
  expect(parse(openaiVideo, { prompt: "x", size: "1280x720" })).toMatchObject({
    model: "sora-2",
    width: 1280,
    height: 720,
  });
  expect([klingTextVideo.alias?.("videoA-v2-1"), klingTextVideo.alias?.("other")]).toEqual(["kling-v2-1", "other"]);
});

test("a request may leave out its model", () => {
  for (const client of [videoGenerations, klingTextVideo, jimengVideo])
    expect(parse(client, { prompt: "x" })).toMatchObject({ model: "", unnamed: true });
  expect(parse(openaiVideo, { prompt: "x" })).toMatchObject({ model: "sora-2", unnamed: true });
});

test("what makes no sense names its field, a row on each side of each bound", () => {
  const rows: [VideoClient, JsonObject, string][] = [
    [videoGenerations, { model: "m" }, "prompt"],
    [videoGenerations, { model: "m", prompt: "x", width: 0 }, "width"],
    [videoGenerations, { model: "m", prompt: "x", width: 1.5 }, "width"],
    [videoGenerations, { model: "m", prompt: "x", n: 0 }, "n"],
    [videoGenerations, { model: "m", prompt: "x", duration: "soon" }, "duration"],
    [videoGenerations, { model: "m", prompt: "x", duration: 0 }, "duration"],
    [videoGenerations, { model: "m", prompt: "x", metadata: "y" }, "metadata"],
    [klingTextVideo, { model: "m", image: url }, "prompt"],
    [klingImageVideo, { model: "m", prompt: "x" }, "image"],
    [klingTextVideo, { model: "m", prompt: "x", cfg_scale: 1.1 }, "cfg_scale"],
    [jimengVideo, { req_key: "m", image_urls: [url], binary_data_base64: [base64] }, "image_urls"],
    [jimengVideo, { req_key: "m", image_urls: [5] }, "image_urls[0]"],
    [openaiVideo, {}, "prompt"],
    [openaiVideo, { prompt: "x", size: "big" }, "size"],
    [openaiVideo, { prompt: "x", seconds: "-4" }, "seconds"],
    [openaiVideo, { prompt: "x", input_reference: {} }, "input_reference.image_url"],
    [openaiVideo, { prompt: "x".repeat(32_001) }, "prompt"],
  ];
  for (const [client, wire, param] of rows)
    expect({ wire, ...thrown(() => parse(client, wire)) }).toMatchObject({ status: 400, param });
  expect(parse(openaiVideo, { prompt: "x".repeat(32_000) }).prompt).toHaveLength(32_000);
  expect(parse(klingTextVideo, { model: "m", prompt: "x", cfg_scale: 1 }).metadata).toMatchObject({ cfg_scale: 1 });
});
