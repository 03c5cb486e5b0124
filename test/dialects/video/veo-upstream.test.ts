// Veo as an upstream, on the Gemini API and on Vertex AI: what it is sent, and what its operations tell.
import { describe, expect, test } from "bun:test";
import { geminiVeo, vertexVeo } from "../../../src/dialects/video/index.ts";
import { wireJson } from "../../support/fixtures.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, pixel, upstreamTask } from "./setting.ts";
import { inline, linked, submitsTo } from "./submits.ts";

const google = submitsTo(geminiVeo, "veo-3.1-generate-preview");
const cloud = submitsTo(vertexVeo, "veo-3.0-generate-001");
const replyOf = (name: string, status = 200) => answered(status, wireJson(`video/veo/${name}.json`));
const operation = "models/veo-3.1-generate-preview/operations/idrk08ltkg0a";
const task = { ...upstreamTask, upstreamId: operation };
const image = { bytesBase64Encoded: Buffer.from(pixel).toString("base64"), mimeType: "image/png" };
const parameters = (change = {}, model?: string) => google.body(change, model).parameters;

describe("a submit", () => {
  test("plain", () => {
    expect(google.call()).toEqual({
      path: "v1beta/models/veo-3.1-generate-preview:predictLongRunning",
      body: { instances: [{ prompt: "a cat" }], parameters: {} },
    });
    expect(google.effect()).toEqual({ seconds: 8, resolution: "720p", width: 1280, height: 720, audio: true });
    expect(google.call({}, "models/veo-2.0-generate-001").path).toBe(
      "v1beta/models/veo-2.0-generate-001:predictLongRunning",
    );
    expect([geminiVeo.serves?.("veo-3.0-fast-generate-001"), geminiVeo.serves?.("gemini-3-pro")]).toEqual([
      true,
      false,
    ]);
  });

  test("lengths are numbers, by the generation", () => {
    const made = (model: string) =>
      [1, 4.9, 5, 6, 7, 9].map(
        (seconds) => (parameters({ seconds }, model) as { durationSeconds: number }).durationSeconds,
      );
    expect(made("veo-3.1-generate-preview")).toEqual([4, 4, 6, 6, 8, 8]);
    expect(made("veo-2.0-generate-001")).toEqual([5, 5, 5, 6, 7, 8]);
    expect(google.warnings({ seconds: 5 })).toEqual(["approximated seconds"]);
    expect(google.warnings({ seconds: 6 })).toEqual([]);
  });

  test("shapes: two ratios, and higher tiers in the longest length alone", () => {
    expect(parameters({ width: 1920, height: 1080 })).toEqual({ aspectRatio: "16:9", resolution: "1080p" });
    expect(parameters({ ratio: "3:4" })).toEqual({ aspectRatio: "9:16" });
    expect(google.warnings({ ratio: "3:4" })).toEqual(["approximated ratio"]);
    expect(parameters({ resolution: "1080p", seconds: 8 })).toEqual({ resolution: "1080p", durationSeconds: 8 });
    expect(parameters({ resolution: "1080p", seconds: 6 })).toEqual({ resolution: "720p", durationSeconds: 6 });
    expect(google.warnings({ resolution: "1080p", seconds: 6 })).toEqual(["approximated resolution"]);
    expect(parameters({ resolution: "4k" })).toEqual({ resolution: "4k" });
    expect(parameters({ resolution: "4k" }, "veo-3.0-generate-001")).toEqual({ resolution: "1080p" });
    expect(parameters({ resolution: "720p" }, "veo-2.0-generate-001")).toEqual({});
    expect(google.warnings({ resolution: "1080p" }, "veo-2.0-generate-001")).toEqual(["approximated resolution"]);
    expect(cloud.body({ resolution: "1080p", seconds: 6 }).parameters).toEqual({
      resolution: "1080p",
      durationSeconds: 6,
    });
  });

  test("images are bytes with their type, each in its place", () => {
    expect(geminiVeo.imageForms).toEqual(["base64"]);
    expect(google.body({ images: [inline("first"), inline("last")] }).instances).toEqual([
      { prompt: "a cat", image, lastFrame: image },
    ]);
    const references = (count: number) =>
      Array.from({ length: count }, (_, at) => inline("reference", `images[${at}]`));
    expect(google.body({ images: references(1) }).instances).toEqual([
      { prompt: "a cat", referenceImages: [{ image, referenceType: "asset" }] },
    ]);
    expect(google.refusal({ images: references(3) })).toBe("none");
    expect(google.refusal({ images: references(4) })).toBe("unsupported_parameter images[3]");
    expect(google.refusal({ images: [inline("last")] })).toBe("unsupported_parameter last");
    expect(google.refusal({ images: [linked("first")] })).toBe("unsupported_parameter first");
    expect(google.refusal({ prompt: undefined as never })).toBe("missing_required_parameter prompt");
  });

  test("seed, negative prompt, sound, several videos, and what has no place", () => {
    // Only Vertex has a seed.
    expect(parameters({ seed: 7, negativePrompt: "dogs", fps: 24 })).toEqual({ negativePrompt: "dogs" });
    expect(google.warnings({ seed: 7 })).toEqual(["dropped seed"]);
    expect(cloud.body({ seed: 7 }).parameters).toEqual({ seed: 7 });
    expect(cloud.warnings({ seed: 7 })).toEqual([]);
    expect(google.warnings({ fps: 24 })).toEqual([]);
    expect(google.warnings({ fps: 30, watermark: false, audio: false })).toEqual([
      "dropped fps",
      "dropped watermark",
      "dropped audio",
    ]);
    expect(google.warnings({ audio: true })).toEqual([]);
    expect(google.warnings({ audio: true }, "veo-2.0-generate-001")).toEqual(["dropped audio"]);
    expect(cloud.body({ audio: false, n: 2 }).parameters).toEqual({ generateAudio: false, sampleCount: 2 });
    expect(cloud.effect({ audio: false }).audio).toBe(false);
    expect(cloud.warnings({ audio: false })).toEqual([]);
    expect([geminiVeo.maxVideos, vertexVeo.maxVideos]).toEqual([undefined, 4]);
  });

  test("members of its own go through, those that are decided here do not", () => {
    const evil = { storageUri: "gs://x", sampleCount: 4, durationSeconds: 8, pubsubTopic: "x", resolution: "4k" };
    const metadata = { personGeneration: "allow_adult", enhancePrompt: true, ...evil };
    expect(parameters({ metadata })).toEqual({ personGeneration: "allow_adult" });
    expect(cloud.body({ metadata }).parameters).toEqual({ personGeneration: "allow_adult", enhancePrompt: true });
  });
});

describe("an operation of the Gemini API", () => {
  const progress = (name: string, status = 200) => geminiVeo.progress(replyOf(name, status), task);

  test("is accepted by its name, which becomes a path", () => {
    expect(geminiVeo.accepted(replyOf("accepted"))).toEqual({ upstreamId: operation });
    expect(geminiVeo.poll(task)).toEqual({ method: "GET", path: `v1beta/${operation}`, body: {} });
    for (const name of ["", "../x", "models/../../x", "a//b", "a?b", "a#b", "/a", "a/./b", "a b", 7])
      expect({ ...thrown(() => geminiVeo.accepted(answered(200, { name }))), name }).toMatchObject({
        name,
        kind: "upstream_protocol_error",
      });
    const refused = { error: { code: 400, message: "bad", status: "INVALID_ARGUMENT" } };
    expect(thrown(() => geminiVeo.accepted(answered(200, refused)))).toMatchObject({ kind: "upstream_rejected" });
  });

  test("runs, ends, is held back or fails", () => {
    expect(progress("accepted")).toEqual({ state: "in_progress" });
    expect(progress("done")).toEqual({
      state: "completed",
      results: [{ place: { kind: "content", ref: "files/d0b7u5vdc6ff" }, mediaType: "video/mp4" }],
    });
    expect(progress("filtered")).toMatchObject({
      state: "failed",
      failure: { code: "content_policy_violation", message: expect.stringContaining("the audio for your prompt") },
    });
    expect(progress("failed")).toMatchObject({ state: "failed", failure: { code: "generation_failed" } });
    const failed = (error: object) =>
      geminiVeo.progress(answered(200, { name: operation, done: true, error }), task)?.failure?.code;
    expect(failed({ code: 3, message: "The prompt violates Google's Responsible AI practices." })).toBe(
      "content_policy_violation",
    );
    expect(failed({ code: 3, message: "Image is too small." })).toBe("invalid_parameter");
    const empty = { name: operation, done: true, response: { generateVideoResponse: {} } };
    expect(geminiVeo.progress(answered(200, empty), task)).toEqual({ state: "completed", results: [] });
  });

  test("that nobody knows is gone; any other refusal says nothing of it", () => {
    expect(geminiVeo.progress(answered(404, { error: { code: 404 } }), task)).toEqual({ isGone: true });
    for (const [status, body] of [
      [429, {}],
      [503, wireJson("video/veo/done.json")],
      [200, "<html>"],
      [200, {}],
    ] as const)
      expect(geminiVeo.progress(answered(status, body), task)).toBeNull();
  });

  test("has files behind the key, at the configured address alone", () => {
    const place = { kind: "content", ref: "files/d0b7u5vdc6ff" } as const;
    expect(geminiVeo.content?.(task, place, "video")).toEqual({
      method: "GET",
      path: "v1beta/files/d0b7u5vdc6ff:download?alt=media",
      body: {},
    });
    expect(geminiVeo.content?.(task, place, "thumbnail")).toBeNull();
    const placeOf = (video: object) => {
      const response = { generateVideoResponse: { generatedSamples: [{ video }] } };
      return geminiVeo.progress(answered(200, { name: operation, done: true, response }), task)?.results?.[0]?.place;
    };
    expect(placeOf({ uri: "https://other.example/download/v1beta/files/abc:download?alt=media" })).toEqual({
      kind: "content",
      ref: "files/abc",
    });
    expect(placeOf({ uri: "https://storage.example/signed/video.mp4?s=1" })).toEqual({
      kind: "url",
      url: "https://storage.example/signed/video.mp4?s=1",
    });
    expect(placeOf({ uri: "gs://bucket/video.mp4" })).toBeUndefined();
    expect(placeOf({ uri: "https://x.example/v1beta/files/../../evil:download" })).toMatchObject({ kind: "url" });
    expect(placeOf({ encodedVideo: "AAAA", encoding: "video/webm" })).toEqual({ kind: "inline", base64: "AAAA" });
  });
});

test("an operation of Vertex is asked for at its model, and brings the bytes", () => {
  const { upstreamId } = vertexVeo.accepted(replyOf("vertex-accepted"));
  expect(cloud.call().path).toBe("models/veo-3.0-generate-001:predictLongRunning");
  expect(vertexVeo.poll({ ...upstreamTask, model: "veo-3.0-generate-001", upstreamId })).toEqual({
    path: "models/veo-3.0-generate-001:fetchPredictOperation",
    body: { operationName: upstreamId },
  });
  // One of two was held back: the other one is still there.
  expect(vertexVeo.progress(replyOf("vertex-done"), task)).toEqual({
    state: "completed",
    results: [{ place: { kind: "inline", base64: "AAAAIGZ0eXBpc29t" }, mediaType: "video/mp4" }],
  });
});
