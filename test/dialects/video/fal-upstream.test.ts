// fal's queue as an upstream: what it is sent, and what its answers mean.
import { expect, test } from "bun:test";
import { falVideos } from "../../../src/dialects/video/index.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, upstreamTask } from "./setting.ts";
import { dataUri, inline, link, linked, submitsTo } from "./submits.ts";

const { call, body, effect, warnings, refusal, render } = submitsTo(falVideos, "acme/new-video");
const wire = (text: string, status = 200) => answered(status, JSON.parse(text));
const task = { ...upstreamTask, model: "fal-ai/veo3.1/fast", upstreamState: { app: "fal-ai/veo3.1" } };
const done = { ...task, upstreamState: { ...task.upstreamState, isDone: true } };
const status = (text: string, code = 200) => falVideos.progress(wire(text, code), task);
const answer = (text: string, code = 200) => falVideos.progress(wire(text, code), done);

test("the model is the path, and its inputs have the names of its family", () => {
  expect(call()).toEqual({ path: "acme/new-video", body: { prompt: "a cat" } });
  const images = [linked("first"), inline("last")];
  expect(
    body({ images, seconds: 7, negativePrompt: "x", audio: true }, "fal-ai/kling-video/v2.6/pro/image-to-video"),
  ).toEqual({
    prompt: "a cat",
    start_image_url: link,
    end_image_url: dataUri,
    negative_prompt: "x",
    generate_audio: true,
    duration: "5",
  });
  const sized = { seconds: 8, width: 1920, height: 1080, seed: 0 };
  expect(body(sized, "fal-ai/veo3.1")).toEqual({
    prompt: "a cat",
    seed: 0,
    duration: "8s",
    aspect_ratio: "16:9",
    resolution: "1080p",
  });
  expect(body({ images }, "fal-ai/veo3.1/first-last-frame-to-video")).toMatchObject({
    first_frame_url: link,
    last_frame_url: dataUri,
  });
  expect(body({ seconds: 5 }, "fal-ai/sora-2/text-to-video").duration).toBe(4);
  expect(body({ seconds: 9, resolution: "1080p" }, "fal-ai/minimax/hailuo-02/standard/image-to-video")).toMatchObject({
    duration: "10",
    resolution: "768P",
  });
  expect(effect(sized, "fal-ai/veo3.1")).toEqual({ seconds: 8, resolution: "1080p" });
  expect(warnings({ ...sized, fps: 24 }, "fal-ai/veo3.1")).toEqual(["dropped fps"]);
  expect(refusal({ images }, "fal-ai/veo3.1")).toBe("unsupported_parameter first");
  expect(refusal({ images }, "fal-ai/veo3.1/image-to-video")).toBe("unsupported_parameter last");
  expect(body({ metadata: { guidance_scale: 3, sync_mode: true } })).toEqual({ guidance_scale: 3, prompt: "a cat" });
});

test("only paths of apps are models", () => {
  const strange = ["veo", "fal-ai/..", "fal-ai/../x", "a//b", "/a/b", "a/b?x", "a/b#x", "https://a/b", ""];
  expect(strange.filter((model) => falVideos.serves?.(model))).toEqual([]);
  expect(falVideos.serves?.("fal-ai/kling-video/v2.5-turbo/pro/text-to-video")).toBe(true);
});

test("behind the submit the path within the app is gone", () => {
  expect(render({}, "fal-ai/veo3.1/fast").upstreamState).toEqual({ app: "fal-ai/veo3.1" });
  const at = (app: string) =>
    falVideos.accepted(
      wire(
        `{"status":"IN_QUEUE","request_id":"80e732af","response_url":"https://queue.fal.run/${app}/requests/80e732af"}`,
      ),
    );
  expect(at("workflows/acme/flow")).toEqual({ upstreamId: "80e732af", upstreamState: { app: "workflows/acme/flow" } });
  expect(at("../evil?x=")).toEqual({ upstreamId: "80e732af", upstreamState: {} });
  expect(falVideos.poll(task).path).toBe("fal-ai/veo3.1/requests/up%2F1/status");
  expect(falVideos.poll({ ...task, upstreamState: {} }).path).toBe("fal-ai/veo3.1/requests/up%2F1/status");
  expect(falVideos.cancel?.(task)).toEqual({
    method: "PUT",
    path: "fal-ai/veo3.1/requests/up%2F1/cancel",
    body: {},
  });
  const refused = '{"detail":"User is locked. Reason: Exhausted balance."}';
  expect(thrown(() => falVideos.accepted(wire(refused)))).toMatchObject({ kind: "upstream_credentials" });
});

test("the status tells the end, the answer what it was", () => {
  expect(status('{"status":"IN_QUEUE","queue_position":2}', 202)).toEqual({ state: "queued" });
  expect(status('{"status":"IN_PROGRESS","logs":null}', 202)).toEqual({ state: "in_progress" });
  expect(status('{"status":"COMPLETED","metrics":{"inference_time":3.7}}')).toEqual({
    state: "in_progress",
    upstreamState: { isDone: true },
  });
  expect(status('{"status":"COMPLETED","error":"timed out","error_type":"request_timeout"}')).toMatchObject({
    state: "failed",
    failure: { code: "upstream_timeout" },
  });
  expect(falVideos.poll(done).path).toBe("fal-ai/veo3.1/requests/up%2F1");
  const video = `{"video":{"url":"${link}","content_type":"video/mp4","file_name":"o.mp4","file_size":8062911,"duration":8.04,"width":1280,"height":720,"fps":24},"seed":42}`;
  expect(answer(video)).toEqual({
    state: "completed",
    results: [
      {
        place: { kind: "url", url: link },
        mediaType: "video/mp4",
        seconds: 8.04,
        width: 1280,
        height: 720,
        fps: 24,
        seed: 42,
      },
    ],
  });
  for (const text of ["{}", '{"video":null}', '{"video":{"url":"file:///a"}}'])
    expect(answer(text)).toEqual({ state: "completed", results: [] });
});

test("a request that is done may have failed", () => {
  const detail = (type: string) => `{"detail":[{"loc":["body","prompt"],"msg":"it says why","type":"${type}"}]}`;
  expect(answer(detail("content_policy_violation"), 422)?.failure).toEqual({
    code: "content_policy_violation",
    message: "it says why",
  });
  expect(answer(detail("image_too_small"), 422)?.failure?.code).toBe("invalid_parameter");
  expect(answer('{"detail":"no such voice"}', 400)?.failure?.code).toBe("invalid_parameter");
  expect(answer('{"detail":"Internal Server Error"}', 500)?.failure?.code).toBe("generation_failed");
  expect(answer('{"detail":"Request is still in progress"}', 400)).toEqual({ state: "in_progress" });
  expect(answer('{"detail":"Unauthorized"}', 401)).toBeNull();
  expect(falVideos.progress(answered(503, "busy"), done)).toBeNull();
});

test("errors by their type and status", () => {
  const parse = (code: number, detail: unknown) => falVideos.error.parse(code, { detail });
  expect(parse(422, [{ loc: ["body", "duration"], msg: "unexpected value", type: "value_error" }])).toMatchObject({
    status: 422,
    code: "invalid_parameter",
    message: "unexpected value",
  });
  expect(parse(422, [{ loc: ["body"], msg: "no", type: "content_policy_violation" }])).toMatchObject({
    status: 400,
    code: "content_policy_violation",
  });
  expect(parse(401, "No user found for Key ID and Secret")).toMatchObject({ kind: "upstream_credentials" });
  expect(parse(403, "User is locked. Reason: Exhausted balance.")).toMatchObject({ kind: "upstream_credentials" });
  expect(parse(429, "Too many requests")).toMatchObject({ kind: "upstream_rate_limited" });
  expect(parse(503, "internal")).toMatchObject({ kind: "upstream_overloaded" });
});
