// Wan on DashScope as an upstream: what each kind of model is sent, and what its tasks tell.
import { expect, test } from "bun:test";
import { wanVideos } from "../../../src/dialects/video/index.ts";
import { wireJson } from "../../support/fixtures.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, upstreamTask } from "./setting.ts";
import { dataUri, inline, link, linked, submitsTo } from "./submits.ts";

const { body, call, effect, refusal, warnings } = submitsTo(wanVideos, "wan2.6-t2v");
const replyOf = (name: string, status = 200) => answered(status, wireJson(`video/wan/${name}.json`));
const progress = (name: string, status = 200) => wanVideos.progress(replyOf(name, status), upstreamTask);
const parameters = (change = {}, model?: string) => body(change, model).parameters;
const first = { images: [linked("first")] };

test("a plain submit asks for a task", () => {
  expect(call()).toEqual({
    path: "api/v1/services/aigc/video-generation/video-synthesis",
    headers: { "x-dashscope-async": "enable" },
    body: { model: "wan2.6-t2v", input: { prompt: "a cat" }, parameters: {} },
  });
  expect(effect()).toEqual({ seconds: 5 });
  expect(warnings()).toEqual([]);
});

test("lengths by the generation; where there is one, it is not said", () => {
  const made = (model: string, change = {}) =>
    [1, 5, 7.4, 7.5, 15, 16].map(
      (seconds) => (parameters({ seconds, ...change }, model) as { duration?: number }).duration,
    );
  expect(made("wan2.6-t2v")).toEqual([2, 5, 7, 8, 15, 15]);
  expect(made("wan2.7-t2v")).toEqual([2, 5, 7, 8, 15, 15]);
  expect(made("wan2.5-t2v-preview")).toEqual([5, 5, 5, 10, 10, 10]);
  expect(made("wan2.2-t2v-plus")).toEqual(Array(6).fill(undefined));
  expect(warnings({ seconds: 6 }, "wan2.2-t2v-plus")).toEqual(["approximated seconds"]);
  expect(warnings({ seconds: 5 }, "wan2.2-t2v-plus")).toEqual([]);
  expect(effect({ seconds: 6 }, "wan2.2-t2v-plus").seconds).toBe(5);
});

test("older models take a size of those that they have", () => {
  const size = (change: object, model = "wan2.5-t2v-preview") => (parameters(change, model) as { size?: string }).size;
  expect(size({ width: 1280, height: 720 })).toBe("1280*720");
  expect(size({ width: 3840, height: 2160 })).toBe("1920*1080");
  expect(size({ ratio: "9:16", resolution: "480p" })).toBe("480*832");
  expect(size({ resolution: "720p" })).toBe("1280*720");
  expect(size({ ratio: "1:1" })).toBe("960*960");
  expect(size({ resolution: "480p" }, "wan2.6-t2v")).toBe("1280*720");
  expect(size({ ratio: "4:3", resolution: "1080p" })).toBe("1632*1248");
  expect(effect({ width: 832, height: 1088 })).toMatchObject({ width: 832, height: 1088, resolution: "720p" });
  expect(warnings({ width: 832, height: 1088 })).toEqual([]);
  expect(warnings({ width: 3840, height: 2160 })).toEqual(["approximated size"]);
  expect(warnings({ ratio: "4:3", resolution: "1080p" })).toEqual([]);
  expect(warnings({ ratio: "21:9", resolution: "480p" })).toEqual(["approximated ratio", "approximated resolution"]);
});

test("a first frame has the shape, and leaves the tier", () => {
  expect(body({ ...first, resolution: "1080p", ratio: "9:16" }, "wan2.6-i2v")).toEqual({
    model: "wan2.6-i2v",
    input: { prompt: "a cat", img_url: link },
    parameters: { resolution: "1080P" },
  });
  expect(warnings({ ...first, resolution: "1080p", ratio: "9:16" }, "wan2.6-i2v")).toEqual(["dropped ratio"]);
  expect(body({ images: [inline("first")] }, "wan2.6-i2v").input).toMatchObject({ img_url: dataUri });
  const tier = (resolution: string, model: string) =>
    (parameters({ ...first, resolution }, model) as { resolution: string }).resolution;
  expect(tier("480p", "wan2.6-i2v")).toBe("720P");
  expect(tier("1080p", "wan2.2-i2v-flash")).toBe("720P");
  expect(tier("720p", "wan2.2-i2v-plus")).toBe("480P");
  expect(tier("4k", "wanx2.1-i2v-turbo")).toBe("720P");
});

test("two frames have a path of their own", () => {
  const images = [linked("first"), inline("last")];
  expect(call({ images }, "wan2.2-kf2v-flash")).toMatchObject({
    path: "api/v1/services/aigc/image2video/video-synthesis",
    body: { input: { first_frame_url: link, last_frame_url: dataUri } },
  });
  expect(refusal(first, "wan2.2-kf2v-flash")).toBe("unsupported_parameter model");
  expect(refusal({ images }, "wan2.6-i2v")).toBe("unsupported_parameter last");
  expect(refusal({}, "wan2.6-i2v")).toBe("unsupported_parameter model");
  expect(refusal(first)).toBe("unsupported_parameter first");
  expect(refusal({ prompt: undefined as never })).toBe("missing_required_parameter prompt");
});

test("references, and the list of media of newer models", () => {
  const references = { images: [linked("reference"), inline("reference")] };
  expect(body({ ...references, ratio: "1:1" }, "wan2.6-r2v")).toMatchObject({
    input: { reference_urls: [link, dataUri] },
    parameters: { size: "960*960" },
  });
  expect(body({ images: [linked("first"), inline("last")], resolution: "720p", ratio: "1:1" }, "wan2.7-i2v")).toEqual({
    model: "wan2.7-i2v",
    input: {
      prompt: "a cat",
      media: [
        { type: "first_frame", url: link },
        { type: "last_frame", url: dataUri },
      ],
    },
    parameters: { resolution: "720P" },
  });
  expect(call({ images: [linked("first"), inline("last")] }, "wan2.7-i2v").path).toEndWith(
    "/video-generation/video-synthesis",
  );
  expect(body({ ...references, ratio: "21:9" }, "wan2.7-r2v")).toMatchObject({
    input: { media: [{ type: "reference_image" }, { type: "reference_image" }] },
    parameters: { ratio: "16:9" },
  });
  expect(parameters({ width: 720, height: 1280 }, "wan2.7-t2v")).toEqual({ resolution: "720P", ratio: "9:16" });
});

test("the rest of what can be said, and what cannot", () => {
  expect(body({ negativePrompt: "dogs", seed: 7, watermark: false, audio: true })).toEqual({
    model: "wan2.6-t2v",
    input: { prompt: "a cat", negative_prompt: "dogs" },
    parameters: { audio: true, watermark: false, seed: 7 },
  });
  expect(warnings({ fps: 24 })).toEqual(["dropped fps"]);
  expect(warnings({ audio: true }, "wan2.2-t2v-plus")).toEqual(["dropped audio"]);
  expect(parameters({ audio: false }, "wan2.7-t2v")).toEqual({});
  expect(warnings({ audio: false }, "wan2.7-t2v")).toEqual(["dropped audio"]);
  expect(warnings({ audio: true }, "wan2.7-t2v")).toEqual([]);
  expect(parameters({ audio: false }, "wan2.2-t2v-plus")).toEqual({});
  expect(warnings({ audio: false }, "wan2.2-t2v-plus")).toEqual([]);
});

test("members of its own go through, flat or in their objects; those that are decided here do not", () => {
  const evil = { model: "x", size: "x", resolution: "x", duration: 99, n: 4, img_url: "x", media: ["x"] };
  const metadata = {
    audio_url: link,
    prompt_extend: false,
    parameters: { shot_type: "multi", ...evil },
    input: { template: "flying", ...evil },
    ...evil,
  };
  expect(body({ metadata })).toEqual({
    model: "wan2.6-t2v",
    input: { audio_url: link, template: "flying", prompt: "a cat" },
    parameters: { prompt_extend: false, shot_type: "multi" },
  });
});

test("a task is accepted with its first word, asked for, and ended", () => {
  expect(wanVideos.accepted(replyOf("accepted"))).toMatchObject({
    upstreamId: "0385dc79-5ff8-4d82-bcb6-xxxxxx",
    progress: { state: "queued" },
  });
  expect(wanVideos.poll(upstreamTask)).toEqual({ method: "GET", path: "api/v1/tasks/up%2F1", body: {} });
  expect(wanVideos.cancel?.(upstreamTask)).toEqual({ path: "api/v1/tasks/up%2F1/cancel", body: {} });
  expect(thrown(() => wanVideos.accepted(replyOf("refused")))).toMatchObject({ code: "content_policy_violation" });
  for (const body of ["hello", [], {}, { output: {} }, { output: { task_id: "" } }])
    expect(thrown(() => wanVideos.accepted(answered(200, body)))).toMatchObject({ kind: "upstream_protocol_error" });
});

test("every word of a task, and what was made in the names of each generation", () => {
  expect(progress("accepted")).toMatchObject({ state: "queued" });
  expect(progress("succeeded")).toEqual({
    state: "completed",
    results: [
      {
        place: { kind: "url", url: "https://dashscope-result.example/xxx.mp4?Expires=xxxx" },
        mediaType: "video/mp4",
        seconds: 10,
        width: 1280,
        height: 720,
        resolution: "720p",
      } as never,
    ],
    effect: { seconds: 10, width: 1280, height: 720, resolution: "720p" },
  });
  expect(progress("succeeded-older")?.effect).toEqual({ seconds: 5, width: 832, height: 480 });
  expect(progress("failed")).toEqual({
    state: "failed",
    failure: { code: "content_policy_violation", message: "Output data may contain inappropriate content." },
  });
  expect(progress("unknown")).toEqual({ isGone: true });
  const word = (task_status: unknown) =>
    wanVideos.progress(answered(200, { output: { task_id: "1", task_status } }), upstreamTask);
  expect(word("running")?.state).toBe("in_progress");
  expect(word("CANCELED")).toMatchObject({ state: "cancelled", failure: { code: "cancelled" } });
  expect(word("SUSPENDED")).toEqual({ unknownStatus: "SUSPENDED" });
  expect(word("SUCCEEDED")).toMatchObject({ state: "completed", results: [] });
  expect(word("")).toBeNull();
  expect(progress("succeeded", 500)).toBeNull();
  expect(wanVideos.progress(answered(404, {}), upstreamTask)).toEqual({ isGone: true });
  for (const [status, body] of [
    [429, { code: "Throttling" }],
    [401, { code: "InvalidApiKey" }],
    [200, "<html>"],
  ] as const)
    expect(wanVideos.progress(answered(status, body), upstreamTask)).toBeNull();
});

test.each([
  [401, "InvalidApiKey", "upstream_credentials"],
  [400, "Arrearage", "upstream_credentials"],
  [403, "AccessDenied", "upstream_credentials"],
  [403, "Model.AccessDenied", "upstream_credentials"],
  [404, "ModelNotFound", "upstream_rejected"],
  [400, "InvalidParameter", "upstream_rejected"],
  [429, "Throttling.RateQuota", "upstream_rate_limited"],
  [500, "InternalError", "upstream_failed"],
  [500, "InternalError.Timeout", "upstream_timeout"],
  [503, "ModelUnavailable", "upstream_overloaded"],
] as const)("status %p with %s means %3$s", (status, code, kind) => {
  expect(wanVideos.error.parse(status, { code, message: "m", request_id: "r" }).kind).toBe(kind);
});
