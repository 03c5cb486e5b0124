// MiniMax up to Hailuo 2.3 as an upstream: what it is sent, and what its answers mean.
import { expect, test } from "bun:test";
import { minimaxVideos } from "../../../src/dialects/video/index.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, upstreamTask } from "./setting.ts";
import { dataUri, inline, link, linked, submitsTo } from "./submits.ts";

const { call, body, effect, warnings, refusal } = submitsTo(minimaxVideos, "MiniMax-Hailuo-02");
const wire = (text: string, status = 200) => answered(status, JSON.parse(text));
const progress = (text: string, status = 200) => minimaxVideos.progress(wire(text, status), upstreamTask);
const ok = '"base_resp":{"status_code":0,"status_msg":"success"}';

test("a plain submit says only what the client said", () => {
  expect(call()).toEqual({ path: "video_generation", body: { model: "MiniMax-Hailuo-02", prompt: "a cat" } });
  expect(effect()).toEqual({ seconds: 6, resolution: "768p", audio: false });
  expect(warnings()).toEqual([]);
});

test("lengths and tiers go to what the family makes", () => {
  const lengths = [1, 6, 7.9, 8, 10, 60];
  expect(lengths.map((seconds) => body({ seconds }).duration)).toEqual([6, 6, 6, 10, 10, 10]);
  const tiers = ["480p", "720p", "768p", "1080p", "4k"];
  const first = [linked("first")];
  expect(tiers.map((resolution) => body({ resolution }).resolution)).toEqual([
    "768P",
    "768P",
    "768P",
    "1080P",
    "1080P",
  ]);
  expect(body({ resolution: "480p", images: first }).resolution).toBe("512P");
  expect(body({ resolution: "480p", images: first }, "MiniMax-Hailuo-2.3").resolution).toBe("768P");
  expect(body({ width: 1920, height: 1080 })).toMatchObject({ resolution: "1080P" });
  // The highest tier is only made in the shortest length.
  expect(body({ resolution: "1080p", seconds: 10 })).toMatchObject({ resolution: "1080P", duration: 6 });
  expect(warnings({ resolution: "1080p", seconds: 10 })).toEqual(["approximated seconds"]);
  expect(warnings({ resolution: "720p", seconds: 6 })).toEqual(["approximated resolution"]);
  expect(warnings({ seconds: 10, width: 1920, height: 1080 })).toEqual(["approximated seconds"]);
});

test("the oldest models have no fields for length and tier", () => {
  expect(body({ seconds: 10, resolution: "1080p" }, "T2V-01-Director")).toEqual({
    model: "T2V-01-Director",
    prompt: "a cat",
  });
  expect(effect({ seconds: 10 }, "T2V-01")).toMatchObject({ seconds: 6, resolution: "720p" });
  expect(warnings({ seconds: 10, resolution: "1080p" }, "T2V-01")).toEqual([
    "approximated seconds",
    "approximated resolution",
  ]);
});

test("images go as addresses or data URIs, each in its place", () => {
  expect(body({ images: [linked("first"), inline("last")] })).toMatchObject({
    first_frame_image: link,
    last_frame_image: dataUri,
  });
  expect(body({ images: [inline("reference")] }, "S2V-01").subject_reference).toEqual([
    { type: "character", image: [dataUri] },
  ]);
  expect(body({ prompt: undefined as never, images: [linked("first")] }).prompt).toBeUndefined();
  expect(refusal({ prompt: undefined as never })).toBe("missing_required_parameter prompt");
  expect(refusal({ images: [linked("last")] }, "MiniMax-Hailuo-2.3")).toBe("unsupported_parameter last");
  expect(refusal({}, "MiniMax-Hailuo-2.3-Fast")).toBe("unsupported_parameter model");
  expect(refusal({ images: [linked("first")] }, "T2V-01")).toBe("unsupported_parameter first");
  expect(refusal({}, "I2V-01-live")).toBe("unsupported_parameter model");
  expect(refusal({ images: [linked("reference")] })).toBe("unsupported_parameter reference");
  expect(refusal({ images: [linked("reference"), linked("reference", "second")] }, "S2V-01")).toBe(
    "unsupported_parameter second",
  );
  expect(refusal({ images: [linked("first")] }, "S2V-01")).toBe("unsupported_parameter first");
});

test("what has no place is warned about", () => {
  expect(
    warnings({ negativePrompt: "dogs", seed: 1, fps: 24, audio: true, ratio: "9:16", watermark: true, endUser: "u" }),
  ).toEqual(["dropped negativePrompt", "dropped fps", "dropped seed", "dropped audio", "approximated ratio"]);
  expect(warnings({ ratio: "16:9", audio: false })).toEqual([]);
  expect(warnings({ ratio: "9:16", images: [linked("first")] })).toEqual(["dropped ratio"]);
  expect(body({ watermark: false }).aigc_watermark).toBe(false);
  expect(body({ metadata: { prompt_optimizer: false, fast_pretreatment: true } })).toMatchObject({
    prompt_optimizer: false,
    fast_pretreatment: true,
  });
});

test("an accepted submit names its task, a refusal may come as a success", () => {
  expect(minimaxVideos.accepted(wire(`{"task_id":"106916112212032",${ok}}`))).toEqual({
    upstreamId: "106916112212032",
  });
  const refused = (code: number, message: string) =>
    thrown(() =>
      minimaxVideos.accepted(wire(`{"task_id":"","base_resp":{"status_code":${code},"status_msg":"${message}"}}`)),
    );
  expect(refused(1002, "rate limit")).toMatchObject({ kind: "upstream_rate_limited", status: 429 });
  expect(refused(1004, "login fail: Please carry the API secret key")).toMatchObject({ kind: "upstream_credentials" });
  expect(refused(1008, "insufficient balance")).toMatchObject({ kind: "upstream_credentials", status: 502 });
  expect(refused(1026, "input new_sensitive")).toMatchObject({ status: 400, code: "content_policy_violation" });
  expect(refused(2013, "invalid params, bad prompt")).toMatchObject({ status: 400, code: "invalid_parameter" });
  expect(refused(2013, "invalid params, unknown model")).toMatchObject({ kind: "upstream_model_not_found" });
  expect(refused(1001, "timeout")).toMatchObject({ kind: "upstream_timeout" });
  expect(refused(9999, "something new")).toMatchObject({ kind: "upstream_failed" });
});

test("every word of a task", () => {
  const word = (status: string) => progress(`{"task_id":"1","status":"${status}","file_id":"",${ok}}`);
  expect(["Preparing", "Queueing", "Processing"].map((status) => word(status)?.state)).toEqual([
    "queued",
    "queued",
    "in_progress",
  ]);
  const done = `{"task_id":"176843862716480","status":"Success","file_id":"176844028768320","video_width":1920,"video_height":1080,${ok}}`;
  expect(progress(done)).toEqual({
    state: "completed",
    results: [{ place: { kind: "locate", ref: "176844028768320" }, mediaType: "video/mp4", width: 1920, height: 1080 }],
  });
  expect(word("Success")).toEqual({ state: "completed", results: [] });
  const failed = (code: number, message: string) =>
    progress(
      `{"task_id":"1","status":"Fail","file_id":"","base_resp":{"status_code":${code},"status_msg":"${message}"}}`,
    )?.failure;
  expect(failed(1027, "output new_sensitive")).toEqual({
    code: "content_policy_violation",
    message: "output new_sensitive",
  });
  expect(failed(0, "")).toEqual({ code: "generation_failed", message: "The provider could not generate the video." });
  expect(failed(1008, "insufficient balance")).toMatchObject({
    code: "upstream_quota",
    message: expect.stringContaining("account"),
  });
});

test("a poll that is refused says nothing of the task, unless it is the id that is refused", () => {
  const refused = (code: number) => progress(`{"base_resp":{"status_code":${code},"status_msg":"no"}}`);
  expect([1002, 1004, 1033].map(refused)).toEqual([null, null, null]);
  expect(refused(2013)).toEqual({ isGone: true });
});

test("the address of a file is asked for", () => {
  const { locate } = minimaxVideos;
  expect(locate?.call(upstreamTask, "17/6")).toEqual({
    method: "GET",
    path: "files/retrieve?file_id=17%2F6",
    body: {},
  });
  const file = `{"file":{"file_id":"1","bytes":5896337,"created_at":1700469398,"filename":"output_aigc.mp4","purpose":"video_generation","download_url":"${link}"},${ok}}`;
  expect(locate?.read(wire(file))).toBe(link);
  for (const text of ['{"base_resp":{"status_code":2013,"status_msg":"no such file"}}', `{"file":null,${ok}}`, "[]"])
    expect(locate?.read(wire(text))).toBeNull();
  expect(locate?.read(wire(file, 500))).toBeNull();
  expect(locate?.read(wire(file.replace('"status_code":0', '"status_code":1004')))).toBeNull();
});
