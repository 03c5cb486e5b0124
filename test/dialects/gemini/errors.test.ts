// Errors of upstreams, and errors for clients.
import { describe, expect, test } from "bun:test";
import { type ErrorKind, errorKinds, GatewayError } from "../../../src/canonical/error.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { dialect } from "./bench.ts";

const statusOf = (name: string): number => Number(/^(\d{3})/.exec(name)?.[1]);
const read = (name: string) => dialect.error.parse(statusOf(name), wireJson(`gemini/error-${name}.json`));

describe("of upstreams", () => {
  const rows: [string, Partial<GatewayError>][] = [
    ["400", { kind: "upstream_rejected", status: 400, code: "INVALID_ARGUMENT", param: "contents" }],
    ["400-key", { kind: "upstream_credentials", status: 502 }],
    ["400-location", { kind: "upstream_credentials", status: 502 }],
    ["400-context", { kind: "context_length_exceeded", status: 400, code: "context_length_exceeded" }],
    ["403", { kind: "upstream_credentials", status: 502 }],
    ["404", { kind: "upstream_model_not_found", status: 404, code: "model_not_found" }],
    ["429", { kind: "upstream_rate_limited", status: 429, retryAfterMs: 34_075 }],
    ["500", { kind: "upstream_failed", status: 502 }],
    ["503", { kind: "upstream_overloaded", status: 503 }],
    ["504", { kind: "upstream_timeout", status: 504 }],
  ];
  test.each(rows)("%s", (name, error) => {
    expect(read(name)).toMatchObject(error);
  });

  test("a header's wait comes first, and long waits are told as a minute", () => {
    const body = (retryDelay: string) => ({
      error: { code: 429, details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }] },
    });
    expect(dialect.error.parse(429, body("5s"), 7).retryAfterMs).toBe(7);
    expect(dialect.error.parse(429, body("61200s")).retryAfterMs).toBe(60_000);
    expect(dialect.error.parse(429, body("soon")).retryAfterMs).toBeUndefined();
  });

  test("a list of one, as streams without events send it", () => {
    const body = [wireJson("gemini/error-503.json")];
    expect(dialect.error.parse(503, body).message).toBe("The model is overloaded. Please try again later.");
  });

  const hidden: [unknown, ErrorKind][] = [
    [{ error: { code: 429, message: "slow" } }, "upstream_rate_limited"],
    [{ error: { status: "UNAVAILABLE", message: "busy" } }, "upstream_overloaded"],
    [{ error: { code: 400, message: "API key not valid." } }, "upstream_credentials"],
    [{ error: "broken" }, "upstream_failed"],
  ];
  test.each(hidden)("in a good status: %j", (body, kind) => {
    expect(dialect.error.parse(200, body).kind).toBe(kind);
  });

  const odd: [unknown, string][] = [
    ["plain words", "plain words"],
    ["<html>no</html>", "The provider returned status 500."],
    ['{"error":{"message":"in text"}}', "in text"],
    [{ message: "bare" }, "bare"],
    [null, "The provider returned status 500."],
  ];
  test.each(odd)("odd bodies: %j", (body, message) => {
    expect(dialect.error.parse(500, body).message).toBe(message);
  });

  test("no key and no address is told on", () => {
    const message = "key AIzaSyA1234567890abcdefg at https://secret.example.com/x is bad";
    const error = dialect.error.parse(400, { error: { code: 400, message } });
    expect(error.message).not.toMatch(/AIzaSy|secret/);
  });
});

describe("for clients", () => {
  const render = (error: GatewayError) => dialect.error.render(error, "req_1");
  const words: [ErrorKind, number, string][] = [
    ["invalid_value", 400, "INVALID_ARGUMENT"],
    ["invalid_api_key", 401, "UNAUTHENTICATED"],
    ["model_not_allowed", 403, "PERMISSION_DENIED"],
    ["model_not_found", 404, "NOT_FOUND"],
    ["method_not_allowed", 405, "UNIMPLEMENTED"],
    ["idempotency_conflict", 409, "ABORTED"],
    ["request_too_large", 413, "INVALID_ARGUMENT"],
    ["rate_limit_exceeded", 429, "RESOURCE_EXHAUSTED"],
    ["insufficient_quota", 429, "RESOURCE_EXHAUSTED"],
    ["client_closed", 499, "CANCELLED"],
    ["internal_error", 500, "INTERNAL"],
    ["upstream_credentials", 502, "INTERNAL"],
    ["upstream_overloaded", 503, "UNAVAILABLE"],
    ["upstream_timeout", 504, "DEADLINE_EXCEEDED"],
  ];
  test.each(words)("%s", (kind, status, word) => {
    expect(render(new GatewayError(kind, "m"))).toMatchObject({
      status,
      body: { error: { code: status, status: word } },
    });
  });

  test("nothing is lost: type, code, field and wait", () => {
    const error = new GatewayError("rate_limit_exceeded", "Slow down.", { param: "contents", retryAfterMs: 1500 });
    expect(render(error).body).toEqual({
      error: {
        code: 429,
        message: "Slow down.",
        status: "RESOURCE_EXHAUSTED",
        type: "rate_limit_error",
        param: "contents",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "rate_limit_exceeded",
            domain: "turnpike",
            metadata: { type: "rate_limit_error" },
          },
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: "contents", description: "Slow down." }],
          },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" },
          { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "req_1" },
        ],
      },
    });
  });

  test.each(Object.keys(errorKinds) as ErrorKind[])(
    "%s is the same within a stream, with a code that SDKs throw for",
    (kind) => {
      const error = new GatewayError(kind, "m");
      const [frame, ...others] = dialect.error.frames(error, "req_1");
      const body = JSON.parse(frame?.data ?? "") as { error: JsonObject };
      expect(body).toEqual(JSON.parse(JSON.stringify(render(error).body)));
      expect(body.error.code).toBeWithin(400, 600);
      expect(others).toEqual([]);
    },
  );

  test("what one gateway says another one understands", () => {
    const refused = new GatewayError("upstream_rejected", "No.", { param: "contents", code: "odd", status: 422 });
    const { status, body } = render(refused);
    expect(dialect.error.parse(status, body)).toMatchObject({
      status: 422,
      code: "odd",
      param: "contents",
      message: "No.",
    });
  });
});
