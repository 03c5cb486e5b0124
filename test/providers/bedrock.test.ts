// Amazon Bedrock: how a request is proved, where it goes, and what a client sees of what comes back.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { bedrockConverse } from "../../src/dialects/index.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { Secret } from "../../src/lib/secret.ts";
import { awsSigner } from "../../src/providers/bedrock/index.ts";
import type { Account } from "../../src/providers/credentials.ts";
import { httpProvider } from "../../src/providers/http-provider.ts";
import { type HttpProvider, originOf } from "../../src/providers/provider.ts";
import type { OutgoingRequest } from "../../src/providers/upstream.ts";
import { collectChat, collectMessage } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { transcribe } from "../support/response-oracle.ts";
import { upstream } from "../support/upstream.ts";
import { messagesOf } from "./aws-events.ts";
import { kindOf } from "./helpers.ts";

const up = await upstream();
const yaml = `providers:
  aws: { kind: bedrock, base_url: "${up.url}", region: us-east-1, access_key_id: AKIDEXAMPLE, secret_access_key: canary-secret, models: [anthropic.claude-sonnet-4-5] }
`;
const running = await gateway({ yaml });
afterAll(async () => {
  await running.stop();
  await up.stop();
});
beforeEach(() => up.clear());

const kind = kindOf("bedrock");
/** The moment of the published signatures. */
const clock: Clock = { nowMs: () => Date.UTC(2015, 7, 30, 12, 36, 0), monotonicMs: () => 0 };
const published = {
  accessKeyId: new Secret("AKIDEXAMPLE"),
  secretAccessKey: new Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
};
const scope = { region: "us-east-1", service: "service" };

function providerWith(account: Account, credential: Secret | null = null): HttpProvider {
  const entry = { name: "aws", kind, baseUrl: up.url, credential, models: null, headers: {} };
  return httpProvider({ ...entry, account: { region: "us-east-1", ...account }, timeouts: {} }, { clock });
}

const ask = (provider: HttpProvider, model = "anthropic.claude-x-v1:0", stream = false) =>
  provider.dispatch.send({
    call: { path: `model/${encodeURIComponent(model)}/converse${stream ? "-stream" : ""}`, body: { messages: [] } },
    dialect: bedrockConverse,
    stream,
    signal: new AbortController().signal,
  });

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html: cases of AWS's own test suite for signature version 4. */
describe("published signatures", () => {
  test.each([
    ["get-vanilla", "GET", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    [
      "get-vanilla-query-order-key-case",
      "GET",
      "?Param2=value2&Param1=value1",
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    ["post-vanilla", "POST", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  ] as const)("%s", async (_, method, query, signature) => {
    const sign = awsSigner(published, scope, clock.nowMs);
    expect(await sign({ method, url: `https://example.amazonaws.com/${query}` })).toEqual({
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
      "x-amz-date": "20150830T123600Z",
    });
  });

  test("a session's token is covered too", async () => {
    const sign = awsSigner({ ...published, sessionToken: new Secret("session") }, scope, clock.nowMs);
    const proof = await sign({ method: "POST", url: "https://example.amazonaws.com/", body: "{}" });
    expect(proof["x-amz-security-token"]).toBe("session");
    expect(proof.authorization).toContain("SignedHeaders=host;x-amz-date;x-amz-security-token,");
  });

  test("the body is covered, and the escapes of the path once more", async () => {
    const sign = awsSigner(published, scope, clock.nowMs);
    const of = async (url: string, body: string) => (await sign({ method: "POST", url, body })).authorization;
    const url = "https://example.amazonaws.com/model/a%3A0/converse";
    expect(await of(url, "{}")).not.toBe(await of(url, "{ }"));
    expect(await of(url, "{}")).not.toBe(await of(url.replace("%3A", ":"), "{}"));
    expect(await of(url, "{}")).toBe(await of(url, "{}"));
    const pieces = [Buffer.from('{"a":'), Buffer.from("1}")];
    expect((await sign({ method: "POST", url, pieces })).authorization).toBe(await of(url, '{"a":1}'));
  });
});

describe("proof of who asks", () => {
  test("a key signs what is sent, in the region and service", async () => {
    up.next(says("bedrock-converse/text.json"));
    await ask(providerWith(published));
    const seen = await up.seen(0);
    expect(seen.path).toBe("/model/anthropic.claude-x-v1%3A0/converse");
    const sent = await awsSigner(
      published,
      { region: "us-east-1", service: "bedrock" },
      clock.nowMs,
    )({
      method: "POST",
      url: `${up.url}/model/anthropic.claude-x-v1%3A0/converse`,
      body: seen.text,
    });
    expect(seen.headers.get("authorization")).toBe(sent.authorization ?? "");
    expect(seen.headers.get("content-type")).toBe("application/json");
  });

  test("an API key is shown instead, and wins", async () => {
    up.next(says("bedrock-converse/text.json"));
    await ask(providerWith(published, new Secret("bedrock-api-key-1")));
    const { headers } = await up.seen(0);
    expect(headers.get("authorization")).toBe("Bearer bedrock-api-key-1");
    expect(headers.get("x-amz-date")).toBeNull();
  });

  test("a secret that comes back is hidden", () => {
    const redacted = providerWith(published).dispatch.redactor.text(
      "AKIDEXAMPLE wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    );
    expect(redacted).toBe("[hidden] [hidden]");
  });
});

test("state belongs to the maker of a model", () => {
  const provider = providerWith(published);
  expect(originOf(provider, "us.anthropic.claude-sonnet-4-5-20250929-v1:0")).toBe("bedrock-anthropic");
  expect(originOf(provider, "arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-2-lite-v1:0")).toBe(
    "bedrock-amazon",
  );
  expect(originOf(provider, "something-else")).toBe("bedrock");
});

test("a private endpoint has no list", () => {
  expect(providerWith(published).list.models).toBeUndefined();
});

test("the public endpoint lists models and profiles with signed requests", async () => {
  const requested: OutgoingRequest[] = [];
  const models = { modelSummaries: [{ modelId: "amazon.nova-x", modelName: "Nova X", providerName: "Amazon" }, {}] };
  const profiles = {
    inferenceProfileSummaries: [{ inferenceProfileId: "us.amazon.nova-x", inferenceProfileName: "US Nova X" }],
  };
  // Both lists are asked for at once, and whichever is signed first arrives first.
  const send = async (request: OutgoingRequest) => {
    requested.push(request);
    return Response.json(request.url.includes("foundation-models") ? models : profiles);
  };
  const entry = { name: "aws", kind, credential: null, models: null, headers: {}, timeouts: {} };
  const account = { region: "us-east-1", ...published };
  const baseUrl = "https://bedrock-runtime.us-east-1.amazonaws.com";
  const { list } = httpProvider({ ...entry, baseUrl, account }, { clock, send });
  expect(await list.models?.(new AbortController().signal)).toEqual([
    { id: "amazon.nova-x", displayName: "Nova X", ownedBy: "Amazon" },
    { id: "us.amazon.nova-x", displayName: "US Nova X", ownedBy: "aws" },
  ]);
  for (const { url, headers } of requested) {
    expect(url).toStartWith("https://bedrock.us-east-1.amazonaws.com/");
    expect(headers["authorization"]).toContain("/us-east-1/bedrock/aws4_request");
  }
  expect(requested).toHaveLength(2);
});

describe("through the gateway", () => {
  const model = "aws/anthropic.claude-sonnet-4-5";
  const binary = { headers: { "content-type": "application/vnd.amazon.eventstream" } };
  const post = async (path: string, body: object, headers: Record<string, string> = {}, onFirst?: () => void) =>
    transcribe(
      await fetch(`${running.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...body }),
      }),
      onFirst,
    );
  const chat = (body: object = {}, onFirst?: () => void) => post("/v1/chat/completions", body, {}, onFirst);

  test("a whole reply", async () => {
    up.on("*", says("bedrock-converse/text.json"));
    expect(collectChat(await chat())).toMatchObject({ text: "Hello, world.", stop: "stop" });
    expect((await up.seen(0)).json).toEqual({ messages: [{ role: "user", content: [{ text: "hi" }] }] });
  });

  test.each(["frame", "byte"] as const)("a stream of messages, each %s by itself", async (cutAt) => {
    up.on("*", { bytes: messagesOf("tools"), cutAt, ...binary });
    const result = collectChat(await chat({ stream: true, stream_options: { include_usage: true } }));
    expect(result).toMatchObject({
      text: "Let me check.",
      calls: [
        { name: "get_time", input: { zone: "UTC" } },
        { name: "get_day", input: {} },
      ],
      stop: "tool_calls",
      isEnded: true,
      usage: { prompt_tokens: 100, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 60 } },
    });
    expect((await up.seen(0)).path).toEndWith("/converse-stream");
  });

  test("thinking reaches a client of another protocol", async () => {
    up.on("*", { bytes: messagesOf("thinking"), ...binary });
    const result = collectMessage(
      await post("/v1/messages", { stream: true, max_tokens: 9 }, { "anthropic-version": "2023-06-01" }),
    );
    expect(result).toMatchObject({ thinking: "Two lookups.", text: "Noon.", stop: "end_turn", isEnded: true });
  });

  test.each(["frame", "nowhere"] as const)(
    "a damaged message ends the stream with an error, cut: %s",
    async (cutAt) => {
      const [first, second, third = Buffer.of(), ...rest] = messagesOf("text");
      const damaged = Buffer.from(third);
      damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
      up.on("*", { bytes: [first ?? third, second ?? third, damaged, ...rest], cutAt, ...binary });
      const result = collectChat(await chat({ stream: true }));
      expect(result).toMatchObject({ text: "Hello", isEnded: false, error: { code: "upstream_protocol_error" } });
    },
  );

  test("a stream that is cut is no reply, one that lost its usage is", async () => {
    const messages = messagesOf("text");
    up.on("*", { bytes: messages.slice(0, 3), ...binary });
    expect(collectChat(await chat({ stream: true }))).toMatchObject({ isEnded: false, error: {} });
    up.on("*", { bytes: messages.slice(0, -1), ...binary });
    expect(collectChat(await chat({ stream: true }))).toMatchObject({ text: "Hello, world.", isEnded: true });
  });

  test("an exception within a stream", async () => {
    const received = Promise.withResolvers<void>();
    up.on("*", { bytes: messagesOf("error-midstream"), gate: received.promise, gateAfter: 2, ...binary });
    expect(collectChat(await chat({ stream: true }, received.resolve))).toMatchObject({
      text: "Hello",
      isEnded: false,
      error: {},
    });
  });

  test("an exception before the first word is an answer", async () => {
    const data = '{"message":"Too many requests"}';
    const exception = messagesOf("error-midstream").slice(-1);
    up.on("*", { bytes: exception, ...binary });
    expect((await chat({ stream: true })).status).toBe(502);
    up.on("*", { status: 429, text: data, headers: { "content-type": "application/json" } });
    expect((await chat({ stream: true })).status).toBe(429);
  });

  test("refusals by their status, without secrets", async () => {
    up.on("*", says("bedrock-converse/error-403.json"));
    const received = await chat();
    expect(received.status).toBe(502);
    expect(JSON.stringify(received)).not.toContain("canary");
    up.on("*", says("bedrock-converse/error-400-too-long.json"));
    expect(JSON.stringify((await chat()).json)).toContain("context_length_exceeded");
  });

  test("several replies are asked for one by one", async () => {
    up.on("*", says("bedrock-converse/text.json"));
    const received = await chat({ n: 2 });
    expect((received.json as { choices: unknown[] }).choices.length).toBe(2);
    expect(up.requests.length).toBe(2);
  });
});
