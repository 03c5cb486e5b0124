// The table of errors: each kind that a caller can reach today, provoked over the wire, in each envelope.
import { describe, expect, test } from "bun:test";
import { errorKinds, GatewayError } from "../../src/canonical/error.ts";
import { defaultLimits } from "../../src/config/limits.ts";
import { openaiErrors } from "../../src/dialects/openai-error.ts";
import type { Gateway } from "../../src/gateway/pipeline/gateway.ts";
import { createConcurrency } from "../../src/gateway/policy/concurrency.ts";
import type { Keys } from "../../src/gateway/policy/keys.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { createHandler } from "../../src/http/handler.ts";
import { createEvents } from "../../src/telemetry/events.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { createRegistry } from "../../src/telemetry/registry.ts";
import { callerNamed } from "../support/callers.ts";
import { at } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { surfaces } from "../support/http-client.ts";
import type { Script } from "../support/upstream.ts";
import { errorOf, setting } from "./setting.ts";

const by = (keyId: string) => ({ caller: callerNamed(keyId) });

const { world, bearer, send } = await setting();
const { alpha } = world.upstreams;

interface Row {
  code: string;
  status: number;
  type: string;
  /** Where the messages envelope differs. */
  messages?: { status?: number; type: string };
  param?: string | null;
  script?: Script;
  body?: Record<string, unknown>;
  rawBody?: string;
  headers?: Record<string, string>;
}

const invalid = "invalid_request_error";
const upstream = { type: "upstream_error", messages: { type: "api_error" } };
const bare = (status: number): Script => ({ status, json: { error: { message: "no" } } });

const table: Row[] = [
  {
    code: "missing_api_key",
    status: 401,
    type: "authentication_error",
    headers: { authorization: "" },
  },
  { code: "invalid_api_key", status: 401, type: "authentication_error", headers: { authorization: "Bearer no" } },
  { code: "invalid_json", status: 400, type: invalid, rawBody: "{" },
  { code: "missing_required_parameter", status: 400, type: invalid, body: { messages: undefined }, param: "messages" },
  { code: "invalid_type", status: 400, type: invalid, body: { temperature: "hot" }, param: "temperature" },
  { code: "invalid_value", status: 400, type: invalid, body: { temperature: -1 }, param: "temperature" },
  {
    code: "model_not_found",
    status: 404,
    type: invalid,
    messages: { type: "not_found_error" },
    body: { model: "nobody" },
    param: "model",
  },
  {
    code: "request_too_large",
    status: 413,
    type: invalid,
    messages: { type: "request_too_large" },
    rawBody: `"${"x".repeat(33 * 1024 * 1024)}"`,
  },
  { code: "unsupported_media_type", status: 415, type: invalid, headers: { "content-type": "text/plain" } },
  {
    code: "upstream_credentials",
    status: 502,
    ...upstream,
    script: says("openai-chat/error-quota.json", { status: 429 }),
  },
  { code: "upstream_rejected", status: 422, type: invalid, script: bare(422) },
  {
    code: "unsupported_value",
    status: 400,
    type: invalid,
    script: says("openai-chat/error-400.json"),
    param: "temperature",
  },
  { code: "upstream_rate_limited", status: 429, type: "rate_limit_error", script: bare(429) },
  { code: "upstream_credentials", status: 502, ...upstream, script: bare(401) },
  { code: "upstream_unreachable", status: 502, ...upstream, body: { model: "dead/gone" } },
  { code: "upstream_unreachable", status: 502, ...upstream, script: (line) => line.reset() },
  { code: "upstream_protocol_error", status: 502, ...upstream, script: { text: "hello" } },
  { code: "upstream_failed", status: 502, ...upstream, script: bare(500) },
  {
    code: "overloaded",
    status: 503,
    type: "unavailable_error",
    messages: { status: 529, type: "overloaded_error" },
    script: bare(503),
  },
];

const named = table.map((row) => ({ name: `${row.code} (${row.status})`, row }));

/** What Google's protocol calls the statuses. */
const googleWords: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  502: "INTERNAL",
  503: "UNAVAILABLE",
};

/** The same fault in Google's words: the path names the model, and two fields have other names. */
async function provokeGoogle(row: Row): Promise<Response> {
  if (row.script) alpha.on("*", row.script);
  const { model = "gpt-x", messages: _, ...rest } = { messages: 0, ...row.body };
  const generationConfig = "temperature" in rest ? { generationConfig: rest } : {};
  const contents = row.body && "messages" in row.body ? {} : surfaces.gemini.body["contents"];
  const body = row.rawBody ?? JSON.stringify({ ...(Array.isArray(contents) ? { contents } : {}), ...generationConfig });
  const headers = { "content-type": "application/json", ...bearer, ...row.headers };
  return send(`/v1beta/models/${model}:generateContent`, { method: "POST", headers, body });
}

const googleParams: Record<string, string> = { messages: "contents", temperature: "generationConfig.temperature" };

async function provoke(row: Row, to: "chat" | "messages"): Promise<Response> {
  if (row.script) alpha.on("*", row.script);
  const surface = surfaces[to];
  const body = row.rawBody ?? JSON.stringify({ ...surface.body, model: "gpt-x", ...row.body });
  const headers = { "content-type": "application/json", ...surface.headers, ...bearer, ...row.headers };
  return send(surface.path, { method: "POST", headers, body });
}

describe.each(named)("$name", ({ row }) => {
  test("in OpenAI's envelope", async () => {
    const answer = await provoke(row, "chat");
    const { message, ...error } = await errorOf(answer, row.status);
    expect(error).toEqual({ type: row.type, code: row.code, param: row.param ?? null });
    expect(message).not.toContain("canary");
  });

  test("in the envelope of messages", async () => {
    const answer = await provoke(row, "messages");
    const body = (await answer.clone().json()) as Record<string, unknown>;
    const requestId = answer.headers.get("x-request-id");
    expect([Object.keys(body).sort(), body["type"], body["request_id"]]).toEqual([
      ["error", "request_id", "type"],
      "error",
      requestId,
    ]);
    const { message: _message, ...error } = await errorOf(answer, row.messages?.status ?? row.status);
    expect(error).toEqual({ type: row.messages?.type ?? row.type, code: row.code, param: row.param ?? null });
  });
});

describe.each(named)("$name", ({ row }) => {
  test("in Google's envelope", async () => {
    const answer = await provokeGoogle(row);
    const body: unknown = await answer.clone().json();
    const { message, ...error } = await errorOf(answer, row.status);
    const param = row.script ? row.param : (googleParams[row.param ?? ""] ?? row.param);
    expect(error).toEqual({ type: row.type, code: row.code, param: param ?? null });
    expect(at(body, "error", "status")).toBe(googleWords[row.status]);
    expect(message).not.toContain("canary");
  });
});

test("a fault of our own is 500, says nothing of its cause, and leaves the cause in the log", async () => {
  const lines: string[] = [];
  const secret = "SECRET_of_the_cause";
  const events = createEvents(
    createLog({ sink: (line) => void lines.push(line), now: () => 0 }),
    createMetrics(createRegistry(), () => false),
  );
  const endpoint: Endpoint = {
    kind: "plain",
    method: "GET",
    path: "/x",
    operationId: "x",
    summary: "",
    access: { key: "none" },
    errors: openaiErrors,
    idHeaders: [],
    handle: () => {
      throw new TypeError(secret);
    },
  };
  const parts = {
    match: () => ({ kind: "found", endpoint, params: {} }) as const,
    keys: {} as Keys,
    gateway: { clock: { monotonicMs: () => 0, nowMs: () => 0 }, events, traces: null } as unknown as Gateway,
    answerOnce: () => Promise.reject(new Error("no request has an idempotency key")),
    limits: defaultLimits,
    trustedProxies: [],
  };
  const answer = await createHandler(parts)(new Request("http://turnpike/x"));
  const text = await answer.clone().text();
  expect(await errorOf(answer, 500)).toMatchObject({ type: "internal_error", code: "internal_error", param: null });
  expect(text).not.toContain(secret);
  expect(lines.join("\n")).toContain(secret);
});

test("over the bound on requests under way, admission is refused at once and a wait is named", () => {
  const admission = createConcurrency({ maxConcurrentRequests: 2, maxConcurrentRequestsPerKey: 2 });
  const [first] = [admission.admit(by("a")), admission.admit(by("a"))];
  expect(() => admission.admit(by("a"))).toThrow(expect.objectContaining({ kind: "overloaded", retryAfterMs: 1_000 }));
  first?.release();
  first?.release();
  expect(admission.inFlight()).toBe(1);
  admission.admit(by("a"));
  expect(() => admission.admit(by("a"))).toThrow(GatewayError);
});

test("every kind has a status, a type of the contract, and a code that is a word", () => {
  const types = new Set(Object.values(errorKinds).map(({ type }) => type));
  expect([...types].sort()).toEqual([
    "authentication_error",
    "insufficient_quota",
    "internal_error",
    "invalid_request_error",
    "permission_error",
    "rate_limit_error",
    "unavailable_error",
    "upstream_error",
  ]);
  for (const [kind, { status }] of Object.entries(errorKinds)) {
    expect(kind).toMatch(/^[a-z_]+$/);
    expect(status).toBeGreaterThanOrEqual(400);
  }
});
