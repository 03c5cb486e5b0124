// Embeddings on both paths, as numbers and as base64, whatever the upstream can give.

import { says } from "../support/fixtures.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";

const one = says("openai-embeddings/one-float.json");
const floats = [0.5, -0.25, 1, 0.125];
const base64 = "AAAAPwAAgL4AAIA/AAAAPg==";

const rows: Scenario[] = [
  {
    name: "a text becomes numbers",
    call: { to: "embeddings" },
    upstream: { alpha: one },
    sees: {
      body: {
        object: "list",
        model: "embed-x",
        data: [{ object: "embedding", index: 0, embedding: floats }],
        usage: { prompt_tokens: 4, total_tokens: 4 },
      },
    },
    requested: { alpha: [{ path: "/v1/embeddings", body: { model: "embed-x", input: "hello" } }] },
    ledger: { state: "completed", operation: "embed", inputTokens: 4 },
  },
  {
    name: "base64 is given even where the upstream only has numbers",
    call: { to: "embeddings", body: { encoding_format: "base64" } },
    upstream: { alpha: one },
    sees: { body: { data: [{ embedding: base64 }] } },
  },
  {
    name: "base64 of the upstream passes",
    call: { to: "embeddings", body: { encoding_format: "base64" } },
    upstream: { alpha: says("openai-embeddings/one-base64.json") },
    sees: { body: { data: [{ embedding: base64 }] } },
  },
  {
    name: "numbers are given even where the upstream answers base64",
    call: { to: "embeddings", body: { encoding_format: "float" } },
    upstream: { alpha: says("openai-embeddings/one-base64.json") },
    sees: { body: { data: [{ embedding: floats }] } },
  },
  {
    name: "several texts keep their order",
    call: { to: "embeddings", body: { input: ["hello", "world"], dimensions: 4 } },
    upstream: { alpha: says("openai-embeddings/two-float.json") },
    sees: { body: { data: [{ index: 0 }, { index: 1, embedding: [-1, 0.75, 0.0625, 0] }] } },
    requested: { alpha: [{ body: { input: ["hello", "world"], dimensions: 4 } }] },
  },
  {
    name: "token arrays travel on",
    call: { to: "embeddings", body: { input: [[1, 2, 3], [4]] } },
    upstream: { alpha: says("openai-embeddings/two-float.json") },
    requested: { alpha: [{ body: { input: [[1, 2, 3], [4]] } }] },
  },
  {
    name: "the engine path works as the plain one",
    call: { to: "embeddings", path: "/v1/engines/embed-x/embeddings" },
    upstream: { alpha: one },
    sees: { body: { object: "list" } },
    requested: { alpha: [{ path: "/v1/embeddings", body: { model: "embed-x" } }] },
  },
  {
    name: "input is required",
    call: { to: "embeddings", body: { input: undefined } },
    sees: { status: 400, error: { code: "missing_required_parameter", param: "input" } },
    requested: {},
  },
  {
    name: "dimensions is a whole number",
    call: { to: "embeddings", body: { dimensions: 1.5 } },
    sees: { status: 400, error: { code: "invalid_type", param: "dimensions" } },
    requested: {},
  },
  {
    name: "encoding_format takes two words",
    call: { to: "embeddings", body: { encoding_format: "hex" } },
    sees: { status: 400, error: { code: "invalid_value", param: "encoding_format" } },
    requested: {},
  },
  {
    name: "a vector that is none is a protocol error",
    call: { to: "embeddings" },
    upstream: { alpha: { json: { object: "list", data: [{ embedding: "%%" }] } } },
    sees: { status: 502, error: { type: "upstream_error", code: "upstream_protocol_error" } },
  },
];

scenarios("embeddings", rows);
