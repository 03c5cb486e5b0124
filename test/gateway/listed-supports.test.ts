// What lists of models contain about them: read in the form of each vendor, used to choose among the candidates of a route, and never to refuse.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCohereModels, readDataList, readGeminiModels } from "../../src/providers/model-list.ts";
import { says } from "../support/fixtures.ts";
import { adminKey, gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const folder = join(import.meta.dir, "..", "fixtures", "model-lists");
const listOf = (vendor: string): unknown => JSON.parse(readFileSync(join(folder, `${vendor}.json`), "utf8")).list;

test.each([
  [
    "openrouter",
    readDataList,
    {
      "vendor/vision-1": {
        images: true,
        tools: true,
        jsonSchema: true,
        maxInputTokens: 131_072,
        maxOutputTokens: 16_384,
      },
      "vendor/text-1": { images: false, tools: false, jsonSchema: false, maxInputTokens: 8_192 },
    },
  ],
  [
    "mistral",
    readDataList,
    {
      "mistral-small-x": { images: true, tools: true, maxInputTokens: 131_072 },
      "codestral-x": { images: false, tools: false, maxInputTokens: 32_768 },
    },
  ],
  ["groq", readDataList, { "llama-x": { maxInputTokens: 131_072, maxOutputTokens: 32_768 } }],
  ["vllm", readDataList, { own: { maxInputTokens: 4_096 } }],
  [
    "fireworks",
    readDataList,
    { "accounts/fireworks/models/x": { images: false, tools: false, maxInputTokens: 65_536 } },
  ],
  // Its bound on output and its schemas are in the built-in table.
  ["anthropic", readDataList, { "claude-x": { images: false, maxInputTokens: 200_000 } }],
  ["gemini", readGeminiModels, { "gemini-x": { maxInputTokens: 1_048_576, maxOutputTokens: 8_192 } }],
  [
    "cohere",
    readCohereModels,
    {
      "command-x": { images: false, tools: true, jsonSchema: true, maxInputTokens: 128_000 },
      "aya-x": { images: true, tools: false, jsonSchema: false, maxInputTokens: 16_384 },
      "rerank-x": { maxInputTokens: 4_096 },
    },
  ],
  ["openai", readDataList, {}],
])("the list of %s", (vendor, read, expected) => {
  const found = read(listOf(vendor)).flatMap(({ id, supports }) => (supports === undefined ? [] : [[id, supports]]));
  expect(Object.fromEntries(found)).toEqual(expected);
});

test("members of a wrong type are not known", () => {
  const item = {
    ...{ id: "m", context_length: "8192", max_completion_tokens: -1, supported_parameters: "tools" },
    ...{ architecture: [], capabilities: { vision: "yes", image_input: true }, top_provider: null },
  };
  expect(readDataList([item])).toEqual([{ id: "m" }]);
});

const [small, large] = [await upstream(), await upstream()];
const entry = (id: string, more: object) => ({ json: { object: "list", data: [{ id, object: "model", ...more }] } });
const listSmall = (more: object) => small.on("GET /v1/models", entry("a", more));
listSmall({ context_length: 40, supported_parameters: ["max_tokens"], architecture: { input_modalities: ["text"] } });
large.on(
  "GET /v1/models",
  entry("b", { context_length: 100_000, supported_parameters: ["tools", "structured_outputs"] }),
);

const running = await gateway({
  yaml: `providers:
  small: { kind: compatible, base_url: "${small.url}/v1" }
  large: { kind: compatible, base_url: "${large.url}/v1" }
models:
  both: { candidates: [{ provider: small, model: a }, { provider: large, model: b }] }
  declared: { candidates: [{ provider: small, model: a, supports: { tools: true, images: true, max_input_tokens: 1000 } }, { provider: large, model: b }] }
  alone: { candidates: [{ provider: small, model: a }] }
  twice: { candidates: [{ provider: small, model: a }, { provider: small, model: a, tier: 2 }] }
`,
});
afterAll(async () => {
  await running.stop();
  await Promise.all([small.stop(), large.stop()]);
});
const explained = async (): Promise<Record<string, unknown>[]> => {
  const response = await fetch(`${running.url}/admin/api/routes/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "declared" }),
  });
  return ((await response.json()) as { candidates: Record<string, unknown>[] }).candidates;
};
// Lists are read in the background: until then everything is allowed.
await until("the lists are read", async () =>
  (await explained()).every(({ supports_listed: listed }) => Array.isArray(listed) && listed.length > 0),
);
beforeEach(() => {
  for (const each of [small, large]) {
    each.requests.length = 0;
    each.on("POST /v1/chat/completions", says("openai-chat/text.json"));
  }
});

const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const tools = [{ type: "function", function: { name: "now", parameters: { type: "object", properties: {} } } }];
const schema = { type: "json_schema", json_schema: { name: "x", strict: true, schema: { type: "object" } } };
const long = "word ".repeat(200);

const answeredBy = async (model: string, body: object): Promise<string | null> => {
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...body }),
  });
  expect([response.status, response.status === 200 ? "" : await response.text()]).toEqual([200, ""]);
  return response.headers.get("x-turnpike-provider");
};

describe("a candidate whose provider lists that it", () => {
  test.each([
    ["has no tools", { tools }],
    ["has no schemas", { response_format: schema }],
    ["has no images", { messages: [{ role: "user", content: [{ type: "text", text: "hi" }, image] }] }],
    ["has a short context", { messages: [{ role: "user", content: long }] }],
  ])("%s does not get a request that needs it", async (_, body) => {
    expect(await answeredBy("both", body)).toBe("large");
    expect(await answeredBy("both", {})).toBe("small");
  });

  test("gets it where it is the only one, or where no other one is better", async () => {
    expect(await answeredBy("alone", { tools })).toBe("small");
    expect(await answeredBy("twice", { tools })).toBe("small");
  });

  test("gets it where the operator declares otherwise", async () => {
    expect(await answeredBy("declared", { tools })).toBe("small");
    expect(await answeredBy("declared", { messages: [{ role: "user", content: long }] })).toBe("small");
    expect(await answeredBy("declared", { response_format: schema })).toBe("large");
  });
});

test("the explanation of a route names what only the list contains", async () => {
  expect((await explained())[0]).toMatchObject({
    supports: { tools: true, images: true, json_schema: false, max_input_tokens: 1_000 },
    supports_listed: ["json_schema"],
  });
});
