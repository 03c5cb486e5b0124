// Errors: every body that servers of this shape refuse with, and the one envelope that clients get.
import { describe, expect, test } from "bun:test";
import { type ErrorKind, errorKinds, GatewayError } from "../../../src/canonical/error.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { wireJson } from "../../support/fixtures.ts";

const { error } = openaiChat;

const fixtures: readonly (readonly [string, number, Partial<GatewayError>])[] = [
  [
    "error-400.json",
    400,
    {
      kind: "upstream_rejected",
      status: 400,
      code: "unsupported_value",
      param: "temperature",
      type: "invalid_request_error",
    },
  ],
  ["error-401.json", 401, { kind: "upstream_credentials", status: 502 }],
  ["error-429.json", 429, { kind: "upstream_rate_limited", status: 429, type: "rate_limit_error" }],
  ["error-500.json", 500, { kind: "upstream_failed", status: 502 }],
  ["error-503.json", 503, { kind: "upstream_overloaded", status: 503 }],
  ["error-quota.json", 429, { kind: "upstream_credentials", retry: "next" }],
  [
    "error-context.json",
    400,
    { kind: "context_length_exceeded", status: 400, code: "context_length_exceeded", param: "messages" },
  ],
];

const odd: readonly (readonly [string, number, unknown, Partial<GatewayError>])[] = [
  [
    "an error that is a string",
    400,
    { error: "no such option" },
    { kind: "upstream_rejected", message: "no such option" },
  ],
  ["detail", 422, { detail: "bad field" }, { kind: "upstream_rejected", status: 422, message: "bad field" }],
  ["detail as a list", 422, { detail: [{ loc: ["body", "n"], msg: "too big" }] }, { message: "too big" }],
  ["message", 400, { message: "bad", code: "x1" }, { message: "bad", code: "x1" }],
  ["errors", 400, { errors: [{ message: "first" }, { message: "second" }] }, { message: "first" }],
  ["errors as strings", 400, { errors: ["first"] }, { message: "first" }],
  ["an envelope in a list", 400, [{ error: { message: "listed", status: "INVALID_ARGUMENT" } }], { message: "listed" }],
  [
    "an envelope in an envelope",
    400,
    { error: { error: { message: "inner", code: "c" } } },
    { message: "inner", code: "c" },
  ],
  ["an envelope as text", 400, '{"error":{"message":"as text","param":"n"}}', { message: "as text", param: "n" }],
  ["an envelope inside a message", 400, { error: { message: '{"error":{"message":"deep"}}' } }, { message: "deep" }],
  ["a bare string", 400, "Bad request", { kind: "upstream_rejected", message: "Bad request" }],
  [
    "HTML",
    502,
    "<html><body>nginx</body></html>",
    { kind: "upstream_failed", message: "The provider returned status 502." },
  ],
  ["nothing", 500, undefined, { kind: "upstream_failed", message: "The provider returned status 500." }],
  ["null", 404, null, { kind: "upstream_rejected", status: 404 }],
  [
    "an unknown model",
    404,
    { error: { message: "The model 'x' does not exist", code: "model_not_found", type: "invalid_request_error" } },
    { status: 404, code: "model_not_found" },
  ],
  [
    "Google's bad key",
    400,
    [{ error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } }],
    { kind: "upstream_credentials" },
  ],
  [
    "an error in a 200",
    200,
    { error: { message: "slow", code: "rate_limit_exceeded" } },
    { kind: "upstream_rate_limited" },
  ],
  [
    "an error in a 200 with its own status",
    200,
    { error: { code: 503, message: "busy" } },
    { kind: "upstream_overloaded" },
  ],
  ["an error in a 200 that says nothing", 200, { error: {} }, { kind: "upstream_failed" }],
  ["a type that is no word", 200, { error: { message: "x", type: "constructor" } }, { kind: "upstream_failed" }],
  [
    "too many tokens",
    400,
    { error: { message: "prompt is too long: 9 tokens > 8 maximum" } },
    { kind: "context_length_exceeded" },
  ],
];

describe("errors of servers", () => {
  test.each(fixtures.map((row) => [...row] as const))("%s", (name, status, expected) => {
    expect(error.parse(status, wireJson(`openai-chat/${name}`))).toMatchObject(expected);
  });

  test.each(odd.map((row) => [...row] as const))("%s", (_name, status, body, expected) => {
    expect(error.parse(status, body)).toMatchObject(expected);
  });

  test("a wait is kept, a credential is not", () => {
    expect(error.parse(429, "slow", 1500).retryAfterMs).toBe(1500);
    const result = JSON.stringify(
      error.render(error.parse(400, { error: { message: "key sk-abcdef123456 at http://10.0.0.1/x" } }), "r"),
    );
    expect(result).not.toMatch(/sk-abc|10\.0\.0\.1/);
  });

  test("a body of any depth is read to its end", () => {
    const deep = JSON.parse(`${'{"error":'.repeat(50)}"x"${"}".repeat(50)}`);
    expect(error.parse(400, deep)).toMatchObject({ kind: "upstream_rejected" });
  });
});

describe("errors for clients", () => {
  test.each(Object.keys(errorKinds) as ErrorKind[])("%s has all four fields", (kind) => {
    const { status, body } = error.render(new GatewayError(kind, "words"), "req-1");
    expect(status).toBe(errorKinds[kind].status);
    expect(Object.keys(body)).toEqual(["error"]);
    expect(body.error).toEqual({
      message: expect.stringMatching(/words$/) as never,
      type: errorKinds[kind].type,
      param: null,
      code: expect.stringMatching(/./) as never,
    });
  });

  test("the field at fault, and the record inside a stream", () => {
    const fault = new GatewayError("invalid_value", "No.", { param: "messages[2].content[0].type" });
    const envelope = {
      error: {
        message: "No.",
        type: "invalid_request_error",
        param: "messages[2].content[0].type",
        code: "invalid_value",
      },
    };
    expect(error.render(fault, "r")).toEqual({ status: 400, body: envelope });
    expect(error.frames(fault, "r")).toEqual([{ data: JSON.stringify(envelope) }]);
  });
});
