// Requests to Veo compared with the parameters that Google's own SDK writes.
import { expect, test } from "bun:test";
import { vertexVeo } from "../../../src/dialects/video/index.ts";
import { publishedTypes } from "../../support/model-types.ts";
import { submitsTo } from "./submits.ts";

const { veoOnVertex } = await publishedTypes<{ readonly veoOnVertex: readonly string[] }>("google-genai");
const { body, warnings } = submitsTo(vertexVeo, "veo-3.1-generate-001");
const parameters = (change: object, model?: string) => body(change, model).parameters as object;

test.each(["veo-2.0-generate-001", "veo-3.0-generate-001", "veo-3.1-lite-generate-001", "veo-9"])(
  "%s on Vertex AI is sent published parameters",
  (model) => {
    const metadata = { enhancePrompt: true, personGeneration: "allow_adult", compressionQuality: "lossless" };
    const sent = parameters(
      { seconds: 7, ratio: "9:16", resolution: "4k", seed: 3, audio: false, negativePrompt: "dogs", n: 2, metadata },
      model,
    );
    expect(Object.keys(sent)).toContain("durationSeconds");
    expect(Object.keys(sent).filter((name) => !veoOnVertex.includes(name))).toEqual([]);
  },
);

test("the lite model has no 4k", () => {
  expect(parameters({ resolution: "4k" })).toEqual({ resolution: "4k" });
  expect(parameters({ resolution: "4k" }, "veo-3.1-lite-generate-001")).toEqual({ resolution: "1080p" });
  expect(warnings({ resolution: "4k" }, "veo-3.1-lite-generate-001")).toEqual(["approximated resolution"]);
});
