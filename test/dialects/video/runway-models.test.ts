// Requests to Runway compared with the types that its own SDK publishes.
import { describe, expect, test } from "bun:test";
import type { VideoImage, VideoRequest } from "../../../src/canonical/video.ts";
import { runwayVideos } from "../../../src/dialects/video/index.ts";
import { publishedTypes } from "../../support/model-types.ts";
import { plainVideo, renderContext } from "./setting.ts";
import { link, linked, submitsTo } from "./submits.ts";

interface Endpoint {
  readonly model: string;
  readonly path: string;
  readonly input: { readonly [name: string]: { readonly required?: boolean; readonly values?: readonly unknown[] } };
}

const { endpoints } = await publishedTypes<{ readonly endpoints: readonly Endpoint[] }>("runway");
const { body, warnings } = submitsTo(runwayVideos, "gen4.5");

const imageSets: readonly (readonly VideoImage["role"][])[] = [[], ["first"], ["first", "last"], ["reference"]];
const variants: readonly Partial<VideoRequest>[] = [
  {},
  { ratio: "9:16", resolution: "1080p", seconds: 7, seed: 3, audio: true, negativePrompt: "dogs" },
  { resolution: "720p", metadata: { contentModeration: { publicFigureThreshold: "low" } } },
  { width: 1920, height: 1080, seconds: 40 },
];

describe.each(endpoints.map((endpoint) => [endpoint.model, endpoint.path, endpoint] as const))(
  "%s %s",
  (model, path, { input }) => {
    const asks = imageSets.flatMap((roles) =>
      variants.map((params) => ({ ...params, images: roles.map((role) => linked(role)) })),
    );
    const bodies = asks.flatMap((ask) => {
      try {
        const { call } = runwayVideos.render({ ...plainVideo, ...ask }, { ...renderContext, model });
        return call.path === path ? [call.body] : [];
      } catch {
        return []; // The model does not take these images.
      }
    });

    test("every field that is sent exists and has a published value, and no required one is missing", () => {
      expect(bodies).not.toEqual([]);
      const faults = bodies.flatMap((sent) => [
        ...Object.entries(sent).flatMap(([name, value]) => {
          const { values } = input[name] ?? { values: [] };
          return values === undefined || values.includes(value) ? [] : [`${name}: ${JSON.stringify(value)}`];
        }),
        ...Object.keys(input)
          .filter((name) => input[name]?.required && !(name in sent))
          .map((name) => `no ${name}`),
      ]);
      expect(faults).toEqual([]);
    });
  },
);

test("each model has its own words for the shape", () => {
  const images = [linked("first")];
  expect(body({ width: 1280, height: 720 }, "hailuo3")).toMatchObject({ ratio: "16:9", resolution: "768p" });
  expect(body({ ratio: "9:16" }, "grok_imagine_1_5")).toMatchObject({ ratio: "9:16" });
  expect(body({ resolution: "720p", images }, "wan3").ratio).toBe("auto_720p");
  expect(body({ resolution: "1080p", images }, "happyhorse_1_0")).toMatchObject({ resolution: "1080p" });
  expect(body({ resolution: "1080p" }, "h3_max").resolution).toBe("768p");
  expect(body({ width: 1920, height: 1080 }, "seedance2_fast").ratio).toBe("1280:720");
  expect(body({ width: 854, height: 480 }, "seedance2_5").ratio).toBe("854:480");
  expect(body({ seconds: 30 }, "seedance2_5").duration).toBe(30);
});

test("a model without a row is sent what the client said", () => {
  const ask = { seconds: 22, ratio: "5:4", resolution: "900p", seed: 1, audio: true, negativePrompt: "dogs" };
  expect(body(ask, "gen9")).toEqual({
    ...{ model: "gen9", promptText: "a cat", negativePrompt: "dogs", ratio: "5:4", resolution: "900p" },
    ...{ duration: 22, seed: 1, audio: true },
  });
  expect(warnings(ask, "gen9")).toEqual(["unverified model"]);
  expect(body({ width: 1280, height: 720, images: [linked("first")] }, "gen9")).toMatchObject({
    ...{ ratio: "1280:720", promptImage: link },
  });
});
