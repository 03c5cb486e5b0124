// Runway as an upstream: what it is sent, and what its answers mean.
import { expect, test } from "bun:test";
import { runwayVideos } from "../../../src/dialects/video/index.ts";
import { answered, upstreamTask } from "./setting.ts";
import { dataUri, inline, link, linked, submitsTo } from "./submits.ts";

const { call, body, effect, warnings, refusal } = submitsTo(runwayVideos, "gen4.5");
const wire = (text: string, status = 200) => answered(status, JSON.parse(text));
const progress = (text: string, status = 200) => runwayVideos.progress(wire(text, status), upstreamTask);
const task = (members: string) =>
  progress(`{"id":"17f20503-6c24-4c16-946b-35dbbce2af2f","createdAt":"2024-06-27T19:49:32.334Z",${members}}`);
const first = [linked("first")];

test("a plain submit names a size and a length, which this wire must have", () => {
  expect(call()).toEqual({
    path: "text_to_video",
    body: { model: "gen4.5", promptText: "a cat", ratio: "1280:720", duration: 5 },
  });
  expect(effect()).toEqual({ seconds: 5, width: 1280, height: 720, audio: false });
  expect(warnings()).toEqual([]);
});

test("lengths by the family", () => {
  const lengths = [1, 2, 5.5, 7.5, 10, 11];
  const made = (model: string) => lengths.map((seconds) => body({ seconds, images: first }, model).duration);
  expect(made("gen4.5")).toEqual([2, 2, 6, 8, 10, 10]);
  expect(made("gen4_turbo")).toEqual([5, 5, 5, 10, 10, 10]);
  expect(made("veo3.1_fast")).toEqual([4, 4, 6, 8, 8, 8]);
  expect(made("veo3")).toEqual([8, 8, 8, 8, 8, 8]);
  expect(made("seedance2")).toEqual([4, 4, 6, 8, 10, 11]);
  expect(body({ images: first }, "gen4_turbo").duration).toBe(10);
  expect(warnings({ seconds: 7 }, "veo3.1")).toEqual(["approximated seconds"]);
});

test("sizes take the place of ratios, the nearest in shape and then in area", () => {
  expect(body({ width: 1920, height: 1080 }).ratio).toBe("1280:720");
  expect(body({ width: 1920, height: 1080 }, "veo3.1").ratio).toBe("1920:1080");
  expect(body({ ratio: "9:16", resolution: "1080p" }, "veo3.1").ratio).toBe("1080:1920");
  expect(body({ ratio: "1:1", images: first }).ratio).toBe("960:960");
  expect(body({ ratio: "1:1", images: first }, "gen3a_turbo").ratio).toMatch(/1280:768|768:1280/);
  expect(body({ ratio: "21:9", resolution: "1080p" }, "seedance2").ratio).toBe("2206:946");
  expect(effect({ ratio: "9:16" })).toMatchObject({ width: 720, height: 1280 });
  expect(warnings({ width: 1280, height: 720 })).toEqual([]);
  expect(warnings({ width: 1920, height: 1080 })).toEqual(["approximated size"]);
  expect(warnings({ ratio: "1:1" })).toEqual(["approximated ratio"]);
  expect(warnings({ resolution: "1080p" })).toEqual(["approximated resolution"]);
});

test("one frame goes alone, two with their positions", () => {
  expect(call({ images: [inline("first")] })).toMatchObject({ path: "image_to_video", body: { promptImage: dataUri } });
  expect(body({ images: [linked("first"), inline("last")] }, "veo3.1").promptImage).toEqual([
    { uri: link, position: "first" },
    { uri: dataUri, position: "last" },
  ]);
  expect(call({ images: [linked("reference")] }, "seedance2")).toMatchObject({
    path: "text_to_video",
    body: { references: [{ uri: link }] },
  });
  expect(body({ prompt: undefined as never, images: first }, "gen4_turbo").promptText).toBeUndefined();
});

test("what cannot be said is refused", () => {
  expect(refusal({ prompt: undefined as never })).toBe("missing_required_parameter prompt");
  expect(refusal({ prompt: undefined as never, images: first })).toBe("missing_required_parameter prompt");
  expect(refusal({}, "gen4_turbo")).toBe("unsupported_parameter prompt");
  expect(refusal({ images: [linked("first"), linked("last")] })).toBe("unsupported_parameter last");
  expect(refusal({ images: [linked("last")] }, "veo3.1")).toBe("unsupported_parameter last");
  expect(refusal({ images: [linked("reference")] })).toBe("unsupported_parameter reference");
  expect(refusal({ images: [linked("first"), linked("reference")] }, "seedance2")).toBe(
    "unsupported_parameter reference",
  );
  expect(refusal({ images: [linked("first", "image", "http://example.com/a.png")] })).toBe(
    "unsupported_parameter image",
  );
});

test("seed, sound and moderation for those that know them", () => {
  expect(body({ seed: 7, metadata: { contentModeration: { publicFigureThreshold: "low" } } })).toMatchObject({
    seed: 7,
    contentModeration: { publicFigureThreshold: "low" },
  });
  expect(body({ audio: true }).audio).toBeUndefined();
  expect(warnings({ audio: true })).toEqual(["dropped audio"]);
  const veo = body({ seed: 7, negativePrompt: "x", audio: true, metadata: { contentModeration: {} } }, "veo3.1");
  expect(veo).toMatchObject({ audio: true, seed: 7, negativePrompt: "x" });
  expect(veo.contentModeration).toBeUndefined();
  expect(warnings({ seed: 7, audio: false, watermark: true, negativePrompt: "x", fps: 24 }, "veo3")).toEqual([
    "dropped fps",
    "dropped watermark",
    "dropped seed",
    "dropped negativePrompt",
    "dropped audio",
  ]);
  expect(effect({}, "veo3").audio).toBe(true);
});

test("every word of a task", () => {
  expect(["PENDING", "THROTTLED"].map((word) => task(`"status":"${word}"`))).toEqual([
    { state: "queued" },
    { state: "queued" },
  ]);
  expect(task('"status":"RUNNING","progress":0.426')).toEqual({ state: "in_progress", percent: 43 });
  expect([-1, 2].map((part) => task(`"status":"RUNNING","progress":${part}`)?.percent)).toEqual([0, 100]);
  expect(task('"status":"CANCELLED"')).toMatchObject({ state: "cancelled", failure: { code: "cancelled" } });
  const url = "https://dnznrvs05pmza.cloudfront.net/a.mp4?_jwt=x";
  expect(task(`"status":"SUCCEEDED","output":["${url}","${link}"]`)).toEqual({
    state: "completed",
    results: [{ place: { kind: "url", url } }, { place: { kind: "url", url: link } }],
  });
  for (const output of ["[]", "null", '["",7,"file:///etc/passwd"]'])
    expect(task(`"status":"SUCCEEDED","output":${output}`)).toEqual({ state: "completed", results: [] });
});

test("failures by their code", () => {
  const failure = (code: string) => task(`"status":"FAILED","failure":"it says why","failureCode":"${code}"`)?.failure;
  expect(failure("SAFETY.INPUT.TEXT")).toEqual({ code: "content_policy_violation", message: "it says why" });
  expect(failure("INPUT_PREPROCESSING.SAFETY.TEXT")?.code).toBe("content_policy_violation");
  expect(failure("SAFETY.OUTPUT.VIDEO")?.code).toBe("content_policy_violation");
  expect(failure("ASSET.INVALID")?.code).toBe("invalid_parameter");
  expect(failure("INTERNAL.BAD_OUTPUT.CODE01")?.code).toBe("generation_failed");
  expect(task('"status":"FAILED"')?.failure?.code).toBe("generation_failed");
});

test("errors tell the field that was refused", () => {
  const issues = [{ code: "invalid_enum_value", path: ["ratio"], message: "Invalid enum value." }];
  expect(runwayVideos.error.parse(400, { error: "Validation of body failed", issues, docUrl: link })).toMatchObject({
    kind: "upstream_rejected",
    status: 400,
    message: "Validation of body failed ratio: Invalid enum value.",
  });
  const daily = { error: "You have reached the daily task limit." };
  expect(runwayVideos.error.parse(429, daily, 1_000)).toMatchObject({
    kind: "upstream_rate_limited",
    retryAfterMs: 1_000,
  });
  expect(runwayVideos.error.parse(400, { error: "Input did not pass content moderation." })).toMatchObject({
    code: "content_policy_violation",
  });
  expect(runwayVideos.error.parse(401, { error: "unknown" })).toMatchObject({ kind: "upstream_credentials" });
  expect(runwayVideos.error.parse(502, "<html>")).toMatchObject({ kind: "upstream_failed" });
});

test("an id is all that is accepted; one call ends or forgets", () => {
  expect(runwayVideos.accepted(wire('{"id":"17f20503"}'))).toEqual({ upstreamId: "17f20503" });
  const call = { method: "DELETE", path: "tasks/up%2F1", body: {} } as const;
  expect([runwayVideos.cancel?.(upstreamTask), runwayVideos.remove?.(upstreamTask)]).toEqual([call, call]);
});
