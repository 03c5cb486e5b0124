// The list of models through both official SDKs, each in its own shape.
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { setting, thrownBy } from "./setting.ts";

const { openai, anthropic } = await setting();
const routes = ["chain", "mixed", "lucky"];

test("openai SDK: the list, routes first, with the sandbox", async () => {
  const models = await Array.fromAsync(openai.models.list());
  const ids = models.map(({ id }) => id);
  expect(ids.slice(0, 3)).toEqual(routes);
  expect(ids).toContain("gpt-x");
  expect(ids).toContain("sandbox/chat");
  expect(new Set(ids).size).toBe(ids.length);
  for (const model of models)
    expect(model).toEqual({ id: model.id, object: "model", created: 0, owned_by: expect.any(String) });
});

test("openai SDK: one model, also one with a slash in its name", async () => {
  expect(await openai.models.retrieve("gpt-x")).toMatchObject({ id: "gpt-x", object: "model", owned_by: "alpha" });
  expect(await openai.models.retrieve("sandbox/chat")).toMatchObject({ id: "sandbox/chat", owned_by: "sandbox" });
});

test("openai SDK: an unknown model", async () => {
  const thrown = await thrownBy(openai.models.retrieve("nobody"));
  expect(thrown).toBeInstanceOf(OpenAI.NotFoundError);
  expect(thrown).toMatchObject({ code: "model_not_found", param: "model" });
});

test("Anthropic SDK: the list page by page, forwards", async () => {
  const models = await Array.fromAsync(anthropic.models.list({ limit: 2 }));
  const all = await anthropic.models.list({ limit: 1000 });
  expect(models.map(({ id }) => id)).toEqual(all.data.map(({ id }) => id));
  expect(all).toMatchObject({ has_more: false, first_id: "chain" });
  expect(models[0]).toEqual({
    type: "model",
    id: "chain",
    display_name: "chain",
    created_at: "1970-01-01T00:00:00.000Z",
    capabilities: null,
    deprecated_at: null,
    lifecycle: "active",
    line: null,
    max_input_tokens: null,
    max_tokens: null,
    retires_at: null,
  } as never);
});

test("Anthropic SDK: the page before a model", async () => {
  const { data, has_more } = await anthropic.models.list({ before_id: "gpt-x", limit: 2 });
  expect({ ids: data.map(({ id }) => id), has_more }).toEqual({ ids: ["mixed", "lucky"], has_more: true });
});

test("Anthropic SDK: one model, also one with a slash in its name", async () => {
  expect(await anthropic.models.retrieve("claude-x")).toMatchObject({ type: "model", id: "claude-x" });
  expect(await anthropic.models.retrieve("sandbox/chat")).toMatchObject({ type: "model", id: "sandbox/chat" });
});

test("Anthropic SDK: an unknown model and a bad limit", async () => {
  const missing = await thrownBy(anthropic.models.retrieve("nobody"));
  expect(missing).toBeInstanceOf(Anthropic.NotFoundError);
  expect(missing).toMatchObject({ type: "not_found_error", requestID: expect.any(String) });
  const bad = await thrownBy(anthropic.models.list({ limit: 5000 }));
  expect(bad).toBeInstanceOf(Anthropic.BadRequestError);
  expect(bad).toMatchObject({ type: "invalid_request_error" });
});
