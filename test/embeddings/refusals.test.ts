// What is refused: by us before anybody is asked, by upstreams in their own words, and replies that are none.
import { describe, expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { type Far, fars, near, plays, texts } from "./upstream-dialects.ts";

const { up, gateway, be, refuse, calls } = await near();
const farOf = (kind: string): Far => fars.find((far) => far.kind === kind)!;

async function post(path: string, body: object, headers: object = {}) {
  const answer = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as unknown, headers: answer.headers };
}
const embed = (kind: string, body: object, headers?: object) =>
  post("/v1/embeddings", { model: `${kind}/m`, ...body }, headers);
const google = (kind: string, verb: string, body: object) => post(`/v1beta/models/${kind}/m:${verb}`, body);
const content = (text: string) => ({ content: { parts: [{ text }] } });

describe("bounds of OpenAI's body, a row on each side", () => {
  const many = (count: number) => texts(count);
  test.each([
    [{ input: many(2048) }, 200, null],
    [{ input: many(2049) }, 400, "input"],
    [{ input: Array.from({ length: 2048 }, () => [1]) }, 200, null],
    [{ input: Array.from({ length: 2049 }, () => [1]) }, 400, "input"],
    [{ input: Array.from({ length: 2049 }, () => 1) }, 200, null],
    [{ input: "t" }, 200, null],
    [{ input: "" }, 400, "input"],
    [{ input: ["t"] }, 200, null],
    [{ input: [] }, 400, "input"],
    [{ input: ["t", ""] }, 400, "input[1]"],
    [{ input: [[1], [2]] }, 200, null],
    [{ input: [[1], []] }, 400, "input[1]"],
    [{ input: ["t", 1] }, 400, "input"],
    [{ input: ["t", [1]] }, 400, "input"],
    [{ input: [1, [1]] }, 400, "input"],
    [{ input: [-1] }, 400, "input[0]"],
    [{ input: "t", dimensions: 1 }, 200, null],
    [{ input: "t", dimensions: 0 }, 400, "dimensions"],
    [{ input: "t", dimensions: null }, 200, null],
    [{ input: "t", encoding_format: "float" }, 200, null],
    [{ input: "t", encoding_format: "base64" }, 200, null],
    [{ input: "t", encoding_format: "hex" }, 400, "encoding_format"],
  ])("row %#", async (body, status, param) => {
    const far = farOf("openai");
    up.on(`POST ${far.path}`, (line) => {
      const input = at(line.request.json, "input");
      const count = Array.isArray(input) && typeof input[0] !== "number" ? input.length : 1;
      return line.play({
        json: far.reply(
          Array.from({ length: count }, () => [1]),
          1,
          {},
        ),
      });
    });
    const answer = await embed("openai", body);
    expect({ status: answer.status, param: at(at(answer.body, "error"), "param") ?? null }).toEqual({ status, param });
    expect(up.requests).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe("bounds of Google's bodies, a row on each side", () => {
  test.each([
    ["embedContent", content("t1"), 200, null],
    ["embedContent", content(""), 400, "content.parts[0].text"],
    ["embedContent", {}, 400, "content"],
    ["embedContent", { content: { parts: [] } }, 400, "content.parts"],
    ["embedContent", { ...content("t1"), outputDimensionality: 1 }, 200, null],
    ["embedContent", { ...content("t1"), outputDimensionality: 0 }, 400, "outputDimensionality"],
    ["embedContent", { ...content("t1"), output_dimensionality: 0 }, 400, "output_dimensionality"],
    ["embedContent", { ...content("t1"), taskType: "RETRIEVAL_QUERY" }, 200, null],
    ["embedContent", { ...content("t1"), task_type: "retrieval_query" }, 200, null],
    ["embedContent", { ...content("t1"), taskType: "GUESSING" }, 400, "taskType"],
    ["batchEmbedContents", { requests: texts(2048).map(content) }, 200, null],
    ["batchEmbedContents", { requests: texts(2049).map(content) }, 400, "requests"],
    ["batchEmbedContents", { requests: [content("t1")] }, 200, null],
    ["batchEmbedContents", { requests: [] }, 400, "requests"],
    ["batchEmbedContents", { requests: [content("t1"), content("")] }, 400, "requests[1].content.parts[0].text"],
  ] as const)("%s, row %#", async (verb, body, status, param) => {
    be(farOf("cohere"));
    const answer = await google("cohere", verb, body);
    const error = at(answer.body, "error");
    expect({ status: answer.status, param: at(error, "param") ?? null }).toEqual({ status, param });
    if (status !== 200) expect(error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
  });

  test("both prefixes, both spellings, several parts as one text, usage beside the vector", async () => {
    const far = farOf("cohere");
    be(far);
    const body = { content: { parts: [{ text: "t3" }, { text: "and" }] }, output_dimensionality: 256 };
    const { body: reply } = await post("/v1/models/cohere/m:embedContent", body);
    expect(reply).toEqual({ embedding: { values: [3, 0.5, -1, 0.25] }, usageMetadata: { promptTokenCount: 3 } });
    expect(up.requests[0]?.json).toMatchObject({ texts: ["t3\nand"], output_dimension: 256 });
  });

  test("what other wires say once for all must not differ between requests", async () => {
    be(farOf("cohere"));
    const requests = [content("t1"), { ...content("t2"), taskType: "CLUSTERING" }];
    const { status, body } = await google("cohere", "batchEmbedContents", { requests });
    expect({ status, param: at(at(body, "error"), "param") }).toEqual({ status: 400, param: "requests[1].taskType" });
  });

  test("media go to Google alone", async () => {
    const part = { inlineData: { mimeType: "image/png", data: "AAAA" } };
    const body = { content: { parts: [part] } };
    be(farOf("cohere"));
    expect(at(at((await google("cohere", "embedContent", body)).body, "error"), "param")).toBe("content.parts[0]");
    up.on("POST /v1beta/models/m:embedContent", { json: { embedding: { values: [3, 4] }, more: 1 } });
    const { body: reply } = await google("gemini", "embedContent", { ...body, outputDimensionality: 2, future: true });
    expect(reply).toEqual({ embedding: { values: [3, 4] }, more: 1 });
    expect(up.requests[0]?.json).toEqual({ ...body, outputDimensionality: 2, future: true, model: "models/m" });
  });
});

describe("token ids", () => {
  test.each(["mistral", "gemini", "vertex", "cohere", "jina", "voyage", "ollama", "dashscope"])(
    "%s is not asked",
    async (kind) => {
      for (const input of [
        [1, 2],
        [[1], [2]],
      ]) {
        const { status, body } = await embed(kind, { input });
        expect(status).toBe(400);
        expect(at(body, "error")).toMatchObject({ code: "unsupported_parameter", param: "input" });
      }
      expect(up.requests).toHaveLength(0);
    },
  );

  test("the OpenAI family is", async () => {
    const far = farOf("siliconflow");
    up.on(`POST ${far.path}`, (line) =>
      line.play({
        json: far.reply(
          (at(line.request.json, "input") as number[][]).map((ids) => [ids[0]!]),
          1,
          {},
        ),
      }),
    );
    const input = Array.from({ length: 40 }, (_, index) => [index]);
    const { body } = await embed("siliconflow", { input });
    expect((at(body, "data") as { embedding: number[] }[]).map(({ embedding }) => embedding[0])).toEqual(
      input.map(([id]) => id),
    );
    expect(up.requests).toHaveLength(2);
  });
});

describe("what cannot be said", () => {
  const lost = (kind: string, body: object) => embed(kind, { input: "t1", ...body }, { "x-turnpike-strict": "true" });
  test.each([
    ["cohere", { user: "u" }, "user"],
    ["gemini", { user: "u" }, "user"],
    ["voyage", { input_type: "clustering" }, "input_type"],
    ["cohere", { truncate: "END" }, "truncate"],
    ["ollama", { task: "query" }, "input_type"],
  ])("%s: %j", async (kind, body, param) => {
    be(farOf(kind));
    const strict = await lost(kind, body);
    expect({ status: strict.status, param: at(at(strict.body, "error"), "param") }).toEqual({ status: 400, param });
    const { status } = await embed(kind, { input: "t1", ...body });
    expect(status).toBe(200);
    expect(JSON.stringify(up.requests.at(-1)?.json)).not.toContain('"u"');
  });

  test("the OpenAI family gets the user and whatever else there is", async () => {
    be(farOf("openai"));
    await lost("openai", { user: "u", future: 1 });
    expect(up.requests[0]?.json).toMatchObject({ user: "u", future: 1 });
  });
});

describe("upstreams refuse in their own words", () => {
  const rows: [kind: string, status: number, json: unknown, seen: number, type: string][] = [
    ["openai", 400, { error: { message: "Too long.", type: "invalid_request_error" } }, 400, "invalid_request_error"],
    [
      "gemini",
      400,
      { error: { code: 400, message: "Too long.", status: "INVALID_ARGUMENT" } },
      400,
      "invalid_request_error",
    ],
    [
      "gemini",
      400,
      [{ error: { code: 400, message: "Too long.", status: "INVALID_ARGUMENT" } }],
      400,
      "invalid_request_error",
    ],
    ["vertex", 403, { error: { code: 403, message: "No.", status: "PERMISSION_DENIED" } }, 502, "upstream_error"],
    ["cohere", 400, { message: "Too long." }, 400, "invalid_request_error"],
    ["cohere", 498, { id: "x", message: "invalid api token" }, 502, "upstream_error"],
    ["cohere", 499, { message: "client closed" }, 503, "unavailable_error"],
    [
      "jina",
      422,
      { detail: [{ loc: ["body", "input"], msg: "Too long.", type: "value_error" }] },
      422,
      "invalid_request_error",
    ],
    ["jina", 402, { detail: "Insufficient balance" }, 502, "upstream_error"],
    ["voyage", 400, { detail: "Too long." }, 400, "invalid_request_error"],
    ["voyage", 429, { detail: "Slow down." }, 429, "rate_limit_error"],
    ["ollama", 404, { error: "model 'm' not found" }, 404, "invalid_request_error"],
    ["ollama", 500, { error: "runner stopped" }, 502, "upstream_error"],
    ["tei", 413, { error: "batch size 64 > 32", error_type: "Validation" }, 413, "invalid_request_error"],
    ["tei", 422, { error: "Too long.", error_type: "Tokenizer" }, 422, "invalid_request_error"],
    [
      "dashscope",
      400,
      { code: "InvalidParameter", message: "Too long.", request_id: "r" },
      400,
      "invalid_request_error",
    ],
    ["dashscope", 400, { code: "Arrearage", message: "Access denied.", request_id: "r" }, 502, "upstream_error"],
    [
      "dashscope",
      429,
      { code: "Throttling.RateQuota", message: "Slow down.", request_id: "r" },
      429,
      "rate_limit_error",
    ],
    ["siliconflow", 400, { code: 20015, message: "Too long.", data: null }, 400, "invalid_request_error"],
    ["siliconflow", 401, "Invalid token", 502, "upstream_error"],
  ];
  test.each(rows)("%s %d %j", async (kind, status, json, seen, type) => {
    refuse(farOf(kind), { status, json });
    const answer = await embed(kind, { input: "t1" });
    expect(answer.status).toBe(seen);
    const error = at(answer.body, "error");
    expect(error).toMatchObject({ type });
    if (JSON.stringify(json).includes("Too long.")) expect(String(at(error, "message"))).toContain("Too long.");
  });

  test("one refused part is a refusal of the whole, in Google's envelope for Google's clients", async () => {
    const far = farOf("dashscope");
    let count = 0;
    up.on(`POST ${far.path}`, (line) =>
      ++count === 3 ? line.play({ status: 400, json: { code: "InvalidParameter", message: "No." } }) : plays(far)(line),
    );
    const requests = texts(60).map(content);
    const { status, body } = await google("dashscope", "batchEmbedContents", { requests });
    expect(status).toBe(400);
    expect(at(body, "error")).toMatchObject({ code: 400, status: "INVALID_ARGUMENT", message: "No." });
  });
});

describe("replies that are none", () => {
  test.each([
    ["cohere", { id: "x" }],
    ["cohere", { embeddings: { float: [[1, "x"]] } }],
    ["cohere", { embeddings: { float: [[1], [2]] } }],
    ["cohere", { embeddings: { float: [] } }],
    ["gemini", { embeddings: [{}] }],
    ["vertex", { predictions: [] }],
    ["jina", { data: [{ index: 0 }] }],
    ["voyage", { data: [{ index: 0, embedding: "%%" }] }],
    ["ollama", { embeddings: [] }],
    ["ollama", [[1]]],
  ])("%s %j", async (kind, json) => {
    refuse(farOf(kind), { json });
    const { status, body } = await embed(kind, { input: "t1" });
    expect(status).toBe(502);
    expect(at(body, "error")).toMatchObject({ type: "upstream_error", code: "upstream_protocol_error" });
  });

  test("a part with a vector too few spoils the whole, also in the passthrough", async () => {
    const far = farOf("siliconflow");
    up.on(`POST ${far.path}`, (line) =>
      line.play({
        json: far.reply(
          Array.from({ length: 31 }, () => [1]),
          1,
          {},
        ),
      }),
    );
    const { status } = await embed("siliconflow", { input: texts(64) });
    expect(status).toBe(502);
    expect(calls(far)).toHaveLength(2);
  });
});
