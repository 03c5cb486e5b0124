// Kling as an upstream, on its older and its newer paths: what it is sent, and what its answers mean.
import { describe, expect, test } from "bun:test";
import { klingTasks, klingVideos } from "../../../src/dialects/video/index.ts";
import { wireJson } from "../../support/fixtures.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, pixel, upstreamTask } from "./setting.ts";
import { inline, link, linked, submitsTo } from "./submits.ts";

const base64 = Buffer.from(pixel).toString("base64");
const older = submitsTo(klingVideos, "kling-v2-1");
const newer = submitsTo(klingTasks, "kling-3.0");
const path = "v1/videos/text2video";
const replyOf = (name: string, status = 200) => answered(status, wireJson(`video/kling/${name}.json`));

test("the version in a name tells the paths", () => {
  for (const model of ["kling-v1", "kling-v2-6", "kling-v3", "kling-video-o1"])
    expect([klingVideos.serves?.(model), klingTasks.serves?.(model)]).toEqual([true, false]);
  for (const model of ["kling-2.6", "kling-3.0", "kling-3.0-omni"])
    expect([klingVideos.serves?.(model), klingTasks.serves?.(model)]).toEqual([false, true]);
});

describe("older paths", () => {
  const { body, call, effect, refusal, render, warnings } = older;

  test("a plain submit carries the gateway's own id and the length as a text", () => {
    expect(call()).toEqual({
      path,
      body: { model_name: "kling-v2-1", prompt: "a cat", duration: "5", external_task_id: "task_1" },
    });
    expect(effect()).toEqual({ seconds: 5, resolution: "720p", width: 1280, height: 720, audio: false });
    expect(warnings()).toEqual([]);
    expect(render().upstreamState).toEqual({ path });
  });

  test("lengths by the generation, the nearest and with a word about it", () => {
    const made = (model: string, lengths: number[]) => lengths.map((seconds) => body({ seconds }, model).duration);
    expect(made("kling-v2-6", [0, 5, 7.4, 7.5, 10, 15])).toEqual(["5", "5", "5", "10", "10", "10"]);
    expect(made("kling-v3", [0, 3, 3.4, 3.5, 15, 16])).toEqual(["3", "3", "3", "4", "15", "15"]);
    expect(made("kling-v2-5-turbo", [7])).toEqual(["5"]);
    expect(warnings({ seconds: 5 })).toEqual([]);
    expect(warnings({ seconds: 6 })).toEqual(["approximated seconds"]);
  });

  test("a size becomes a ratio and a mode; with a frame the mode alone", () => {
    expect(body({ width: 1920, height: 1080 })).toMatchObject({ aspect_ratio: "16:9", mode: "pro" });
    expect(body({ width: 720, height: 1280 })).toMatchObject({ aspect_ratio: "9:16", mode: "std" });
    expect(body({ ratio: "1:1", resolution: "4k" })).toMatchObject({ aspect_ratio: "1:1", mode: "pro" });
    expect(body({ resolution: "4k" }, "kling-v3").mode).toBe("4k");
    expect(body({ metadata: { mode: "pro" } }).mode).toBe("pro");
    expect(body({ metadata: { mode: "ultra" } }).mode).toBeUndefined();
    expect(warnings({ width: 1920, height: 1080 })).toEqual([]);
    expect(warnings({ width: 1000, height: 1000 })).toEqual(["approximated size"]);
    expect(warnings({ ratio: "4:3", resolution: "4k" })).toEqual(["approximated ratio", "approximated resolution"]);
    const framed = { images: [linked("first")], ratio: "9:16", width: 1080, height: 1920 };
    expect(body(framed)).toMatchObject({ mode: "pro" });
    expect(body(framed).aspect_ratio).toBeUndefined();
    expect(warnings(framed)).toEqual(["approximated size", "dropped ratio"]);
    expect(effect(framed)).toEqual({ seconds: 5, resolution: "1080p", audio: false });
  });

  test("images are addresses or bare Base64, and choose the path", () => {
    expect(call({ images: [linked("first"), inline("last")] })).toMatchObject({
      path: "v1/videos/image2video",
      body: { image: link, image_tail: base64 },
    });
    expect(call({ images: [inline("last")] })).toMatchObject({ body: { image_tail: base64 } });
    expect(call({ images: [linked("reference"), inline("reference")], ratio: "1:1" })).toMatchObject({
      path: "v1/videos/multi-image2video",
      body: { image_list: [{ image: link }, { image: base64 }], aspect_ratio: "1:1" },
    });
    expect(refusal({ images: [linked("first"), linked("reference")] })).toBe("unsupported_parameter first");
    const references = (count: number) =>
      Array.from({ length: count }, (_, at) => linked("reference", `images[${at}]`));
    expect(refusal({ images: references(4) })).toBe("none");
    expect(refusal({ images: references(5) })).toBe("unsupported_parameter images[4]");
    const gif = { kind: "bytes", mediaType: "image/gif", bytes: pixel } as const;
    expect(refusal({ images: [{ role: "first", path: "image", source: gif }] })).toBe("unsupported_parameter image");
    const file = { kind: "file", id: "f1" } as const;
    expect(refusal({ images: [{ role: "first", path: "image", source: file }] })).toBe("unsupported_parameter image");
  });

  test("a text is needed unless a frame is there", () => {
    const silent = { prompt: undefined as never };
    expect(refusal(silent)).toBe("missing_required_parameter prompt");
    expect(refusal({ ...silent, images: [linked("reference")] })).toBe("missing_required_parameter prompt");
    expect(refusal({ ...silent, images: [linked("first")] })).toBe("none");
  });

  test("sound from 2.6 on, in either words; what has no place is told", () => {
    expect(body({ audio: true }, "kling-v2-6").sound).toBe("on");
    expect(body({ metadata: { sound: "off" } }, "kling-v2-6").sound).toBe("off");
    expect(effect({ metadata: { sound: "on" } }, "kling-v2-6").audio).toBe(true);
    expect(body({ audio: true }, "kling-v2-5-turbo").sound).toBeUndefined();
    expect(warnings({ audio: true }, "kling-v2-5-turbo")).toEqual(["dropped audio"]);
    expect(warnings({ audio: false }, "kling-v2-5-turbo")).toEqual([]);
    expect(warnings({ fps: 24, seed: 1 })).toEqual(["dropped fps", "dropped seed"]);
    expect(body({ negativePrompt: "dogs" }).negative_prompt).toBe("dogs");
  });

  test("members of its own go through, those that are decided here do not", () => {
    const camera_control = { type: "simple", config: { zoom: 5 } };
    const evil = { model_name: "x", callback_url: "x", external_task_id: "x", duration: "99", n: 3, aspect_ratio: "x" };
    expect(body({ metadata: { cfg_scale: 0.7, camera_control, ...evil } })).toEqual({
      model_name: "kling-v2-1",
      prompt: "a cat",
      duration: "5",
      external_task_id: "task_1",
      cfg_scale: 0.7,
      camera_control,
    });
    const marked = render({ watermark: true, metadata: { watermark_info: { enabled: false, text: "hi" } } });
    expect(marked.call.body.watermark_info).toEqual({ enabled: true, text: "hi" });
    expect(marked.upstreamState).toEqual({ path, isMarked: true });
  });

  const task = { ...upstreamTask, upstreamState: { path } };
  const progress = (name: string, status = 200, keep = {}) =>
    klingVideos.progress(replyOf(name, status), { ...task, upstreamState: { path, ...keep } });

  test("a task is accepted with its first word, and asked for where it was made", () => {
    expect(klingVideos.accepted(replyOf("accepted"))).toEqual({
      upstreamId: "CjhKX2dHl0wAAAAABJ0iGw",
      progress: { state: "queued" },
    });
    expect(klingVideos.poll(task)).toEqual({ method: "GET", path: `${path}/up%2F1`, body: {} });
    const [refused, unreadable] = [
      { code: 1301, message: "unsafe" },
      { data: { task_id: "" }, code: 0 },
    ];
    expect(thrown(() => klingVideos.accepted(answered(200, refused)))).toMatchObject({
      kind: "upstream_rejected",
      status: 400,
      code: "content_policy_violation",
    });
    for (const body of ["hello", [], {}, unreadable, { code: 0 }])
      expect(thrown(() => klingVideos.accepted(answered(200, body)))).toMatchObject({
        kind: "upstream_protocol_error",
      });
  });

  test("every word of a task", () => {
    expect(progress("processing")).toEqual({ state: "in_progress" });
    const result = { place: { kind: "url", url: "https://v2-kling.example/output.mp4?x=1" }, mediaType: "video/mp4" };
    expect(progress("succeed")).toEqual({ state: "completed", results: [{ ...result, seconds: 5.1 } as never] });
    expect(progress("succeed", 200, { isMarked: true })).toMatchObject({
      results: [{ place: { url: "https://v2-kling.example/marked.mp4?x=1" } }],
    });
    expect(progress("failed")).toEqual({
      state: "failed",
      failure: { code: "content_policy_violation", message: "Failure to pass the risk control system" },
    });
    const strange = (word: unknown) =>
      klingVideos.progress(answered(200, { code: 0, data: { task_status: word } }), task);
    expect(strange("SUCCEED")).toEqual({ state: "completed", results: [] });
    expect(strange("daydreaming")).toEqual({ unknownStatus: "daydreaming" });
    expect(strange("constructor")).toEqual({ unknownStatus: "constructor" });
    expect(strange("")).toBeNull();
  });

  test("a task that is not known is gone; any other refusal says nothing of it", () => {
    expect(progress("unknown-task", 404)).toEqual({ isGone: true });
    expect(progress("unknown-task", 200)).toEqual({ isGone: true });
    const unknown = { code: 1201, message: "Task not found by task_id or external_task_id", request_id: "r" };
    for (const status of [400, 404, 200])
      expect(klingVideos.progress(answered(status, unknown), task)).toEqual({ isGone: true });
    expect(thrown(() => klingVideos.accepted(answered(200, unknown)))).toMatchObject({ code: "invalid_parameter" });
    for (const [status, code] of [
      [401, 1004],
      [429, 1302],
      [503, 5001],
      [200, 1302],
    ] as const)
      expect(klingVideos.progress(answered(status, { code, message: "" }), task)).toBeNull();
    expect(klingVideos.progress(answered(500, wireJson("video/kling/succeed.json")), task)).toBeNull();
    expect(klingVideos.progress(answered(200, "<html>"), task)).toBeNull();
  });
});

describe("newer paths", () => {
  const { body, call, refusal, warnings } = newer;

  test("settings and options, the model in the path, contents where there are frames", () => {
    expect(call()).toEqual({
      path: "text-to-video/kling-3.0",
      body: { prompt: "a cat", settings: { duration: 5 }, options: { external_task_id: "task_1" } },
    });
    expect(body({ seconds: 7, width: 1080, height: 1920, audio: true, watermark: false })).toEqual({
      prompt: "a cat",
      settings: { audio: "native", resolution: "1080p", aspect_ratio: "9:16", duration: 7 },
      options: { external_task_id: "task_1", watermark_info: { enabled: false } },
    });
    expect(call({ images: [linked("first"), inline("last")] })).toMatchObject({
      path: "image-to-video/kling-3.0",
      body: {
        contents: [
          { type: "prompt", text: "a cat" },
          { type: "first_frame", url: link },
          { type: "last_frame", url: base64 },
        ],
      },
    });
    expect(body({ seconds: 7 }, "kling-2.6").settings).toEqual({ duration: 5 });
    expect(body({ audio: false }).settings).toMatchObject({ audio: "off" });
    expect(refusal({ images: [linked("reference")] })).toBe("unsupported_parameter reference");
    expect(warnings({ negativePrompt: "dogs", seed: 1 })).toEqual(["dropped negativePrompt", "dropped seed"]);
  });

  test("a task is one of a list, and gone where the list has none such", () => {
    expect(klingTasks.accepted(replyOf("tasks-accepted"))).toEqual({
      upstreamId: "884839284",
      progress: { state: "queued" },
    });
    const task = { ...upstreamTask, upstreamId: "884839284" };
    expect(klingTasks.poll(task).path).toBe("tasks?task_ids=884839284");
    expect(klingTasks.progress(replyOf("tasks-succeeded"), task)).toMatchObject({
      state: "completed",
      results: [{ place: { kind: "url", url: "https://v3-kling.example/output.mp4" }, seconds: 7 }],
    });
    expect(klingTasks.progress(replyOf("tasks-succeeded"), upstreamTask)).toEqual({ isGone: true });
    expect(klingTasks.progress(answered(200, { code: 0, data: [] }), task)).toEqual({ isGone: true });
    expect(klingTasks.progress(answered(200, { code: 5000, message: "" }), task)).toBeNull();
  });
});

test.each([
  [401, 1002, "upstream_credentials", "upstream_credentials"],
  [429, 1101, "upstream_credentials", "upstream_credentials"],
  [403, 1103, "upstream_credentials", "upstream_credentials"],
  [400, 1201, "upstream_rejected", "invalid_parameter"],
  [404, 1203, "upstream_rejected", "upstream_rejected"],
  [400, 1301, "upstream_rejected", "content_policy_violation"],
  [429, 1302, "upstream_rate_limited", "upstream_rate_limited"],
  [429, 1303, "upstream_rate_limited", "upstream_rate_limited"],
  [429, 1304, "upstream_credentials", "upstream_credentials"],
  [500, 5000, "upstream_failed", "upstream_failed"],
  [503, 5001, "upstream_overloaded", "overloaded"],
  [504, 5002, "upstream_timeout", "upstream_timeout"],
  [502, 9999, "upstream_failed", "upstream_failed"],
] as const)("status %p and code %p mean %s", (status, number, kind, code) => {
  const result = { code: number, message: "m", request_id: "r" };
  expect(klingVideos.error.parse(status, result)).toMatchObject({ kind, code });
  // The code alone tells as much, whatever the status.
  if (number < 9000) expect(klingVideos.error.parse(200, result).kind).toBe(kind);
});
