// Kling's models by their rows: what only some of them have, and what happens to a model without a row.
import { expect, test } from "bun:test";
import { klingTasks, klingVideos } from "../../../src/dialects/video/index.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered } from "./setting.ts";
import { link, linked, submitsTo } from "./submits.ts";

const older = submitsTo(klingVideos, "kling-v2-1");
const newer = submitsTo(klingTasks, "kling-3.0");

test("sound of 2.6 and a last frame of 2.x exist at 1080p only", () => {
  const { body, effect, warnings } = older;
  const both = { images: [linked("first"), linked("last")] };
  expect(body({ audio: true }, "kling-v2-6")).toMatchObject({ sound: "on", mode: "pro" });
  expect(warnings({ audio: true, resolution: "720p" }, "kling-v2-6")).toEqual(["approximated resolution"]);
  expect(body(both, "kling-v2-1").mode).toBe("pro");
  expect(effect(both, "kling-v2-5-turbo").resolution).toBe("1080p");
  expect(body({ audio: false }, "kling-v2-6").mode).toBeUndefined();
  expect(body(both, "kling-v1-6").mode).toBeUndefined();
  expect(body({ audio: true, ...both }, "kling-v3").mode).toBeUndefined();
});

test("omni models have a path of their own, with references among the contents", () => {
  const { body, call } = newer;
  for (const model of ["kling-3.0-omni", "kling-o1", "kling-v3-omni"]) {
    expect(klingTasks.serves?.(model)).toBe(true);
    expect(call({ images: [linked("first"), linked("reference")] }, model)).toMatchObject({
      path: `omni-video/${model}`,
      body: {
        contents: [
          { type: "prompt", text: "a cat" },
          { type: "first_frame", url: link },
          { type: "refer_image", url: link },
        ],
      },
    });
    expect(body({}, model).contents).toEqual([{ type: "prompt", text: "a cat" }]);
  }
  expect(body({ images: [linked("reference")], ratio: "9:16" }, "kling-o1").settings).toMatchObject({
    aspect_ratio: "9:16",
  });
  expect(body({ seconds: 8 }, "kling-o1").settings).toMatchObject({ duration: 10 });
});

test("the omni model of the older paths has a path of its own there", () => {
  const { call, effect, refusal, render, warnings } = older;
  const model = "kling-video-o1";
  expect(call({ images: [linked("first"), linked("last"), linked("reference")], seconds: 8 }, model)).toMatchObject({
    path: "v1/videos/omni-video",
    body: {
      model_name: model,
      duration: "10",
      image_list: [
        { image_url: link, type: "first_frame" },
        { image_url: link, type: "end_frame" },
        { image_url: link },
      ],
    },
  });
  expect(call({ ratio: "9:16" }, model)).toMatchObject({
    path: "v1/videos/omni-video",
    body: { prompt: "a cat", aspect_ratio: "9:16" },
  });
  expect(render({}, model).upstreamState).toMatchObject({ path: "v1/videos/omni-video" });
  expect([warnings({}, model), effect({}, model).seconds]).toEqual([[], 5]);
  expect(refusal({ prompt: undefined as never, images: [linked("first")] }, model)).toBe(
    "missing_required_parameter prompt",
  );
});

test("3.0-turbo has neither 4k nor a choice of sound nor a last frame", () => {
  const { body, refusal, warnings } = newer;
  const turbo = "kling-3.0-turbo";
  expect(body({ resolution: "4k", audio: true }, turbo).settings).toEqual({ resolution: "1080p", duration: 5 });
  expect(warnings({ resolution: "4k", audio: true }, turbo)).toEqual(["approximated resolution"]);
  expect(warnings({ audio: false }, turbo)).toEqual(["dropped audio"]);
  expect(newer.effect({}, turbo).audio).toBe(true);
  expect(refusal({ images: [linked("first"), linked("last")] }, turbo)).toBe("unsupported_parameter last");
  expect(body({ resolution: "4k" }, "kling-3.0").settings).toMatchObject({ resolution: "4k" });
});

test("a model without a row is sent what the client said", () => {
  const { body, warnings } = newer;
  expect(body({ seconds: 22, ratio: "21:9", resolution: "1080p", audio: true }, "kling-4.0").settings).toEqual({
    ...{ audio: "native", resolution: "1080p", aspect_ratio: "21:9", duration: 22 },
  });
  expect(warnings({ seconds: 22 }, "kling-4.0")).toEqual(["unverified model"]);
  expect(body({}, "kling-4.0").settings).toEqual({});
  expect(older.body({ seconds: 22, ratio: "21:9", resolution: "1080p" }, "kling-v4-0")).toMatchObject({
    ...{ duration: "22", aspect_ratio: "21:9", mode: "pro" },
  });
});

test("an access key pair is refused with a word about it", () => {
  const { kind, message } = klingTasks.error.parse(401, { code: 1002, message: "Auth failed", request_id: "r" });
  expect(kind).toBe("upstream_credentials");
  expect(message).toMatch(/API key \('credential'\).*access key pair/);
  expect(thrown(() => klingTasks.accepted(answered(200, { code: 1002, message: "m" })))).toMatchObject({
    kind,
    message,
  });
  expect(klingVideos.error.parse(401, { code: 1002, message: "m" }).message).not.toContain("API key");
});
