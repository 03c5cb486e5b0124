// Seedance as an upstream: what it is sent, and what its answers mean.
import { expect, test } from "bun:test";
import { seedanceVideos } from "../../../src/dialects/video/index.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, upstreamTask } from "./setting.ts";
import { dataUri, inline, link, linked, submitsTo } from "./submits.ts";

const pro = "doubao-seedance-1-0-pro-250528";
const newer = "doubao-seedance-2-0-260128";
const { call, body, effect, warnings, refusal } = submitsTo(seedanceVideos, pro);
const wire = (text: string, status = 200) => answered(status, JSON.parse(text));
const progress = (text: string, status = 200) => seedanceVideos.progress(wire(text, status), upstreamTask);

test("a plain submit", () => {
  expect(call()).toEqual({
    path: "contents/generations/tasks",
    body: { model: pro, content: [{ type: "text", text: "a cat" }], resolution: "1080p", duration: 5 },
  });
  expect(effect()).toEqual({ seconds: 5, resolution: "1080p", audio: false });
  expect(warnings()).toEqual([]);
});

test("lengths and tiers by the generation", () => {
  const lengths = [1, 2, 4.5, 12, 13, 15, 16];
  const made = (model: string) => lengths.map((seconds) => body({ seconds }, model).duration);
  expect(made(pro)).toEqual([2, 2, 5, 12, 12, 12, 12]);
  expect(made("doubao-seedance-1-5-pro-251215")).toEqual([4, 4, 5, 12, 12, 12, 12]);
  expect(made(newer)).toEqual([4, 4, 5, 12, 13, 15, 15]);
  expect(made("ep-20250101-abcde")).toEqual(lengths);
  expect(warnings({ seconds: 1, ratio: "5:4", audio: true }, "ep-20250101-abcde")).toEqual(["unverified model"]);
  expect(body({ ratio: "5:4" }, "ep-20250101-abcde").ratio).toBe("5:4");
  expect(body({}, "ep-20250101-abcde")).not.toHaveProperty("duration");
  expect(body({ seconds: 30 }, "doubao-seedance-2-5-260901").duration).toBe(30);
  expect(body({ resolution: "4k" }, newer).resolution).toBe("4k");
  expect(body({ resolution: "4k" }, "doubao-seedance-2-0-mini-260901").resolution).toBe("720p");
  expect(body({ resolution: "4k" }).resolution).toBe("1080p");
  expect(body({ resolution: "1080p" }, "doubao-seedance-2-0-fast-260128").resolution).toBe("720p");
  expect(body({ width: 1080, height: 1920 })).toMatchObject({ ratio: "9:16", resolution: "1080p" });
  expect(body({ width: 1280, height: 720 })).toMatchObject({ ratio: "16:9", resolution: "720p" });
  expect(warnings({ seconds: 30, resolution: "4k", ratio: "2:1" })).toEqual([
    "approximated seconds",
    "approximated ratio",
    "approximated resolution",
  ]);
});

test("images have roles", () => {
  expect(body({ images: [inline("first"), linked("last")] }).content).toEqual([
    { type: "text", text: "a cat" },
    { type: "image_url", image_url: { url: dataUri }, role: "first_frame" },
    { type: "image_url", image_url: { url: link }, role: "last_frame" },
  ]);
  expect(body({ prompt: undefined as never, images: [linked("reference")] }, newer).content).toEqual([
    { type: "image_url", image_url: { url: link }, role: "reference_image" },
  ]);
  expect(refusal({ prompt: undefined as never })).toBe("missing_required_parameter prompt");
  expect(refusal({ images: [linked("last")] })).toBe("unsupported_parameter last");
  expect(refusal({ images: [linked("first"), linked("reference")] })).toBe("unsupported_parameter reference");
});

test("sound for those that make it, and the fields beside it", () => {
  expect(body({ audio: false }, newer).generate_audio).toBe(false);
  expect(body({ audio: true }).generate_audio).toBeUndefined();
  expect(body({ seed: 11, watermark: false, metadata: { camera_fixed: true, return_last_frame: true } })).toMatchObject(
    {
      seed: 11,
      watermark: false,
      camera_fixed: true,
      return_last_frame: true,
    },
  );
  expect(warnings({ audio: true, fps: 30, negativePrompt: "x" })).toEqual([
    "dropped negativePrompt",
    "dropped fps",
    "dropped audio",
  ]);
  expect(warnings({ fps: 24 })).toEqual([]);
});

test("the oldest models read their options in the text", () => {
  const sent = body({ seconds: 5, ratio: "16:9", seed: 3, metadata: { camera_fixed: true } }, "wan2-1-14b-i2v-250225");
  expect(sent).toEqual({
    model: "wan2-1-14b-i2v-250225",
    content: [{ type: "text", text: "a cat --camerafixed true --ratio 16:9 --resolution 720p --seed 3 --duration 5" }],
  });
});

test("every word of a task", () => {
  const word = (status: string) =>
    progress(`{"id":"cgt-1","model":"${pro}","status":"${status}","created_at":1765510475}`);
  expect(["queued", "running", "expired"].map((status) => word(status)?.state)).toEqual([
    "queued",
    "in_progress",
    "expired",
  ]);
  expect(word("cancelled")).toMatchObject({ state: "cancelled", failure: { code: "cancelled" } });
  const done = `{"id":"cgt-20250101-abcde","model":"${pro}","status":"succeeded","content":{"video_url":"${link}"},"usage":{"completion_tokens":246840,"total_tokens":246840},"created_at":1765510475,"updated_at":1765510559,"seed":58944,"resolution":"1080p","ratio":"16:9","duration":5,"framespersecond":24,"service_tier":"default"}`;
  expect(progress(done)).toEqual({
    state: "completed",
    effect: { seconds: 5, resolution: "1080p" },
    results: [{ place: { kind: "url", url: link }, mediaType: "video/mp4", fps: 24, seed: 58944, seconds: 5 }],
  });
  expect(word("succeeded")).toMatchObject({ state: "completed", results: [] });
  expect(progress('{"status":"running","frames":57,"framespersecond":24}')?.effect).toEqual({ seconds: 2.375 });
});

test("failures by their code", () => {
  const failure = (code: string) =>
    progress(`{"status":"failed","error":{"code":"${code}","message":"it says why"}}`)?.failure;
  expect(failure("OutputVideoSensitiveContentDetected")).toEqual({
    code: "content_policy_violation",
    message: "it says why",
  });
  expect(failure("InputImageSensitiveContentDetected.PrivacyInformation")?.code).toBe("content_policy_violation");
  expect(failure("InternalServiceError")?.code).toBe("generation_failed");
  expect(failure("AccountOverdueError")).toMatchObject({ code: "upstream_quota" });
  expect(progress('{"status":"failed","error":null}')?.failure?.code).toBe("generation_failed");
});

test("errors by their code", () => {
  const parse = (status: number, code: string) =>
    seedanceVideos.error.parse(status, { error: { code, message: "it says why", param: "", type: "BadRequest" } });
  expect(parse(400, "InputTextSensitiveContentDetected")).toMatchObject({
    status: 400,
    code: "content_policy_violation",
  });
  expect(parse(400, "InvalidParameter.UnsupportedImageFormat")).toMatchObject({ code: "invalid_parameter" });
  expect(parse(403, "AccountOverdueError")).toMatchObject({ kind: "upstream_credentials" });
  expect(parse(401, "AuthenticationError")).toMatchObject({ kind: "upstream_credentials" });
  expect(parse(429, "RateLimitExceeded.EndpointRPMExceeded")).toMatchObject({ kind: "upstream_rate_limited" });
  expect(parse(429, "ServerOverloaded")).toMatchObject({ kind: "upstream_overloaded" });
  expect(parse(404, "ModelNotOpen")).toMatchObject({ kind: "upstream_model_not_found", status: 404 });
  const inDisguise = '{"error":{"code":"QuotaExceeded","message":"quota"}}';
  expect(thrown(() => seedanceVideos.accepted(wire(inDisguise)))).toMatchObject({ kind: "upstream_rate_limited" });
  expect(seedanceVideos.accepted(wire('{"id":"cgt-2025"}'))).toEqual({ upstreamId: "cgt-2025" });
});

test("one call ends or forgets", () => {
  const call = { method: "DELETE", path: "contents/generations/tasks/up%2F1", body: {} } as const;
  expect([seedanceVideos.cancel?.(upstreamTask), seedanceVideos.remove?.(upstreamTask)]).toEqual([call, call]);
});
