// Rows of an operator's own for the tables of models: read from the file, refused with line and field, used for requests.
import { describe, expect, test } from "bun:test";
import { falVideos } from "../../src/dialects/video/index.ts";
import type { VideoRenderContext } from "../../src/dialects/video/upstream.ts";
import { thrown } from "../support/sample-requests.ts";
import { load } from "./load.ts";

const file = (row: string) =>
  `providers:\n  fal:\n    kind: fal\n    credential: abc\n    model_capabilities:\n      - ${row}\n`;
const declaredBy = (row: string) => load(file(row)).catalog.providers[0]?.entry.declared ?? [];
const faultOf = (row: string): string => String(thrown(() => load(file(row))));

test("a row is read, and what it leaves out is the built-in row's", () => {
  const declared = declaredBy(
    '{ models: ["fal-ai/kling-video/v4/*"], like: fal-ai/kling-video/v3/pro/image-to-video, duration_range: { min: 3, max: 30 }, audio: always, source: here, checked_on: "2026-11-22" }',
  );
  expect(declared.map(({ like, capabilities }) => ({ like, capabilities }))).toEqual([
    {
      like: "fal-ai/kling-video/v3/pro/image-to-video",
      capabilities: { durations: { min: 3, max: 30 }, audio: "always" },
    },
  ]);
  const context: VideoRenderContext = {
    model: "fal-ai/kling-video/v4/pro/image-to-video",
    taskId: "task_1",
    declared,
    fieldPath: (field) => field,
  };
  const image = { role: "first", path: "image", source: { kind: "url", url: "https://example.com/a.png" } } as const;
  const ask = { operation: "video", model: "m", prompt: "a cat", images: [image], n: 1, metadata: {} } as const;
  const { call, warnings } = falVideos.render({ ...ask, seconds: 40 }, context);
  expect(call.body).toEqual({ prompt: "a cat", start_image_url: "https://example.com/a.png", duration: "30" });
  expect(warnings).toEqual([{ code: "approximated", path: "seconds" }]);
});

test("only `*` is special in a name", () => {
  const [row] = declaredBy('{ models: ["a.b/c", "d*"], ratios: ["16:9"] }');
  expect(["a.b/c", "A.B/C", "axb/c", "a.b/cd", "d", "def"].map((name) => row?.models.test(name))).toEqual([
    ...[true, true, false, false, true, true],
  ]);
});

describe("what is wrong is named", () => {
  test.each([
    ["{ ratios: ['16:9'] }", /model_capabilities\[0\]: missing required field 'models'/],
    ["{ models: [a], ratio: '16:9' }", /model_capabilities\[0\]\.ratio: unknown field\. Did you mean 'ratios'/],
    ["{ models: [a], ratios: [wide] }", /model_capabilities\[0\]\.ratios\[0\]: must match pattern/],
    ["{ models: [a], audio: loud }", /model_capabilities\[0\]\.audio: must be one of 'optional', 'always', 'never'/],
    ["{ models: [a], durations: [0] }", /model_capabilities\[0\]\.durations\[0\]: must be > 0/],
    [
      "{ models: [a], duration_range: { min: 9, max: 3 } }",
      /model_capabilities\[0\]\.duration_range: 'min' must not exceed/,
    ],
    [
      "{ models: [a], durations: [5], duration_range: { min: 3, max: 9 } }",
      /model_capabilities\[0\]\.duration_range: set either this or 'durations'/,
    ],
  ])("%s", (row, message) => {
    expect(faultOf(row)).toMatch(message);
  });
});
