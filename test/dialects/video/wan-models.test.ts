// Requests to Wan compared with what DashScope's own SDK publishes of its video service.
import { describe, expect, test } from "bun:test";
import { lookUpModel } from "../../../src/dialects/shared/model-table.ts";
import { wanVideos } from "../../../src/dialects/video/index.ts";
import { wanModels } from "../../../src/dialects/video/upstreams/wan.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { publishedTypes } from "../../support/model-types.ts";
import { linked, submitsTo } from "./submits.ts";

interface Published {
  readonly videoModels: readonly string[];
  /** Models with this prefix take images as a list of media alone. */
  readonly mediaOnlyPrefix: string;
  /** Models with this part in their names are asked on the path of `image2video`. */
  readonly imageToVideoPart: string;
  readonly mediaTypes: readonly string[];
  readonly input: readonly string[];
  readonly parameters: readonly string[];
}

const published = await publishedTypes<Published>("dashscope");
const { call } = submitsTo(wanVideos, "");
const variants = [
  {},
  { seconds: 7, seed: 3, watermark: true, negativePrompt: "dogs" },
  { ratio: "9:16", resolution: "1080p", width: 1920, height: 1080 },
];

describe.each([...published.videoModels])("%s", (model) => {
  const { row, isListed } = lookUpModel(wanModels, { model });
  const images = (row.needs ?? []).map((role) => linked(role));
  const calls = variants.map((params) => call({ ...params, images }, model));
  const inputs = calls.map(({ body }) => body.input as JsonObject);

  test("has a row", () => {
    expect(isListed).toBe(true);
  });

  test("is sent published members", () => {
    const strays = calls.flatMap(({ body }) => [
      ...Object.keys(body.input as JsonObject).filter((name) => !published.input.includes(name)),
      ...Object.keys(body.parameters as JsonObject).filter((name) => !published.parameters.includes(name)),
    ]);
    expect(strays).toEqual([]);
    const media = inputs.flatMap((input) => (input.media ?? []) as { type: string }[]);
    expect(media.filter(({ type }) => !published.mediaTypes.includes(type))).toEqual([]);
    if (model.startsWith(published.mediaOnlyPrefix)) expect(inputs.every((input) => "media" in input)).toBe(true);
  });

  test("is asked on its path", () => {
    const service = model.includes(published.imageToVideoPart) ? "image2video" : "video-generation";
    for (const { path } of calls) expect(path).toBe(`api/v1/services/aigc/${service}/video-synthesis`);
  });
});
