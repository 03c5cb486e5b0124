// Vidu as an upstream: what it is sent, and what its answers mean.
import { expect, test } from "bun:test";
import { viduVideos } from "../../../src/dialects/video/index.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, upstreamTask } from "./setting.ts";
import { dataUri, inline, link, linked, submitsTo } from "./submits.ts";

const { call, body, effect, warnings, refusal } = submitsTo(viduVideos, "viduq3-pro");
const wire = (text: string, status = 200) => answered(status, JSON.parse(text));
const progress = (text: string, status = 200) => viduVideos.progress(wire(text, status), upstreamTask);

test("a plain submit carries the gateway's own id", () => {
  expect(call()).toEqual({
    path: "text2video",
    body: { model: "viduq3-pro", prompt: "a cat", duration: 5, resolution: "720p", payload: "task_1" },
  });
  expect(effect()).toEqual({ seconds: 5, resolution: "720p" });
  expect(warnings()).toEqual([]);
});

test("lengths and tiers by the family", () => {
  const lengths = [0.4, 1, 4.5, 8, 9, 16, 17];
  const made = (model: string) => lengths.map((seconds) => body({ seconds }, model).duration);
  expect(made("viduq3-turbo")).toEqual([1, 1, 5, 8, 9, 16, 16]);
  expect(made("viduq2-pro-fast")).toEqual([1, 1, 5, 8, 9, 10, 10]);
  const twoFrames = { images: [linked("first"), linked("last")] };
  expect(body({ seconds: 10, ...twoFrames }, "viduq2-turbo").duration).toBe(8);
  expect(body({ seconds: 10, ...twoFrames }).duration).toBe(10);
  expect(made("viduq1")).toEqual([5, 5, 5, 5, 5, 5, 5]);
  expect(made("vidu2.0")).toEqual([4, 4, 4, 8, 8, 8, 8]);
  expect(body({}, "vidu2.0")).toMatchObject({ duration: 4, resolution: "360p" });
  expect(body({ seconds: 8, resolution: "1080p" }, "vidu2.0")).toMatchObject({ duration: 8, resolution: "720p" });
  expect(body({ resolution: "720p" }, "viduq1").resolution).toBe("1080p");
  expect(warnings({ seconds: 3, resolution: "720p" }, "viduq1")).toEqual([
    "approximated seconds",
    "approximated resolution",
  ]);
  expect(["480p", "540p", "720p", "4k"].map((resolution) => body({ resolution }).resolution)).toEqual([
    "540p",
    "540p",
    "720p",
    "1080p",
  ]);
});

test("shapes go with texts and references, frames have their own", () => {
  expect(body({ width: 1080, height: 1920 })).toMatchObject({ aspect_ratio: "9:16", resolution: "1080p" });
  expect(body({ ratio: "4:3" }).aspect_ratio).toBe("4:3");
  expect(body({ ratio: "4:3" }, "viduq1").aspect_ratio).toBe("1:1");
  expect(body({ ratio: "9:16", images: [linked("reference")] }).aspect_ratio).toBe("9:16");
  expect(body({ ratio: "9:16", images: [linked("first")] }).aspect_ratio).toBeUndefined();
  expect(warnings({ ratio: "9:16", images: [linked("first")] })).toEqual(["dropped ratio"]);
});

test("each way to use images has its path", () => {
  expect(call({ images: [inline("first")] })).toMatchObject({ path: "img2video", body: { images: [dataUri] } });
  expect(call({ images: [inline("last"), linked("first")] })).toMatchObject({
    path: "start-end2video",
    body: { images: [link, dataUri] },
  });
  expect(call({ images: [linked("reference"), inline("reference")] })).toMatchObject({
    path: "reference2video",
    body: { images: [link, dataUri] },
  });
  expect(body({ prompt: undefined as never, images: [linked("first")] }).prompt).toBeUndefined();
  for (const images of [[], [linked("reference")]])
    expect(refusal({ prompt: undefined as never, images })).toBe("missing_required_parameter prompt");
  expect(refusal({ images: [linked("last")] })).toBe("unsupported_parameter last");
  expect(refusal({ images: [linked("first"), linked("reference")] })).toBe("unsupported_parameter reference");
  const references = Array.from({ length: 8 }, (_, index) => linked("reference", `images[${index}]`));
  expect(refusal({ images: references })).toBe("unsupported_parameter images[7]");
  expect(refusal({ images: references.slice(0, 7) })).toBe("none");
});

test("sound is for those that make it; the rest has its field or a warning", () => {
  expect(body({ audio: false, seed: 0, watermark: true })).toMatchObject({ audio: false, seed: 0, watermark: true });
  expect(effect({ audio: true }).audio).toBe(true);
  expect(body({ audio: true }, "viduq2").audio).toBeUndefined();
  expect(warnings({ audio: true, negativePrompt: "x", fps: 24 }, "viduq2")).toEqual([
    "dropped negativePrompt",
    "dropped fps",
    "dropped audio",
  ]);
  expect(body({ metadata: { movement_amplitude: "small", style: "anime", bgm: true } })).toMatchObject({
    movement_amplitude: "small",
    style: "anime",
    bgm: true,
  });
});

test("an accepted submit tells what will be made", () => {
  const made =
    '{"task_id":"839281237","type":"text2video","state":"created","model":"viduq3-pro","prompt":"a cat","images":[],"duration":8,"seed":231,"aspect_ratio":"16:9","resolution":"1080p","movement_amplitude":"auto","credits":40,"payload":"task_1","created_at":"2025-01-01T15:41:31.968916Z"}';
  expect(viduVideos.accepted(wire(made))).toEqual({
    upstreamId: "839281237",
    progress: { state: "queued", effect: { seconds: 8, resolution: "1080p" } },
  });
  const refused = '{"code":400,"reason":"CreditInsufficient","message":"insufficient credits","metadata":{}}';
  expect(thrown(() => viduVideos.accepted(wire(refused)))).toMatchObject({ kind: "upstream_credentials" });
});

test("every word of a task", () => {
  const word = (state: string, more = "") =>
    progress(`{"id":"1","state":"${state}","err_code":""${more},"creations":[]}`);
  expect(["created", "queueing", "processing"].map((state) => word(state)?.state)).toEqual([
    "queued",
    "queued",
    "in_progress",
  ]);
  const done = `{"id":"839281237","state":"success","err_code":"","credits":8,"payload":"task_1","creations":[{"id":"839281240","url":"${link}","cover_url":"https://example.com/c.jpg","watermarked_url":"https://example.com/w.mp4"}]}`;
  expect(progress(done)).toMatchObject({
    state: "completed",
    results: [{ place: { kind: "locate", ref: "839281240" }, mediaType: "video/mp4" }],
  });
  expect(word("success")).toMatchObject({ state: "completed", results: [] });
  const failure = (code: string) => progress(`{"id":"1","state":"failed","err_code":"${code}","creations":[]}`);
  const codes = [
    ["CreationPolicyViolation", "content_policy_violation"],
    ["TaskPromptPolicyViolation", "content_policy_violation"],
    ["AuditSubmitIllegal", "content_policy_violation"],
    ["ImageDownloadFailure", "invalid_parameter"],
    ["FieldInvalid", "invalid_parameter"],
    ["CreditInsufficient", "upstream_quota"],
    ["SystemThrottling", "upstream_overloaded"],
    ["InternalServiceFailure", "generation_failed"],
    ["", "generation_failed"],
  ] as const;
  for (const [code, expected] of codes)
    expect(failure(code)).toMatchObject({ state: "failed", failure: { code: expected } });
  expect(failure("UserCancelled")).toMatchObject({ state: "cancelled", failure: { code: "cancelled" } });
});

test("errors by their reason", () => {
  const parse = (status: number, reason: string) =>
    viduVideos.error.parse(status, { code: status, reason, message: "it says why", metadata: {} }, 2_000);
  expect(parse(400, "AuditSubmitIllegal")).toMatchObject({ status: 400, code: "content_policy_violation" });
  expect(parse(400, "FieldLacking")).toMatchObject({ status: 400, code: "invalid_parameter", message: "it says why" });
  expect(parse(429, "TaskLimitExceeded")).toMatchObject({ kind: "upstream_rate_limited", retryAfterMs: 2_000 });
  expect(parse(400, "CreditInsufficient")).toMatchObject({ kind: "upstream_credentials" });
  expect(parse(403, "Forbidden")).toMatchObject({ kind: "upstream_credentials" });
  expect(parse(500, "SomethingNew")).toMatchObject({ kind: "upstream_failed" });
});

test("a fresh address comes with a new answer; a task can be ended", () => {
  const { locate, cancel } = viduVideos;
  expect(locate?.call(upstreamTask, "7").path).toBe("tasks/up%2F1/creations");
  expect(locate?.read(wire(`{"state":"success","creations":[{"id":"7","url":"${link}"}]}`))).toBe(link);
  for (const text of ['{"creations":[]}', '{"creations":null}', '{"creations":[{"url":""}]}'])
    expect(locate?.read(wire(text))).toBeNull();
  expect(cancel?.(upstreamTask)).toEqual({ path: "tasks/up%2F1/cancel", body: { id: "up/1" } });
});
