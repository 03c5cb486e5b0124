// Jimeng as an upstream: the key for each way to use images, what it is sent, and what its answers mean.
import { expect, test } from "bun:test";
import { jimengVideos } from "../../../src/dialects/video/index.ts";
import { wireJson } from "../../support/fixtures.ts";
import { publishedTypes } from "../../support/model-types.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, pixel, plainVideo, renderContext, upstreamTask } from "./setting.ts";
import { inline, link, linked, submitsTo } from "./submits.ts";

const { body, call, effect, refusal, render, warnings } = submitsTo(jimengVideos, "jimeng_v30");
const base64 = Buffer.from(pixel).toString("base64");
const replyOf = (name: string, status = 200) => answered(status, wireJson(`video/jimeng/${name}.json`));
const progress = (name: string, status = 200) => jimengVideos.progress(replyOf(name, status), upstreamTask);
const frames = [linked("first"), linked("last")];

test("a plain submit names the action in the query, and keeps what the question repeats", () => {
  expect(call()).toEqual({
    path: "?Action=CVSync2AsyncSubmitTask&Version=2022-08-31",
    body: { req_key: "jimeng_t2v_v30", prompt: "a cat" },
  });
  const keep = { req_key: "jimeng_t2v_v30", req_json: '{"return_url":true}' };
  expect(render().upstreamState).toEqual(keep);
  expect(effect()).toEqual({ seconds: 5, resolution: "720p", width: 1280, height: 720, audio: false });
  expect(jimengVideos.poll({ ...upstreamTask, upstreamState: keep })).toEqual({
    path: "?Action=CVSync2AsyncGetResult&Version=2022-08-31",
    body: { ...keep, task_id: "up/1" },
  });
});

test("a family is asked by the number of images and the tier, a key as it is", () => {
  const key = (model: string, change = {}) => body(change, model).req_key;
  expect([[], [linked("first")], frames].map((images) => key("jimeng_v30", { images }))).toEqual([
    "jimeng_t2v_v30",
    "jimeng_i2v_first_v30",
    "jimeng_i2v_first_tail_v30",
  ]);
  expect([[], [linked("first")], frames].map((images) => key("jimeng_v30_1080p", { images }))).toEqual([
    "jimeng_t2v_v30_1080p",
    "jimeng_i2v_first_v30_1080",
    "jimeng_i2v_first_tail_v30_1080",
  ]);
  expect(key("jimeng_v30", { resolution: "1080p" })).toBe("jimeng_t2v_v30_1080p");
  expect(key("jimeng_v30_720p", { resolution: "1080p" })).toBe("jimeng_t2v_v30");
  expect(warnings({ resolution: "1080p" }, "jimeng_v30_720p")).toEqual(["approximated resolution"]);
  expect(key("jimeng_v30_pro", { images: [linked("first")] })).toBe("jimeng_ti2v_v30_pro");
  expect(key("jimeng_t2v_v30_1080p")).toBe("jimeng_t2v_v30_1080p");
  expect(key("jimeng_i2v_recamera_v30", { images: [linked("first")] })).toBe("jimeng_i2v_recamera_v30");
  expect(effect({}, "jimeng_v30_pro").resolution).toBe("1080p");
});

test("the actions are those that the vendor's own SDK publishes", async () => {
  const { version, method, path, actions } = await publishedTypes<{
    readonly version: string;
    readonly method: string;
    readonly path: string;
    readonly actions: { readonly submit: string; readonly result: string; readonly date: string };
  }>("volcengine");
  expect(version).toBe("1.0.229");
  const requested = [call(), jimengVideos.poll({ ...upstreamTask, upstreamState: {} })];
  expect(requested.map((each) => [each.method ?? "POST", `${path}${each.path}`])).toEqual([
    [method, `/?Action=${actions.submit}&Version=${actions.date}`],
    [method, `/?Action=${actions.result}&Version=${actions.date}`],
  ]);
});

test("a declared row counts for a family and for a key", () => {
  const made = (model: string, models: RegExp) => {
    const declared = [{ models, capabilities: { durations: [7] as const } }];
    return jimengVideos.render({ ...plainVideo, seconds: 5 }, { ...renderContext, model, declared }).effect.seconds;
  };
  expect(made("jimeng_v30", /^jimeng_v30$/)).toBe(7);
  expect(made("jimeng_v30", /^jimeng_t2v_v30$/)).toBe(7);
  expect(made("jimeng_v30", /^jimeng_v40$/)).toBe(5);
});

test("a key that has no place for an image, or lacks one, refuses", () => {
  expect(refusal({ images: [linked("first")] }, "jimeng_t2v_v30")).toBe("unsupported_parameter first");
  expect(refusal({ images: frames }, "jimeng_i2v_first_v30")).toBe("unsupported_parameter last");
  expect(refusal({ images: frames }, "jimeng_v30_pro")).toBe("unsupported_parameter last");
  expect(refusal({}, "jimeng_i2v_first_v30")).toBe("unsupported_parameter model");
  expect(refusal({ images: [linked("first")] }, "jimeng_i2v_first_tail_v30")).toBe("unsupported_parameter model");
  expect(refusal({ images: [linked("last")] })).toBe("unsupported_parameter last");
  expect(refusal({ images: [linked("reference")] })).toBe("unsupported_parameter reference");
  expect(refusal({ prompt: undefined as never })).toBe("missing_required_parameter prompt");
});

test("images go in one form, first frame first", () => {
  expect(body({ images: frames })).toMatchObject({ image_urls: [link, link] });
  expect(body({ images: [inline("first")] })).toMatchObject({ binary_data_base64: [base64] });
  expect(body({ images: [inline("first")] }).image_urls).toBeUndefined();
  expect(body({ images: [linked("last", "b", `${link}?2`), linked("first")] }).image_urls).toEqual([link, `${link}?2`]);
  expect(refusal({ images: [linked("first"), inline("last")] })).toBe("unsupported_parameter last");
  const webp = { kind: "bytes", mediaType: "image/webp", bytes: pixel } as const;
  expect(refusal({ images: [{ role: "first", path: "image", source: webp }] })).toBe("unsupported_parameter image");
});

test("lengths are frames, shapes are for texts alone, the rest is told", () => {
  const made = [1, 5, 7.4, 7.5, 10, 60].map((seconds) => body({ seconds }).frames);
  expect(made).toEqual([121, 121, 121, 241, 241, 241]);
  expect(warnings({ seconds: 10 })).toEqual([]);
  expect(warnings({ seconds: 4 })).toEqual(["approximated seconds"]);
  expect(body({ width: 1470, height: 630 }).aspect_ratio).toBe("21:9");
  expect(body({ ratio: "3:4" }).aspect_ratio).toBe("3:4");
  expect(body({ ratio: "3:4", images: [linked("first")] }).aspect_ratio).toBeUndefined();
  expect(warnings({ ratio: "3:4", images: [linked("first")] })).toEqual(["dropped ratio"]);
  expect(body({ seed: 0 }).seed).toBe(0);
  expect(warnings({ fps: 24, audio: false })).toEqual([]);
  expect(warnings({ fps: 25, audio: true, negativePrompt: "dogs" })).toEqual([
    "dropped negativePrompt",
    "dropped fps",
    "dropped audio",
  ]);
});

test("members of its own go through, those that are decided here do not", () => {
  const evil = { req_key: "x", frames: 9, image_urls: ["x"], callback_url: "x", aspect_ratio: "x" };
  expect(body({ metadata: { template_id: "hitchcock_dolly_in", camera_strength: "weak", ...evil } })).toEqual({
    template_id: "hitchcock_dolly_in",
    camera_strength: "weak",
    req_key: "jimeng_t2v_v30",
    prompt: "a cat",
  });
  expect(render({ watermark: true, metadata: { logo_info: { position: 1 } } }).upstreamState?.req_json).toBe(
    '{"return_url":true,"logo_info":{"position":1,"add_logo":true}}',
  );
});

test("an accepted submit names its task; a refusal in any envelope is an error", () => {
  expect(jimengVideos.accepted(replyOf("accepted"))).toEqual({ upstreamId: "7392616336519610409" });
  for (const body of ["hello", [], { code: 10000, data: null }, { code: 10000, data: {} }])
    expect(thrown(() => jimengVideos.accepted(answered(200, body)))).toMatchObject({ kind: "upstream_protocol_error" });
  expect(thrown(() => jimengVideos.accepted(replyOf("refused-output")))).toMatchObject({
    kind: "upstream_rejected",
    code: "content_policy_violation",
  });
  expect(thrown(() => jimengVideos.accepted(replyOf("busy")))).toMatchObject({ kind: "upstream_rate_limited" });
});

test("every word of a task", () => {
  expect(progress("generating")).toEqual({ state: "in_progress" });
  expect(progress("done")).toEqual({
    state: "completed",
    results: [{ place: { kind: "url", url: "https://v26-aigc.example/0/video.mp4?a=1&lr=1" }, mediaType: "video/mp4" }],
  });
  const word = (status: unknown) =>
    jimengVideos.progress(answered(200, { code: 10000, data: { status, video_url: "" } }), upstreamTask);
  expect(word("in_queue")).toEqual({ state: "queued" });
  expect(word("DONE")).toEqual({ state: "completed", results: [] });
  expect(word("expired")).toEqual({ state: "expired" });
  expect(word("not_found")).toEqual({ isGone: true });
  expect(word("daydreaming")).toEqual({ unknownStatus: "daydreaming" });
  expect(word("")).toBeNull();
});

test("a code other than that of success ends the task, unless it is of the moment", () => {
  expect(progress("refused-output", 400)).toEqual({
    state: "failed",
    failure: { code: "content_policy_violation", message: "Post Img Risk Not Pass" },
  });
  const coded = (status: number, code: number, data: unknown = null) =>
    jimengVideos.progress(answered(status, { code, message: "m", data }), upstreamTask);
  expect(coded(400, 50215)).toMatchObject({ state: "failed", failure: { code: "generation_failed" } });
  expect(coded(200, 50500, { status: "done" })).toMatchObject({ state: "failed" });
  for (const [status, code] of [
    [500, 50500],
    [429, 50429],
    [429, 50430],
    [401, 50400],
    [500, 60001],
  ] as const)
    expect(coded(status, code)).toBeNull();
  expect(progress("busy", 429)).toBeNull();
  expect(progress("signature", 401)).toBeNull();
  expect(progress("done", 502)).toBeNull();
  for (const body of ["<html>", null, {}, { code: 10000, data: null }])
    expect(jimengVideos.progress(answered(200, body), upstreamTask)).toBeNull();
});

test("errors by their code, and by the words of the layer before", () => {
  const kind = (status: number, code: number) => jimengVideos.error.parse(status, { code, message: "m" }).kind;
  expect(kind(400, 50411)).toBe("upstream_rejected");
  expect(kind(429, 50429)).toBe("upstream_rate_limited");
  expect(kind(500, 50500)).toBe("upstream_failed");
  expect(kind(403, 50400)).toBe("upstream_credentials");
  const layer = (Code: string, status: number) =>
    jimengVideos.error.parse(status, { ResponseMetadata: { Error: { CodeN: 1, Code, Message: "m" } } }).kind;
  expect(jimengVideos.error.parse(400, wireJson("video/jimeng/signature.json"))).toMatchObject({
    kind: "upstream_credentials",
    status: 502,
  });
  expect(layer("FlowLimitExceeded", 400)).toBe("upstream_rate_limited");
  expect(layer("InvalidActionOrVersion", 404)).toBe("upstream_rejected");
  expect(layer("ServiceUnavailable", 503)).toBe("upstream_overloaded");
});
