// MiniMax's newer videos as an upstream: what they are sent, and what their answers mean.
import { expect, test } from "bun:test";
import { minimaxNewerVideos, minimaxVideos } from "../../../src/dialects/video/index.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, upstreamTask } from "./setting.ts";
import { dataUri, inline, link, linked, submitsTo } from "./submits.ts";

const { call, body, effect, warnings, refusal } = submitsTo(minimaxNewerVideos, "MiniMax-H3");
const wire = (text: string, status = 200) => answered(status, JSON.parse(text));
const progress = (text: string, status = 200) => minimaxNewerVideos.progress(wire(text, status), upstreamTask);
const task = (members: string) => progress(`{"task":{"id":"1","model":"MiniMax-H3",${members}}}`);

test("each model belongs to one of the two wires", () => {
  for (const model of ["MiniMax-H3", "MiniMax-H3-Max", "minimax-h3-max-turbo"])
    expect([minimaxVideos.serves?.(model), minimaxNewerVideos.serves?.(model)]).toEqual([false, true]);
  for (const model of ["MiniMax-Hailuo-02", "MiniMax-Hailuo-2.3-Fast", "I2V-01-live", "S2V-01"])
    expect([minimaxVideos.serves?.(model), minimaxNewerVideos.serves?.(model)]).toEqual([true, false]);
});

test("a plain submit has a shape, a length and a tier, since nothing is guessed from an image", () => {
  expect(call()).toEqual({
    path: "v2/video_generation",
    body: {
      model: "MiniMax-H3",
      content: [{ type: "text", text: "a cat" }],
      resolution: "768P",
      duration: 5,
      ratio: "16:9",
    },
  });
  expect(effect()).toEqual({ seconds: 5, resolution: "768p", audio: true });
});

test("lengths, shapes and tiers go to the nearest", () => {
  expect([1, 4, 4.5, 15, 16].map((seconds) => body({ seconds }).duration)).toEqual([4, 4, 5, 15, 15]);
  expect(body({ seconds: 4 }, "MiniMax-H3-Max").duration).toBe(5);
  expect(["720p", "1080p", "2k", "4k"].map((resolution) => body({ resolution }).resolution)).toEqual([
    "768P",
    "768P",
    "2K",
    "2K",
  ]);
  expect(body({ width: 1080, height: 1920 })).toMatchObject({ ratio: "9:16", resolution: "768P" });
  expect(warnings({ seconds: 3, resolution: "2k", ratio: "9:16" })).toEqual(["approximated seconds"]);
  expect(warnings({ audio: false, seed: 1, fps: 30, negativePrompt: "x" })).toEqual([
    "dropped negativePrompt",
    "dropped fps",
    "dropped seed",
    "dropped audio",
  ]);
});

test("images have roles; frames and references do not go together", () => {
  const images = [linked("first"), inline("last")];
  expect(body({ images }).content).toEqual([
    { type: "text", text: "a cat" },
    { type: "image_url", image_url: { url: link }, role: "first_frame" },
    { type: "image_url", image_url: { url: dataUri }, role: "last_frame" },
  ]);
  expect(body({ images }).ratio).toBeUndefined();
  expect(warnings({ images, ratio: "9:16" })).toEqual(["dropped ratio"]);
  expect(body({ images: [linked("reference")] }).content).toContainEqual({
    type: "image_url",
    image_url: { url: link },
    role: "reference_image",
  });
  expect(refusal({ images: [linked("first"), linked("reference")] })).toBe("unsupported_parameter reference");
  expect(refusal({ prompt: undefined as never, images })).toBe("missing_required_parameter prompt");
});

test("errors have a status, and a number at the end of their words", () => {
  const refused = (status: number, type: string, message: string) =>
    minimaxNewerVideos.error.parse(status, {
      type: "error",
      error: { type, message, http_code: String(status) },
      request_id: "021785229015510a2c883cf675b9804d",
    });
  expect(
    refused(422, "unprocessable_entity_error", "video description contains sensitive content (1026)"),
  ).toMatchObject({ status: 400, code: "content_policy_violation" });
  expect(refused(402, "insufficient_balance_error", "insufficient balance (1008)")).toMatchObject({
    kind: "upstream_credentials",
  });
  expect(refused(429, "rate_limit_error", "rate limit, please retry later (1002)")).toMatchObject({
    kind: "upstream_rate_limited",
  });
  expect(refused(401, "authorized_error", "login fail (1004)")).toMatchObject({ kind: "upstream_credentials" });
  expect(refused(400, "bad_request_error", "invalid params, prompt is required (2013)")).toMatchObject({
    status: 400,
    code: "invalid_parameter",
  });
  const inDisguise = '{"type":"error","error":{"type":"server_error","message":"internal error (1000)"}}';
  expect(thrown(() => minimaxNewerVideos.accepted(wire(inDisguise)))).toMatchObject({ kind: "upstream_failed" });
  expect(minimaxNewerVideos.accepted(wire('{"task_id":"424010985738629"}'))).toEqual({ upstreamId: "424010985738629" });
});

test("every word of a task", () => {
  expect(["queued", "running", "expired"].map((word) => task(`"status":"${word}"`)?.state)).toEqual([
    "queued",
    "in_progress",
    "expired",
  ]);
  expect(task(`"status":"cancelled"`)).toMatchObject({ state: "cancelled", failure: { code: "cancelled" } });
  const done = `"status":"succeeded","content":{"url":"${link}"},"usage":{"total_seconds":11,"input_seconds":5,"output_seconds":6}`;
  expect(task(done)).toEqual({
    state: "completed",
    effect: { seconds: 6 },
    results: [{ place: { kind: "locate", ref: "up/1" }, mediaType: "video/mp4" }],
  });
  expect(task(`"status":"succeeded"`)).toMatchObject({ state: "completed", results: [] });
  expect(task(`"status":"failed","error":{"code":"1027","message":"output sensitive"}`)).toMatchObject({
    failure: { code: "content_policy_violation", message: "output sensitive" },
  });
  expect(progress('{"type":"error","error":{"message":"invalid params, task not found (2013)"}}', 400)).toEqual({
    isGone: true,
  });
});

test("a fresh address comes with a new answer; a task can be ended", () => {
  const { locate, cancel } = minimaxNewerVideos;
  expect(locate?.call(upstreamTask, "up/1").path).toBe("v2/query/video_generation/up%2F1");
  expect(locate?.read(wire(`{"task":{"content":{"url":"${link}"}}}`))).toBe(link);
  expect(locate?.read(wire('{"task":{"content":null}}'))).toBeNull();
  expect(cancel?.(upstreamTask)).toEqual({ method: "DELETE", path: "v2/video_generation/up%2F1", body: {} });
});
