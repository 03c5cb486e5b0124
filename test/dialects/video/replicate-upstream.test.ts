// Replicate as an upstream: what it is sent, and what its answers mean.
import { expect, test } from "bun:test";
import { replicateVideos } from "../../../src/dialects/video/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { answered, upstreamTask } from "./setting.ts";
import { dataUri, inline, link, linked, submitsTo } from "./submits.ts";

const { call, body, effect, warnings, refusal } = submitsTo(replicateVideos, "acme/new-video");
const input = (...ask: Parameters<typeof body>): JsonObject => body(...ask).input as JsonObject;
const wire = (text: string, status = 200) => answered(status, JSON.parse(text));
const progress = (text: string, status = 200) => replicateVideos.progress(wire(text, status), upstreamTask);
const version = "5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa";

test("a model has a path, a version has a field", () => {
  expect(call()).toEqual({ path: "models/acme/new-video/predictions", body: { input: { prompt: "a cat" } } });
  expect(call({}, `acme/video:${version}`)).toEqual({
    path: "predictions",
    body: { version, input: { prompt: "a cat" } },
  });
  expect(call({}, version)).toEqual({ path: "predictions", body: { version, input: { prompt: "a cat" } } });
  const served = ["acme/video", `acme/video:${version}`, version, "black-forest-labs/flux-1.1_x"];
  expect(served.filter((model) => !replicateVideos.serves?.(model))).toEqual([]);
  const strange = ["video", "acme/..", "acme/../x", "a/b/c", "acme/x y", "acme/x?y", "acme/", "/x", "../x", ""];
  expect(strange.filter((model) => replicateVideos.serves?.(model))).toEqual([]);
});

test("inputs have the names of the model's family", () => {
  const images = [linked("first"), inline("last")];
  expect(input({ images, seconds: 6, resolution: "1080p" }, "minimax/hailuo-02")).toEqual({
    prompt: "a cat",
    first_frame_image: link,
    last_frame_image: dataUri,
    duration: 6,
    resolution: "1080p",
  });
  expect(input({ images, seconds: 7, negativePrompt: "dogs", audio: true }, "kwaivgi/kling-v2.6")).toEqual({
    prompt: "a cat",
    start_image: link,
    end_image: dataUri,
    negative_prompt: "dogs",
    generate_audio: true,
    duration: 5,
  });
  expect(input({ images, seconds: 7, width: 1920, height: 1080, audio: false }, "google/veo-3.1")).toEqual({
    prompt: "a cat",
    image: link,
    last_frame: dataUri,
    generate_audio: false,
    duration: 8,
    aspect_ratio: "16:9",
    resolution: "1080p",
  });
  expect(input({ fps: 16, seed: 0 }, "wan-video/wan-2.2-t2v-fast")).toMatchObject({ frames_per_second: 16, seed: 0 });
  expect(input({ resolution: "720p" }, "pixverse/pixverse-v5")).toMatchObject({ quality: "720p" });
  expect(input({ images: [linked("reference")] }, "bytedance/seedance-2.0").reference_images).toEqual([link]);
  expect(input({ images, seconds: 7.5 })).toMatchObject({ image: link, last_frame_image: dataUri, duration: 7.5 });
});

test("what a family has no name for is refused or warned about", () => {
  expect(refusal({ images: [linked("last")] }, "wan-video/wan-2.5-i2v")).toBe("unsupported_parameter last");
  expect(refusal({ images: [linked("reference")] })).toBe("unsupported_parameter reference");
  expect(refusal({ prompt: undefined as never })).toBe("missing_required_parameter prompt");
  expect(warnings({ seed: 1, ratio: "9:16", fps: 24, watermark: true, seconds: 8 }, "minimax/video-01")).toEqual([
    "dropped seed",
    "dropped fps",
    "dropped watermark",
    "approximated seconds",
    "dropped ratio",
  ]);
  expect(warnings({ seconds: 5, ratio: "16:9", resolution: "720p", seed: 1 })).toEqual(["unverified model"]);
  expect(effect({ seconds: 7 }, "google/veo-3")).toEqual({ seconds: 8 });
});

test("models whose fields are not the usual ones are asked in their own", () => {
  const portrait = { images: [linked("first")], seconds: 5, width: 720, height: 1280 };
  expect(input(portrait, "openai/sora-2")).toEqual({
    prompt: "a cat",
    input_reference: link,
    seconds: 4,
    aspect_ratio: "portrait",
  });
  expect(effect(portrait, "openai/sora-2")).toEqual({ seconds: 4, audio: true });
  expect(refusal({ images: [linked("reference")] }, "bytedance/seedance-1-pro")).toBe(
    "unsupported_parameter reference",
  );
  expect(input({ images: [linked("reference")] }, "bytedance/seedance-1-lite").reference_images).toEqual([link]);
  expect(input({ ratio: "9:16", resolution: "1080p" }, "wan-video/wan-2.5-t2v")).toEqual({
    prompt: "a cat",
    size: "1080*1920",
  });
  expect(warnings({ ratio: "9:16", resolution: "1080p" }, "wan-video/wan-2.5-t2v")).toEqual([]);
});

test("inputs that a model alone knows pass by name", () => {
  expect(input({ metadata: { guidance_scale: 3, go_fast: true, webhook: link, num_outputs: 4 } })).toEqual({
    guidance_scale: 3,
    go_fast: true,
    prompt: "a cat",
  });
});

const prediction = (members: string) =>
  `{"id":"gm3qorzdhgbfurvjtvhg6dckhu","model":"google/veo-3","version":"hidden","input":{"prompt":"a cat"},"logs":"","created_at":"2023-09-08T16:19:34.765994Z","urls":{"cancel":"https://api.replicate.com/v1/predictions/gm3q/cancel","get":"https://api.replicate.com/v1/predictions/gm3q"},${members}}`;

test("every word of a prediction", () => {
  const word = (status: string) => progress(prediction(`"status":"${status}","output":null,"error":null`));
  expect(["starting", "processing"].map((status) => word(status)?.state)).toEqual(["queued", "in_progress"]);
  for (const status of ["canceled", "aborted"])
    expect(word(status)).toMatchObject({ state: "cancelled", failure: { code: "cancelled" } });
  const url = "https://replicate.delivery/xezq/abc/tmp.mp4";
  const output = (value: string) =>
    progress(prediction(`"status":"succeeded","error":null,"metrics":{"predict_time":74.2},"output":${value}`))
      ?.results;
  expect(output(`"${url}"`)).toEqual([{ place: { kind: "url", url } }]);
  expect(output(`["${url}","${link}"]`)).toHaveLength(2);
  expect(output(`{"video":"${url}"}`)).toEqual([{ place: { kind: "url", url } }]);
  for (const value of ["null", "[]", '"data:video/mp4;base64,AAAA"', '[{"a":1}]']) expect(output(value)).toEqual([]);
  const result = progress(
    prediction(`"status":"succeeded","output":"${url}","metrics":{"video_output_duration_seconds":8}`),
  );
  expect(result?.effect).toEqual({ seconds: 8 });
});

test("failures by their prose", () => {
  const failure = (error: string) =>
    progress(prediction(`"status":"failed","output":null,"error":"${error}"`))?.failure;
  expect(failure("The input or output was flagged as sensitive. Please try again. (E005)")).toMatchObject({
    code: "content_policy_violation",
  });
  expect(failure("Service is temporarily unavailable due to high demand (E003)")?.code).toBe("upstream_overloaded");
  expect(failure("Prediction timed out (E004)")?.code).toBe("upstream_timeout");
  expect(failure("CUDA out of memory")).toEqual({ code: "generation_failed", message: "CUDA out of memory" });
});

test("a submit may be answered with any state of the prediction", () => {
  expect(replicateVideos.accepted(wire(prediction('"status":"starting"'), 201))).toEqual({
    upstreamId: "gm3qorzdhgbfurvjtvhg6dckhu",
    progress: { state: "queued" },
  });
  expect(replicateVideos.cancel?.(upstreamTask)).toEqual({ path: "predictions/up%2F1/cancel", body: {} });
});

test("files of the service's own are fetched with the credential, and nothing else is", () => {
  const own = "https://api.replicate.com/v1/files/abc/download?owner=x&signature=y%3D";
  const [result] = progress(prediction(`"status":"succeeded","output":"${own}"`))?.results ?? [];
  expect(result?.place).toEqual({ kind: "content", ref: "files/abc/download?owner=x&signature=y%3D" });
  const content = (ref: string, variant = "video") =>
    replicateVideos.content?.(upstreamTask, { kind: "content", ref }, variant);
  expect(content("files/abc/download?owner=x")).toEqual({
    method: "GET",
    path: "files/abc/download?owner=x",
    body: {},
  });
  for (const ref of ["", "account", "files/../account", "https://evil.example/files/a"])
    expect(content(ref)).toBeNull();
  expect(content("files/abc", "thumbnail")).toBeNull();
});

test("errors by their status", () => {
  const parse = (status: number, detail: string) =>
    replicateVideos.error.parse(status, { title: "No", detail, status, invalid_fields: [] }, 3_000);
  expect(parse(402, "You have insufficient credit to run this model.")).toMatchObject({ kind: "upstream_credentials" });
  expect(parse(422, "- input.duration must be one of 4, 6, 8")).toMatchObject({
    status: 422,
    code: "invalid_parameter",
  });
  expect(parse(422, "prompt was flagged as sensitive")).toMatchObject({
    status: 400,
    code: "content_policy_violation",
  });
  expect(parse(429, "Request was throttled.")).toMatchObject({ kind: "upstream_rate_limited", retryAfterMs: 3_000 });
  expect(parse(401, "Unauthenticated")).toMatchObject({ kind: "upstream_credentials" });
  expect(parse(404, "The requested resource could not be found.")).toMatchObject({ status: 404 });
});
