// Errors: what an upstream's refusal means, and how clients of this dialect read one.
import { expect, test } from "bun:test";
import { type ErrorKind, errorKinds, GatewayError } from "../../../src/canonical/error.ts";
import { wireJson } from "../../support/fixtures.ts";
import { dialect } from "./bench.ts";

const read: [number, string, ErrorKind, number][] = [
  [400, "error-400", "upstream_rejected", 400],
  [401, "error-401", "upstream_credentials", 502],
  [404, "error-404", "upstream_model_not_found", 404],
  [429, "error-429", "upstream_rate_limited", 429],
  [500, "error-500", "upstream_failed", 502],
  [529, "error-529", "upstream_overloaded", 503],
  [400, "error-context", "context_length_exceeded", 400],
  [400, "error-billing", "upstream_credentials", 502],
];

test.each(read)("upstream's %d %s", (status, name, kind, expected) => {
  const error = dialect.error.parse(status, wireJson(`anthropic-messages/${name}.json`), 1500);
  expect({ kind: error.kind, status: error.status, wait: error.retryAfterMs }).toEqual({
    kind,
    status: expected,
    wait: 1500,
  });
});

const bodies: [unknown, string][] = [
  [{ error: { message: "a" } }, "a"],
  [{ error: "a" }, "a"],
  [{ message: "a" }, "a"],
  [{ detail: "a" }, "a"],
  [{ errors: [{ message: "a" }] }, "a"],
  [[{ error: { message: "a" } }], "a"],
  ["a", "a"],
  [null, "The provider returned status 400."],
  [{ error: { message: "see https://10.0.0.1/x with sk-ant-abc123" } }, "see [address] with [credential]"],
];

test.each(bodies)("the words in %j", (body, message) => {
  expect(dialect.error.parse(400, body).message).toBe(message);
});

/** The kinds whose type or status is not that of the rest of their class. */
const types: Partial<Record<ErrorKind, [number, string]>> = {
  missing_api_key: [401, "authentication_error"],
  invalid_api_key: [401, "authentication_error"],
  key_revoked: [401, "authentication_error"],
  ip_not_allowed: [403, "permission_error"],
  operation_not_allowed: [403, "permission_error"],
  model_not_allowed: [403, "permission_error"],
  model_not_priced: [403, "permission_error"],
  permission_denied: [403, "permission_error"],
  model_not_found: [404, "not_found_error"],
  upstream_model_not_found: [404, "not_found_error"],
  not_found: [404, "not_found_error"],
  object_not_found: [404, "not_found_error"],
  idempotency_conflict: [409, "conflict_error"],
  idempotency_in_progress: [409, "conflict_error"],
  already_exists: [409, "conflict_error"],
  defined_in_file: [409, "conflict_error"],
  request_too_large: [413, "request_too_large"],
  rate_limit_exceeded: [429, "rate_limit_error"],
  concurrency_limit_exceeded: [429, "rate_limit_error"],
  upstream_rate_limited: [429, "rate_limit_error"],
  insufficient_quota: [429, "billing_error"],
  overloaded: [529, "overloaded_error"],
  upstream_overloaded: [529, "overloaded_error"],
  upstream_timeout: [504, "timeout_error"],
};

test.each(Object.keys(errorKinds) as ErrorKind[])("%s for a client", (kind) => {
  const error = new GatewayError(kind, "words", { param: "a.b" });
  const [status, type] = types[kind] ?? [error.status, error.status < 500 ? "invalid_request_error" : "api_error"];
  const { body, status: result } = dialect.error.render(error, "req-1");
  expect(result).toBe(status);
  expect(body).toMatchObject({ type: "error", error: { type, param: "a.b", code: error.code }, request_id: "req-1" });
});

test("a prompt that is too long says so in the words that clients look for", () => {
  const resultOf = (message: string) => {
    const { body } = dialect.error.render(new GatewayError("context_length_exceeded", message), "r");
    return (body["error"] as { message: string }).message;
  };
  expect(resultOf("maximum context length is 8 tokens")).toBe("prompt is too long: maximum context length is 8 tokens");
  expect(resultOf("prompt is too long: 9 > 8")).toBe("prompt is too long: 9 > 8");
});

test("in a stream it is one error event, and nothing else", () => {
  const error = new GatewayError("upstream_overloaded", "Overloaded");
  expect(dialect.error.frames(error, "req-1")).toEqual([
    { event: "error", data: JSON.stringify(dialect.error.render(error, "req-1").body) },
  ]);
});
