// OpenAI's videos as an upstream: the form that it is sent, and what its objects say.
import { expect, test } from "bun:test";
import type { VideoImage, VideoRequest } from "../../../src/canonical/video.ts";
import { openaiVideos } from "../../../src/dialects/video/index.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, pixel, plainVideo, renderContext, upstreamTask } from "./setting.ts";

const render = (change: Partial<VideoRequest>, model = "sora-2") =>
  openaiVideos.render({ ...plainVideo, ...change }, { ...renderContext, model });
const fieldsOf = (change: Partial<VideoRequest>, model?: string): Record<string, unknown> =>
  Object.fromEntries(
    (render(change, model).call.form ?? []).map((part) => [part.name, "value" in part ? part.value : part.fileName]),
  );
const image = (source: VideoImage["source"], role: VideoImage["role"] = "first"): VideoImage => ({
  role,
  source,
  path: "image",
});
const video = (change: object) => ({
  id: "video_up",
  object: "video",
  model: "sora-2",
  status: "queued",
  progress: 0,
  created_at: 1_700_000_000,
  seconds: "4",
  size: "720x1280",
  ...change,
});

test("a submit is a form with the length and the size that are nearest to what was wanted", () => {
  expect(fieldsOf({})).toEqual({ model: "sora-2", prompt: "a cat", seconds: "4", size: "720x1280" });
  expect(fieldsOf({ seconds: 5.9 })).toMatchObject({ seconds: "4" });
  expect(fieldsOf({ seconds: 6 })).toMatchObject({ seconds: "8" });
  expect(fieldsOf({ seconds: 100 })).toMatchObject({ seconds: "12" });
  expect(fieldsOf({ width: 1920, height: 1080 })).toMatchObject({ size: "1280x720" });
  expect(fieldsOf({ ratio: "9:16" })).toMatchObject({ size: "720x1280" });
  expect(fieldsOf({ ratio: "16:9", resolution: "1080p" }, "sora-2-pro")).toMatchObject({ size: "1792x1024" });
  expect(render({ seconds: 8, width: 1280, height: 720 }).warnings).toEqual([]);
  expect(render({ seconds: 7, width: 1000, seed: 1, negativePrompt: "dogs", audio: false }).warnings).toEqual([
    { code: "dropped", path: "negativePrompt" },
    { code: "dropped", path: "seed" },
    { code: "dropped", path: "audio" },
    { code: "approximated", path: "seconds" },
    { code: "approximated", path: "size" },
  ]);
});

test("one image goes as a file, an address or an id; what it cannot take is refused by its path", () => {
  const bytes = { kind: "bytes", mediaType: "image/png", bytes: pixel } as const;
  expect(render({ images: [image(bytes)] }).call.form?.at(-1)).toEqual({
    name: "input_reference",
    fileName: "image.png",
    type: "image/png",
    bytes: pixel,
  });
  const url = { kind: "url", url: "https://example.com/a.png" } as const;
  expect(fieldsOf({ images: [image(url)] })).toMatchObject({ "input_reference[image_url]": url.url });
  expect(fieldsOf({ images: [image({ kind: "file", id: "f1" })] })).toMatchObject({ "input_reference[file_id]": "f1" });
  for (const images of [[image(url), image(url)], [image(url, "last")], [image({ ...bytes, mediaType: "image/gif" })]])
    expect(thrown(() => render({ images }))).toMatchObject({ kind: "unsupported_parameter", param: "image" });
  expect(thrown(() => openaiVideos.render({ ...plainVideo, prompt: undefined as never }, renderContext))).toMatchObject(
    {
      kind: "missing_required_parameter",
      param: "prompt",
    },
  );
});

test("an accepted submit names its video; anything else is an error", () => {
  expect(openaiVideos.accepted(answered(200, video({})))).toMatchObject({
    upstreamId: "video_up",
    progress: { state: "queued", percent: 0, effect: { seconds: 4, width: 720, height: 1280 } },
  });
  for (const body of ["hello", {}, { id: "" }, []])
    expect(thrown(() => openaiVideos.accepted(answered(200, body)))).toMatchObject({ kind: "upstream_protocol_error" });
  const refused = { error: { message: "no", type: "invalid_request_error", code: "moderation_blocked", param: null } };
  expect(thrown(() => openaiVideos.accepted(answered(200, refused)))).toMatchObject({ kind: "upstream_rejected" });
});

test("a poll tells the state, an unknown word changes nothing, and an unknown video is gone", () => {
  const progress = (status: number, body: unknown) => openaiVideos.progress(answered(status, body), upstreamTask);
  expect(progress(200, video({ status: "in_progress", progress: 40 }))).toMatchObject({
    state: "in_progress",
    percent: 40,
  });
  expect(progress(200, video({ status: "completed", expires_at: 1_700_000_100, seconds: "8" }))).toMatchObject({
    state: "completed",
    results: [{ place: { kind: "content" }, seconds: 8, expiresAtMs: 1_700_000_100_000 }],
  });
  expect(
    progress(200, video({ status: "failed", error: { code: "moderation_blocked", message: "no" } })),
  ).toMatchObject({
    state: "failed",
    failure: { code: "moderation_blocked", message: "no" },
  });
  const strange = progress(200, video({ status: "daydreaming" }));
  expect(strange).toMatchObject({ unknownStatus: "daydreaming" });
  expect(strange?.state).toBeUndefined();
  expect(progress(404, { error: { message: "gone" } })).toEqual({ isGone: true });
  for (const [status, body] of [
    [500, video({})],
    [200, "no object"],
    [401, {}],
  ] as const)
    expect(progress(status, body)).toBeNull();
});

test("ids are escaped in every path", () => {
  const { poll, content, remove, remix } = openaiVideos;
  expect(poll(upstreamTask)).toEqual({ method: "GET", path: "videos/up%2F1", body: {} });
  expect(content?.(upstreamTask, { kind: "content" }, "thumbnail")?.path).toBe(
    "videos/up%2F1/content?variant=thumbnail",
  );
  expect(content?.(upstreamTask, { kind: "content" }, "poster")).toBeNull();
  expect(remove?.(upstreamTask)).toEqual({ method: "DELETE", path: "videos/up%2F1", body: {} });
  expect(remix?.(upstreamTask, "a dog").call).toEqual({ path: "videos/up%2F1/remix", body: { prompt: "a dog" } });
});

test("a model without a row is sent what the client said, and nothing else", () => {
  const ask = { ...plainVideo, seconds: 7, width: 640, height: 360 };
  const { call, warnings, effect } = openaiVideos.render(ask, { ...renderContext, model: "wan-local" });
  expect(call.form?.map((part) => ("value" in part ? `${part.name}=${part.value}` : part.name))).toEqual([
    ...["model=wan-local", "prompt=a cat", "seconds=7", "size=640x360"],
  ]);
  expect(warnings).toEqual([{ code: "unverified", path: "model" }]);
  expect(effect).toEqual({ seconds: 7, width: 640, height: 360 });
  const plain = openaiVideos.render(plainVideo, { ...renderContext, model: "wan-local" });
  expect(plain.call.form).toHaveLength(2);
});
