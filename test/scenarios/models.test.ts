// The list of models in three protocols: who asks decides the shape, of answers and of errors.
import { expect } from "bun:test";
import { at, list } from "../support/chat-stream-reader.ts";
import type { Call } from "../support/http-client.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";

const get = (path: string, more: Call = {}): Call => ({ method: "GET", path, ...more });
const anthropic = { "anthropic-version": "2023-06-01" };

const rows: Scenario[] = [
  {
    name: "OpenAI's shape",
    call: get("/v1/models"),
    sees: { body: { object: "list" }, lacksHeaders: ["request-id"] },
    also: (received) =>
      expect(list(received.json, "data")[0]).toEqual({
        id: "chain",
        object: "model",
        created: 0,
        owned_by: "turnpike",
      }),
  },
  ...["anthropic-version", "vendor-version"].map(
    (name): Scenario => ({
      name: `Anthropic's shape, asked for by ${name}`,
      call: get("/v1/models?limit=100", { headers: { [name]: "2023-06-01" } }),
      sees: { body: { has_more: false, first_id: "chain" }, headers: { "request-id": /./ } },
      also: (received) =>
        expect(list(received.json, "data")[0]).toEqual({
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
        }),
    }),
  ),
  {
    name: "Anthropic's pages",
    call: get("/v1/models?limit=1&after_id=chain", { headers: anthropic, key: "x-api-key" }),
    sees: { body: { data: [{ id: "mixed" }], has_more: true, first_id: "mixed", last_id: "mixed" } },
  },
  {
    name: "Google's shape where its key header is",
    call: get("/v1/models", { key: "x-goog-api-key" }),
    also: (received) =>
      expect(list(received.json, "models")[0]).toMatchObject({
        name: "models/chain",
        displayName: "chain",
        supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
      }),
  },
  {
    name: "Google's shape under its own path, whoever asks",
    call: get("/v1beta/models?pageSize=2"),
    sees: { body: { models: [{ name: "models/chain" }, { name: "models/mixed" }], nextPageToken: expect.any(String) } },
  },
  {
    name: "Google's own path with the key of the query",
    call: get("/v1beta/models?pageSize=1&pageToken=1", { key: "query" }),
    sees: { body: { models: [{ name: "models/mixed" }] } },
  },
  {
    name: "one model in Google's shape",
    call: get("/v1beta/models/gemini-x"),
    sees: { body: { name: "models/gemini-x" } },
  },
  {
    name: "one model in Anthropic's shape",
    call: get("/v1/models/claude-x", { headers: anthropic }),
    sees: { body: { type: "model", id: "claude-x" } },
  },
  {
    name: "a client's version in the query changes nothing",
    call: get("/v1/models?client_version=0.60.0"),
    sees: { body: { object: "list" } },
  },
  {
    name: "a page of no size, in Google's envelope",
    call: get("/v1beta/models?pageSize=0", { to: "gemini" }),
    sees: { status: 400, error: { param: "pageSize", code: "invalid_value" } },
    also: (received) => expect(at(received.json, "error", "status")).toBe("INVALID_ARGUMENT"),
  },
];

/** The same unknown model in the envelope of each protocol. */
const unknown: Scenario[] = [
  { name: "OpenAI's", call: get("/v1/models/nobody"), envelope: { type: "invalid_request_error" } },
  {
    name: "Anthropic's",
    call: get("/v1/models/nobody", { headers: anthropic }),
    envelope: { type: "not_found_error" },
  },
  { name: "Google's", call: get("/v1beta/models/nobody"), envelope: { status: "NOT_FOUND", code: 404 } },
  {
    name: "Google's, by its key header",
    call: get("/v1/models/nobody", { key: "x-goog-api-key" }),
    envelope: { status: "NOT_FOUND", code: 404 },
  },
].map(({ name, call, envelope }) => ({
  name: `an unknown model in ${name} envelope`,
  call,
  sees: { status: 404, error: { message: expect.stringContaining("model") } },
  also: (received) => expect(at(received.json, "error")).toMatchObject(envelope),
}));

scenarios("models in three protocols", [...rows, ...unknown]);
