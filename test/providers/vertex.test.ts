// Vertex AI: where calls for each maker's models go, and who asks.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { Dialect, UpstreamRequest } from "../../src/dialects/dialect.ts";
import {
  anthropicCount,
  anthropicMessages,
  gemini,
  geminiCount,
  geminiImages,
  imagenImages,
  vertexEmbeddings,
} from "../../src/dialects/index.ts";
import { Secret } from "../../src/lib/secret.ts";
import { httpProvider } from "../../src/providers/http-provider.ts";
import { dialectsOf, type HttpProvider, originOf } from "../../src/providers/provider.ts";
import { hostOf } from "../../src/providers/vertex/index.ts";
import { collectChat, collectMessage } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { transcribe } from "../support/response-oracle.ts";
import { thrown } from "../support/sample-requests.ts";
import { upstream } from "../support/upstream.ts";
import { kindOf } from "./helpers.ts";
import { keyFile, token } from "./key-file.ts";

const up = await upstream();
const yaml = `providers:
  cloud:
    kind: vertex
    base_url: "${up.url}"
    location: us-east5
    service_account: '${keyFile(`${up.url}/token`)}'
    models: [claude-sonnet-4-5, gemini-3-pro]
`;
const running = await gateway({ yaml });
afterAll(async () => {
  await running.stop();
  await up.stop();
});
beforeEach(() => {
  up.clear();
  up.on("POST /token", token("ya29.one"));
});

const place = "projects/project-of-the-key/locations/us-east5";
const kind = kindOf("vertex");

function providerWith(credential: Secret | null = new Secret("ya29.given"), project = "p"): HttpProvider {
  const entry = { name: "cloud", kind, baseUrl: up.url, credential, models: null, headers: {} };
  return httpProvider({ ...entry, account: { project, location: "us-east5" }, timeouts: {} });
}

const { signal } = new AbortController();
const ask = (call: UpstreamRequest, dialect: Dialect, stream = false) =>
  providerWith().dispatch.send({ call, dialect, stream, signal });

test.each([
  ["global", "https://aiplatform.googleapis.com"],
  ["eu", "https://aiplatform.eu.rep.googleapis.com"],
  ["us-east5", "https://us-east5-aiplatform.googleapis.com"],
])("%s is asked at %s", (location, url) => {
  expect(hostOf(location)).toBe(url);
});

test("who speaks what, and whose state is whose", () => {
  const provider = providerWith();
  expect(dialectsOf(provider, "claude-opus-4-6")).toEqual([anthropicMessages, anthropicCount]);
  expect(dialectsOf(provider, "gemini-3-pro")).toEqual([gemini, geminiCount, vertexEmbeddings, geminiImages]);
  expect(dialectsOf(provider, "imagen-4")).toEqual([gemini, geminiCount, vertexEmbeddings, imagenImages]);
  expect([originOf(provider, "claude-opus-4-6"), originOf(provider, "gemini-3-pro")]).toEqual([
    "vertex-claude",
    "vertex",
  ]);
});

describe("where a call goes", () => {
  const sent = async (call: UpstreamRequest, dialect: Dialect) => {
    up.on("*", { json: {} });
    await ask(call, dialect);
    return up.seen(0);
  };

  test("a message: the model leaves the body for the path, the version the headers for the body", async () => {
    const headers = { "anthropic-version": "2023-06-01", "anthropic-beta": "context-1m" };
    const body = { model: "claude-sonnet-4-5@20250929", max_tokens: 5, stream: true, messages: [] };
    const seen = await sent({ path: "v1/messages", body, headers }, anthropicMessages);
    expect(seen.path).toBe(
      "/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict",
    );
    expect(seen.json).toEqual({ anthropic_version: "vertex-2023-10-16", max_tokens: 5, stream: true, messages: [] });
    expect(seen.headers.get("anthropic-version")).toBeNull();
    expect(seen.headers.get("anthropic-beta")).toBe("context-1m");
    expect(seen.headers.get("authorization")).toBe("Bearer ya29.given");
  });

  test("a count of a message has one path for all models", async () => {
    const body = { model: "claude-x", messages: [] };
    const seen = await sent({ path: "v1/messages/count_tokens", body }, anthropicCount);
    expect(seen.path).toEndWith("/publishers/anthropic/models/count-tokens:rawPredict");
    expect(seen.json).toEqual({ anthropic_version: "vertex-2023-10-16", ...body });
  });

  test("contents: roles are said, the rest is as it was", async () => {
    const contents = [{ parts: [{ text: "hi" }] }, { role: "model", parts: [] }];
    const call = { path: "v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", body: { contents } };
    const seen = await sent(call, gemini);
    expect(seen.path).toBe(
      "/v1beta1/projects/p/locations/us-east5/publishers/google/models/gemini-3-pro:streamGenerateContent",
    );
    expect(seen.query.toString()).toBe("alt=sse");
    expect(seen.json).toEqual({
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [] },
      ],
    });
  });

  test("a count of contents comes out of its envelope", async () => {
    const request = { model: "models/gemini-3-pro", contents: [{ role: "user", parts: [] }], tools: [] };
    const call = { path: "v1beta/models/gemini-3-pro:countTokens", body: { generateContentRequest: request } };
    const seen = await sent(call, geminiCount);
    expect(seen.path).toEndWith("/publishers/google/models/gemini-3-pro:countTokens");
    expect(seen.json).toEqual({ contents: request.contents, tools: [] });
  });

  test.each(["", ".", ".."])("the name %p leads nowhere else", async (model) => {
    const call = { path: "v1/messages", body: { model } };
    expect(thrown(() => ask(call, anthropicMessages)).kind).toBe("model_not_found");
  });
});

test("its models, of all publishers", async () => {
  const models = (...names: string[]) => ({ json: { publisherModels: names.map((name) => ({ name })) } });
  up.on(
    "GET /v1beta1/publishers/google/models",
    models("publishers/google/models/gemini-3-pro", "publishers/google/models/imagen-4"),
  );
  up.on("GET /v1beta1/publishers/anthropic/models", models("publishers/anthropic/models/claude-opus-4-6"));
  expect(await providerWith().list.models?.(signal)).toEqual([
    { id: "gemini-3-pro", ownedBy: "google" },
    { id: "claude-opus-4-6", ownedBy: "anthropic" },
  ]);
  expect((await up.seen(0)).headers.get("x-goog-user-project")).toBe("p");
});

describe("through the gateway", () => {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    transcribe(
      await fetch(`${running.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify({ messages: [{ role: "user", content: "hi" }], ...body }),
      }),
    );
  const claudePath = `/v1/${place}/publishers/anthropic/models/claude-sonnet-4-5`;
  const modelRequests = () => up.requests.filter(({ path }) => path !== "/token");

  test("a message in its own protocol, frame by frame as it comes", async () => {
    up.on(`POST ${claudePath}:streamRawPredict`, says("anthropic-messages/text.sse"));
    const body = { model: "claude-sonnet-4-5", max_tokens: 9, stream: true };
    const result = collectMessage(await post("/v1/messages", body, { "anthropic-version": "2023-06-01" }));
    expect(result).toMatchObject({ text: "Hello there, traveller.", isEnded: true });
    expect(modelRequests()[0]?.headers.get("authorization")).toBe("Bearer ya29.one");
  });

  test("a chat with either maker's model, under one token", async () => {
    up.on(`POST ${claudePath}:rawPredict`, says("anthropic-messages/text.json"));
    up.on(`POST /v1beta1/${place}/publishers/google/models/gemini-3-pro:generateContent`, says("gemini/text.json"));
    expect(collectChat(await post("/v1/chat/completions", { model: "claude-sonnet-4-5" })).text).toMatch(/Hello/);
    expect(collectChat(await post("/v1/chat/completions", { model: "gemini-3-pro" })).text).toMatch(/Hello/);
    expect(up.requests.length - modelRequests().length).toBeLessThan(2);
  });

  test("a token that is refused is asked for anew", async () => {
    up.on(`POST ${claudePath}:rawPredict`, { status: 401, json: { error: { code: 401, status: "UNAUTHENTICATED" } } });
    expect((await post("/v1/chat/completions", { model: "claude-sonnet-4-5" })).status).toBe(502);
    up.clear();
    up.on("POST /token", token("ya29.two"));
    up.on(`POST ${claudePath}:rawPredict`, says("anthropic-messages/text.json"));
    expect((await post("/v1/chat/completions", { model: "claude-sonnet-4-5" })).status).toBe(200);
    expect(modelRequests()[0]?.headers.get("authorization")).toBe("Bearer ya29.two");
  });

  test("without a token there is no request", async () => {
    up.on(`POST ${claudePath}:rawPredict`, { status: 401, json: {} });
    await post("/v1/chat/completions", { model: "claude-sonnet-4-5" });
    up.clear();
    up.on("POST /token", { status: 400, json: { error: "invalid_grant", error_description: "canary" } });
    const received = await post("/v1/chat/completions", { model: "claude-sonnet-4-5" });
    expect(received.status).toBe(502);
    expect(received.text).not.toContain("canary");
    expect(modelRequests()).toEqual([]);
  });
});
