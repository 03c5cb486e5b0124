// Moderation through the openai SDK, to upstreams that moderate.
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { openaiClient } from "../support/clients.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { checkWhole, flags, mixed, moderation } from "./moderation-setting.ts";
import { thrownBy } from "./setting.ts";

const { up, moderate, sent } = await moderation();

describe("upstreams of the same dialect", () => {
  test("a text, and the model's own name for itself", async () => {
    up.on("*", says("moderations/openai-one.json"));
    const answer = await moderate("I will hurt them", "openai/omni-moderation-latest");
    expect(answer).toMatchObject({ id: "modr-970d409ef3bef3b70c73d8232df86e7d", model: "omni-moderation-latest" });
    checkWhole(answer);
    expect(answer.results[0]).toMatchObject({ flagged: true, categories: { violence: true, hate: false } });
    expect(sent()).toEqual({ model: "omni-moderation-latest", input: "I will hurt them" });
    expect(up.requests[0]?.path).toBe("/v1/moderations");
  });

  test("a model that is left out is the one that its own users mean", async () => {
    up.on("*", says("moderations/openai-one.json"));
    await moderate("x");
    expect(sent()).toEqual({ model: "omni-moderation-latest", input: "x" });
    expect(up.requests[0]?.headers.get("authorization")).toBe("Bearer canary-a");
  });

  test("texts: one result for each, in order", async () => {
    up.on("*", says("moderations/openai-two.json"));
    const answer = await moderate(["fine", "foul"], "local/mod");
    expect(flags(answer)).toEqual([false, true]);
    expect(sent()).toEqual({ model: "mod", input: ["fine", "foul"] });
  });

  test("parts with an image: one result, and the image travels as it came", async () => {
    up.on("*", says("moderations/openai-image.json"));
    const answer = await moderate(mixed, "openai/omni-moderation-latest");
    expect(flags(answer)).toEqual([true]);
    expect(answer.results[0]?.category_applied_input_types.violence).toEqual(["text", "image"]);
    expect(sent()["input"]).toEqual(mixed);
  });

  test("an older model's reply is filled: what was not moderated names no input", async () => {
    up.on("*", says("moderations/openai-older.json"));
    const answer = await moderate("x", "local/mod");
    checkWhole(answer);
    expect(answer).toMatchObject({ id: "modr-4", model: "text-moderation-007" });
    expect(answer.results[0]).toMatchObject({
      flagged: true,
      categories: { violence: true, illicit: false },
      category_applied_input_types: { violence: ["text"], illicit: [] },
    });
  });
});

describe("Mistral", () => {
  test("categories by our names, its own beside them, and a verdict", async () => {
    up.on("*", says("moderations/mistral-two.json"));
    const answer = await moderate(["a", "b"], "mistral-moderation-latest");
    checkWhole(answer);
    expect(flags(answer)).toEqual([true, false]);
    expect(answer.results[0]).toMatchObject({
      categories: { violence: true, "harassment/threatening": false, harassment: false },
      category_scores: { violence: 0.97, "harassment/threatening": 0.97 },
      category_applied_input_types: { violence: ["text"], "violence/graphic": [] },
    });
    expect(answer.results[1]).toMatchObject({ categories: { pii: true }, category_scores: { pii: 0.99 } });
    expect(sent()).toEqual({ model: "mistral-moderation-latest", input: ["a", "b"] });
  });

  test("an image is refused by name", async () => {
    const thrown = await thrownBy(moderate(mixed, "mistral-moderation-latest"));
    expect(thrown).toBeInstanceOf(OpenAI.BadRequestError);
    expect(thrown).toMatchObject({ code: "unsupported_parameter", param: "input[1].image_url.url" });
    expect(up.requests).toHaveLength(0);
  });
});

test("a model that is left out where only another maker moderates", async () => {
  const running = await gateway({
    yaml: `providers:\n  m: { kind: mistral, base_url: "${up.url}/v1", credential: x, models: [mistral-moderation-latest] }\n`,
  });
  up.on("*", says("moderations/mistral-two.json"));
  const { model } = await openaiClient(running.url, running.key).moderations.create({ input: ["a", "b"] });
  await running.stop();
  expect(model).toBe("mistral-moderation-latest");
  expect(sent()).toEqual({ model: "mistral-moderation-latest", input: ["a", "b"] });
});
