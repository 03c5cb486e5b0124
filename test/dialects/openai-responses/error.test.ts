// Errors: read from upstreams before and within a stream, told to clients in the envelope and as a failed response.
import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../../src/canonical/error.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { dialect, readEvents, readFixture } from "./helpers.ts";

const failure = (error: JsonObject) =>
  readEvents({ type: "response.failed", response: { status: "failed", error } }).at(-1);

describe("before a stream", () => {
  test.each([
    ["400", "upstream_rejected", 400, "unsupported_value", "reasoning.effort"],
    ["400-previous", "upstream_rejected", 400, "previous_response_not_found", "previous_response_id"],
    ["400-context", "context_length_exceeded", 400, "context_length_exceeded", "input"],
    ["401", "upstream_credentials", 502, "upstream_credentials", null],
    ["429", "upstream_rate_limited", 429, "upstream_rate_limited", null],
    ["500", "upstream_failed", 502, "upstream_failed", null],
  ])("error-%s is %s", (name, kind, status, code, param) => {
    const body = wireJson(`openai-responses/error-${name}.json`);
    const error = dialect.error.parse(Number(name.slice(0, 3)), body);
    expect(error).toMatchObject({ kind, status, code, param });
    expect(error.message).not.toMatch(/sk-|org-abc|https?:/);
  });

  test("the envelope has all four fields", () => {
    const error = new GatewayError("invalid_value", "No.", { param: "input[0].id" });
    expect(dialect.error.render(error, "req")).toEqual({
      status: 400,
      body: { error: { message: "No.", type: "invalid_request_error", param: "input[0].id", code: "invalid_value" } },
    });
  });
});

describe("within a stream", () => {
  test.each([
    ["failed", "upstream_failed"],
    ["error-midstream", "upstream_failed"],
    ["failed-rate-limit", "upstream_rate_limited"],
  ])("%s is %s, and nothing follows", (name, kind) => {
    const events = readFixture(`${name}.sse`);
    expect(events.at(-1)).toMatchObject({ type: "error", error: { kind } });
    expect(firstStreamViolation(events)).toBeNull();
  });

  test.each([
    ["invalid_prompt", "upstream_rejected"],
    ["image_too_large", "upstream_rejected"],
    ["context_length_exceeded", "context_length_exceeded"],
    ["insufficient_quota", "upstream_credentials"],
    ["server_is_overloaded", "upstream_overloaded"],
    ["something_new", "upstream_failed"],
  ])("the code %s is %s", (code, kind) => {
    expect(failure({ code, message: "m" })).toMatchObject({ error: { kind } });
    expect(readEvents({ type: "error", code, message: "m", param: null }).at(-1)).toMatchObject({ error: { kind } });
  });

  test("a failure without an error, a broken record and an early end are failures", () => {
    expect(readEvents({ type: "response.failed" })).toMatchObject([
      { type: "error", error: { kind: "upstream_failed" } },
    ]);
    expect(readEvents({ type: "response.created" }).at(-1)).toMatchObject({ error: { kind: "upstream_truncated" } });
    expect(readEvents().at(-1)).toMatchObject({ error: { kind: "upstream_truncated" } });
    const reader = dialect.stream?.reader({ origin: "m" });
    expect(reader?.read({ data: "{oops" })).toMatchObject([{ error: { kind: "upstream_protocol_error" } }]);
    expect(reader?.read({ data: '{"type":"response.created"}' })).toEqual([]);
    expect(reader?.end()).toEqual([]);
  });

  test("a completed response that is not is no success", () => {
    const response = { status: "failed", error: { code: "server_error", message: "m" } };
    expect(readEvents({ type: "response.completed", response }).at(-1)).toMatchObject({ type: "error" });
  });
});

describe("told to a client", () => {
  test.each([
    ["upstream_rate_limited", "rate_limit_exceeded"],
    ["rate_limit_exceeded", "rate_limit_exceeded"],
    ["insufficient_quota", "insufficient_quota"],
    ["context_length_exceeded", "context_length_exceeded"],
    ["upstream_overloaded", "server_is_overloaded"],
    ["upstream_rejected", "invalid_prompt"],
    ["invalid_value", "invalid_value"],
    ["upstream_reset", "server_error"],
    ["upstream_truncated", "server_error"],
    ["internal_error", "server_error"],
  ] as const)("%s has the code %s (bug 50)", (kind, code) => {
    const [frame] = dialect.error.frames(new GatewayError(kind, "m"), "req 1");
    expect(frame?.event).toBe("response.failed");
    const event = JSON.parse(frame?.data ?? "") as JsonObject;
    expect(event).toMatchObject({
      type: "response.failed",
      sequence_number: 2147483647,
      response: { id: "resp_req_1", object: "response", status: "failed", error: { code, message: "m" }, output: [] },
    });
  });

  test("agents read the wait out of the words", () => {
    const words = (message: string) => {
      const error = new GatewayError("upstream_rate_limited", message, { retryAfterMs: 2100 });
      const data = dialect.error.frames(error, "r")[0]?.data ?? "{}";
      return (JSON.parse(data) as { response: { error: { message: string } } }).response.error.message;
    };
    expect(words("Slow down.")).toBe("Slow down. Please try again in 3s.");
    expect(words("Try again in 9s.")).toBe("Try again in 9s.");
  });
});
