// OpenAI on Azure: the two forms of its paths, and its key.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { openaiChat, openaiCompletions, openaiEmbeddings, openaiResponses } from "../../src/dialects/index.ts";
import { Secret } from "../../src/lib/secret.ts";
import { httpProvider } from "../../src/providers/http-provider.ts";
import { dialectsOf } from "../../src/providers/provider.ts";
import { collectChat } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { transcribe } from "../support/response-oracle.ts";
import { upstream } from "../support/upstream.ts";
import { kindOf } from "./helpers.ts";

const up = await upstream();
const running = await gateway({ environment: { AZURE_OPENAI_API_KEY: "canary-azure", AZURE_OPENAI_ENDPOINT: up.url } });
afterAll(async () => {
  await running.stop();
  await up.stop();
});
beforeEach(() => up.clear());

const kind = kindOf("azure");

function providerAt(baseUrl: string, apiVersion?: string) {
  const entry = { name: "azure", kind, baseUrl, credential: new Secret("azure-key"), models: null, headers: {} };
  const account = apiVersion === undefined ? {} : { apiVersion };
  return httpProvider({ ...entry, account, timeouts: {} });
}

const { signal } = new AbortController();

describe("where a call goes", () => {
  const rows = [
    [undefined, "chat/completions", "/openai/v1/chat/completions", ""],
    ["v1", "responses", "/openai/v1/responses", ""],
    ["preview", "responses", "/openai/v1/responses", "api-version=preview"],
    ["2024-10-21", "chat/completions", "/openai/deployments/my%20gpt/chat/completions", "api-version=2024-10-21"],
    ["2024-10-21", "embeddings", "/openai/deployments/my%20gpt/embeddings", "api-version=2024-10-21"],
    ["2025-04-01-preview", "responses", "/openai/responses", "api-version=2025-04-01-preview"],
  ] as const;

  test.each(rows)("version %s of %s", async (version, path, expected, query) => {
    for (const below of ["", "/", "/openai", "/openai/v1/"]) {
      up.clear();
      up.on("*", { json: {} });
      const call = { path, body: { model: "my gpt" } };
      await providerAt(up.url + below, version).dispatch.send({ call, dialect: openaiChat, stream: false, signal });
      const seen = await up.seen(0);
      expect([seen.path, seen.query.toString()]).toEqual([expected, query]);
      expect(seen.json).toEqual({ model: "my gpt" });
      expect(seen.headers.get("api-key")).toBe("azure-key");
      expect(seen.headers.get("authorization")).toBeNull();
    }
  });
});

test("deployments speak what their name says", () => {
  const spoken = (model: string) =>
    dialectsOf(providerAt(up.url), model).filter(({ operation }) => operation === "chat" || operation === "embed");
  expect(spoken("my gpt")).toEqual([openaiChat, openaiResponses, openaiEmbeddings]);
  expect(spoken("gpt-35-turbo-instruct")).toEqual([openaiCompletions, openaiEmbeddings]);
});

test("it has no list: the service tells what could be deployed", () => {
  expect(providerAt(up.url).list.models).toBeUndefined();
});

describe("through the gateway", () => {
  const chat = async (body: object = {}) =>
    transcribe(
      await fetch(`${running.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "azure/my-gpt", messages: [{ role: "user", content: "hi" }], ...body }),
      }),
    );

  test("a stream that begins with the judgement of its filter", async () => {
    up.on("*", says("openai-chat/azure-first-chunk.sse"));
    expect(collectChat(await chat({ stream: true }))).toMatchObject({ isEnded: true, stop: "stop" });
    expect((await up.seen(0)).path).toBe("/openai/v1/chat/completions");
  });

  test("a prompt that its filter refuses", async () => {
    const message = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";
    const error = { message, type: null, param: "prompt", code: "content_filter", status: 400, innererror: {} };
    up.on("*", { status: 400, json: { error } });
    const received = await chat();
    expect(received).toMatchObject({ status: 400, json: { error: { code: "content_filter", param: "prompt" } } });
  });

  test("a key that is refused is the gateway's own trouble", async () => {
    up.on("*", { status: 401, json: { error: { code: "401", message: "Access denied: canary-azure" } } });
    const received = await chat();
    expect(received.status).toBe(502);
    expect(received.text).not.toContain("canary");
  });
});
