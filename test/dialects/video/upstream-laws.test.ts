// What every video upstream keeps to, whatever its wire: strange words, strange answers, hostile metadata.
import { describe, expect, test } from "bun:test";
import {
  falVideos,
  minimaxNewerVideos,
  minimaxVideos,
  replicateVideos,
  runwayVideos,
  seedanceVideos,
  viduVideos,
} from "../../../src/dialects/video/index.ts";
import type { VideoUpstream } from "../../../src/dialects/video/upstream.ts";
import { thrown } from "../../support/sample-requests.ts";
import { answered, upstreamTask } from "./setting.ts";
import { linked, submitsTo } from "./submits.ts";

/** The upstream, a model of it, and an answer to a poll with this word for its state. */
type Row = readonly [upstream: VideoUpstream, model: string, result: (word: unknown) => unknown];

const rows: readonly Row[] = [
  [minimaxVideos, "MiniMax-Hailuo-02", (word) => ({ status: word, base_resp: { status_code: 0 } })],
  [minimaxNewerVideos, "MiniMax-H3", (word) => ({ task: { id: "1", status: word } })],
  [viduVideos, "viduq3-pro", (word) => ({ id: "1", state: word, creations: [] })],
  [runwayVideos, "gen4.5", (word) => ({ id: "1", status: word })],
  [seedanceVideos, "doubao-seedance-2-0-260128", (word) => ({ id: "1", status: word })],
  [replicateVideos, "google/veo-3.1", (word) => ({ id: "1", status: word })],
  [falVideos, "fal-ai/veo3.1/image-to-video", (word) => ({ request_id: "1", status: word })],
];

/** Names that no client may set through its own words. */
const forbidden = [
  ..."model prompt promptText content contents images image input version webhook callback_url payload".split(" "),
  ..."n num_outputs seed_count duration seconds resolution ratio aspect_ratio quality service_tier off_peak".split(" "),
  ..."frames safety_identifier external_task_id webhook_events_filter stream".split(" "),
];

describe.each(rows.map((row) => [row[0].name, ...row] as const))("%s", (_name, upstream, model, result) => {
  const { body, refusal } = submitsTo(upstream, model);
  const progress = (status: number, answer: unknown) => upstream.progress(answered(status, answer), upstreamTask);

  test("words are compared without their case, and a word that nobody knows changes nothing", () => {
    const strange = progress(200, result("daydreaming"));
    expect(strange).toMatchObject({ unknownStatus: "daydreaming" });
    expect(strange?.state).toBeUndefined();
    for (const word of ["constructor", "__proto__", "toString"]) {
      expect(progress(200, result(word))).toMatchObject({ unknownStatus: word });
      expect(progress(200, result(word))?.state).toBeUndefined();
    }
    const running = ["running", "processing", "in_progress"].map(
      (word) => progress(200, result(word.toUpperCase()))?.state,
    );
    expect(running).toContain("in_progress");
  });

  test("a task that is not known is gone; any other refusal says nothing of it", () => {
    expect(progress(404, { message: "not found" })).toEqual({ isGone: true });
    for (const status of [401, 403, 408, 429, 500, 502, 503]) expect(progress(status, result("failed"))).toBeNull();
    for (const answer of ["<html>", null, [], {}, result(""), result(null), result(7)])
      expect(progress(200, answer)).toBeNull();
  });

  test("an answer without an id is no acceptance", () => {
    for (const answer of ["hello", null, [], {}, { id: "", task_id: "" }, { id: {}, task_id: {} }])
      expect(thrown(() => upstream.accepted(answered(200, answer)))).toMatchObject({ kind: "upstream_protocol_error" });
  });

  test("nothing that is decided here can be set from outside", () => {
    const evil = Object.fromEntries(forbidden.map((name) => [name, "evil"]));
    expect(JSON.stringify(body({ metadata: { ...evil, parameters: evil, metadata: evil } }))).not.toContain("evil");
  });

  test("files of somebody else are refused", () => {
    const images = [{ role: "first", path: "image", source: { kind: "file", id: "f1" } } as const];
    expect(upstream.imageForms).not.toContain("file");
    expect(refusal({ images })).toBe("unsupported_parameter image");
  });

  test("what is asked stays as it was, and the same is made of it again", () => {
    const metadata = { camera_fixed: true };
    const images = [linked("first")];
    const before = structuredClone({ metadata, images });
    expect(body({ metadata, images })).toEqual(body({ metadata, images }));
    expect({ metadata, images }).toEqual(before);
  });

  test("ids are escaped, errors carry no addresses", () => {
    expect(upstream.poll(upstreamTask)).toMatchObject({ method: "GET", path: expect.stringContaining("up%2F1") });
    const words = "failed at https://internal.example.com/x with Bearer abcdef123456";
    for (const answer of [
      words,
      { error: words },
      { message: words },
      { detail: words },
      { error: { message: words } },
    ])
      expect(upstream.error.parse(400, answer).message).not.toMatch(/internal|abcdef/);
  });
});
