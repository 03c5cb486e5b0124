// Requests to fal compared with the input types that its own client publishes.
import { describe, expect, test } from "bun:test";
import type { VideoImage, VideoRequest } from "../../../src/canonical/video.ts";
import { falVideos } from "../../../src/dialects/video/index.ts";
import { falModels } from "../../../src/dialects/video/upstreams/fal.ts";
import { publishedTypes } from "../../support/model-types.ts";
import { plainVideo, renderContext } from "./setting.ts";
import { link, linked, submitsTo } from "./submits.ts";

interface Field {
  readonly type: string;
  readonly required?: boolean;
  readonly values?: readonly (string | number)[];
}

interface Group {
  readonly endpoints: readonly string[];
  readonly input: { readonly [name: string]: Field };
}

const { groups } = await publishedTypes<{ readonly groups: readonly Group[] }>("fal");
const endpoints = groups.flatMap((group) => group.endpoints.map((name) => [name, group.input] as const));

const imageSets: readonly (readonly VideoImage["role"][])[] = [
  [],
  ["first"],
  ["last"],
  ["reference"],
  ["first", "last"],
  ["first", "last", "reference"],
];

const variants: readonly Partial<VideoRequest>[] = [
  {},
  { seconds: 7, ratio: "4:5", resolution: "900p", seed: 3, fps: 24, negativePrompt: "dogs", audio: true },
  { seconds: 60, width: 1080, height: 1920, audio: false },
];

function bodiesFor(model: string): Record<string, unknown>[] {
  const asks = imageSets.flatMap((roles) =>
    variants.map((params) => ({ ...params, images: roles.map((role) => linked(role)) })),
  );
  return asks.flatMap((ask) => {
    try {
      return [falVideos.render({ ...plainVideo, ...ask }, { ...renderContext, model }).call.body];
    } catch {
      return []; // The model does not take these images.
    }
  });
}

const hasType: { readonly [type: string]: (value: unknown) => boolean } = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  file: (value) => value === link,
};

function fault(name: string, value: unknown, field: Field | undefined): string | null {
  if (field === undefined) return `${name} is not an input`;
  if (field.values !== undefined) return field.values.map(String).includes(String(value)) ? null : `${name}: ${value}`;
  return hasType[field.type]?.(value) ? null : `${name} is not of type ${field.type}`;
}

describe.each(endpoints)("%s", (model, input) => {
  const bodies = bodiesFor(model);

  test("every input that is sent exists and has a value of the published type", () => {
    const faults = bodies.flatMap((body) =>
      Object.entries(body).map(([name, value]) => fault(name, value, input[name])),
    );
    expect(faults.filter((each) => each !== null)).toEqual([]);
  });

  test("every required input can be filled", () => {
    const required = Object.entries(input).flatMap(([name, field]) => (field.required ? [name] : []));
    expect(bodies.filter((body) => required.every((name) => name in body))).not.toEqual([]);
  });
});

test("each row has a source and the day on which it was read", () => {
  const rows = [...falModels.rows, falModels.unlisted];
  expect(rows.filter((row) => row.source === "" || !/^\d{4}-\d\d-\d\d$/.test(row.checkedOn))).toEqual([]);
});

test("an endpoint that is not listed is sent what the client said, with a warning", () => {
  const { body, warnings } = submitsTo(falVideos, "acme/new-video");
  const ask = { images: [linked("first")], seconds: 7, ratio: "5:4", resolution: "900p", seed: 1 };
  expect(body(ask)).toEqual({
    ...{ prompt: "a cat", image_url: link, seed: 1 },
    ...{ duration: "7", aspect_ratio: "5:4", resolution: "900p" },
  });
  expect(warnings(ask)).toEqual(["unverified model"]);
  expect(warnings(ask, "fal-ai/veo3.1/image-to-video")).not.toContain("unverified model");
});

test("a declared row is laid over the listed one, or stands alone", () => {
  const declared = [
    {
      models: /^acme\/new-video$/,
      like: "fal-ai/kling-video/v3/pro/image-to-video",
      capabilities: { durations: { min: 2, max: 20 } },
    },
    { models: /^acme\/other/, capabilities: { ratios: ["1:1"], fields: { first: "picture" } } },
  ];
  const rendered = (model: string, ask: Partial<VideoRequest>) =>
    falVideos.render({ ...plainVideo, ...ask }, { ...renderContext, model, declared });
  const images = [linked("first")];
  const known = rendered("acme/new-video", { images, seconds: 25 });
  expect([known.call.body, known.warnings.map(({ code, path }) => `${code} ${path}`)]).toEqual([
    { prompt: "a cat", start_image_url: link, duration: "20" },
    ["approximated seconds"],
  ]);
  expect(rendered("acme/other-1", { images, ratio: "16:9" }).call.body).toEqual({
    ...{ prompt: "a cat", picture: link, aspect_ratio: "1:1" },
  });
});
