// The passthrough: the client's wire untouched but for the path, and for envelopes of the gateway.
import { describe, expect, test } from "bun:test";
import { countCall, parseCount, readCount, renderCount } from "../../../src/dialects/gemini/token-count-dialect.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { clientContext, dialect, envelope, hello, refusal } from "./bench.ts";

const bodyOf = (wire: JsonObject, context = clientContext): JsonObject =>
  JSON.parse(JSON.stringify(dialect.passthrough.render(wire, context, envelope()).body)) as JsonObject;
const wrapped = (origin: string, data: string): string =>
  Buffer.from(`gw1.${origin}.${Buffer.from(data).toString("base64url")}`).toString("base64");
const own = wrapped("gemini", "AbC=");
const foreign = wrapped("anthropic", "EqQB");
const unsigned = wrapped("none", "");
const sentinel = "skip_thought_signature_validator";
const call = { functionCall: { name: "f", args: { thoughtSignature: foreign } } };

test.each([
  ["generateContent", "v1beta/models/gemini-3-flash-preview:generateContent"],
  ["streamGenerateContent", "v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse"],
])("%s", (verb, path) => {
  expect(dialect.passthrough.render(hello, clientContext, envelope(verb, "smart")).path).toBe(path);
});

test("fields of tomorrow and of either spelling stay as they are", () => {
  const wire = { ...wireJson<JsonObject>("gemini/agent-request.json"), tomorrow: { a_b: 1 } };
  expect(bodyOf(wire)).toEqual(wire);
});

test("contents without an envelope are the same objects", () => {
  const wire = wireJson<JsonObject>("gemini/agent-request.json");
  expect(dialect.passthrough.render(wire, clientContext, envelope()).body.contents).toBe(wire.contents);
});

test("a model named in the body follows the path, an instruction of bare text becomes a content", () => {
  expect(bodyOf({ ...hello, model: "models/smart", system_instruction: "Be brief." })).toEqual({
    ...hello,
    model: "models/gemini-3-flash-preview",
    system_instruction: { parts: [{ text: "Be brief." }] },
  });
});

test("the pieces of another maker's thought go with the one that holds its state", () => {
  const pieces = [
    { text: "H", thought: true },
    { text: "m.", thought: true, thoughtSignature: foreign },
    { text: "Hi" },
  ];
  const contents = [
    { role: "model", parts: pieces },
    { role: "user", parts: [{ text: "?" }] },
  ];
  expect(bodyOf({ contents }).contents as unknown).toEqual([{ role: "model", parts: [{ text: "Hi" }] }, contents[1]]);
  const native = [{ text: "H", thought: true }, { text: "m.", thought: true, thoughtSignature: own }, call];
  expect(bodyOf({ contents: [{ role: "model", parts: native }, contents[1]!] }).contents).toMatchObject([
    { parts: [{ text: "H" }, { text: "m.", thoughtSignature: "AbC=" }, {}] },
    {},
  ]);
});

describe("signatures that the client has lost", () => {
  const question = { role: "user", parts: [{ text: "When?" }] };
  const result = { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] };
  const calls = (first: object = {}) => ({ role: "model", parts: [{ ...call, ...first }, call] });
  const proven = calls({ thoughtSignature: sentinel });
  const render = (contents: JsonObject[], model = clientContext.model) =>
    dialect.passthrough.render({ contents }, { ...clientContext, model }, envelope());

  test.each<[string, JsonObject[], JsonObject[] | null]>([
    ["the first call of a step gets the stand-in", [question, calls(), result], [question, proven, result]],
    ["so does every step", [question, calls(), result, calls(), result], [question, proven, result, proven, result]],
    ["an empty one is lost too", [question, calls({ thoughtSignature: "" }), result], [question, proven, result]],
    ["a signature stays", [question, calls({ thought_signature: "AbC=" }), result], null],
    ["what was before the last words needs none", [question, calls(), result, question], null],
  ])("%s", (_, contents, sent) => {
    const { body, warnings } = render(contents);
    expect(body.contents as unknown).toEqual(sent ?? contents);
    expect(warnings ?? []).toEqual(sent === null ? [] : [{ code: "approximated", path: "client.reasoning" }]);
  });

  test("models that ask for no signature get none", () => {
    expect(render([question, calls(), result], "gemini-2.5-flash").body.contents as unknown).toEqual([
      question,
      calls(),
      result,
    ]);
  });
});

describe("envelopes", () => {
  const rows: [string, JsonObject, JsonObject | null][] = [
    ["its own state is opened", { ...call, thoughtSignature: own }, { ...call, thoughtSignature: "AbC=" }],
    ["in either spelling", { ...call, thought_signature: own }, { ...call, thought_signature: "AbC=" }],
    [
      "another maker's call gets the stand-in",
      { ...call, thoughtSignature: foreign },
      { ...call, thoughtSignature: sentinel },
    ],
    ["a call without proof too", { ...call, thoughtSignature: unsigned }, { ...call, thoughtSignature: sentinel }],
    ["another maker's thought goes", { text: "Hm.", thought: true, thoughtSignature: foreign }, null],
    ["its text stays, without the state", { text: "Hi", thoughtSignature: foreign }, { text: "Hi" }],
    ["an empty text goes with it", { text: "", thoughtSignature: foreign }, null],
    ["bare state stays", { ...call, thoughtSignature: "AbC=" }, { ...call, thoughtSignature: "AbC=" }],
    ["the client's stand-in stays", { ...call, thoughtSignature: sentinel }, { ...call, thoughtSignature: sentinel }],
  ];
  test.each(rows)("%s", (_, part, after) => {
    const keep = { text: "keep" };
    const contents = bodyOf({ contents: [{ role: "model", parts: [keep, part] }] }).contents;
    expect(contents).toEqual([{ role: "model", parts: after === null ? [keep] : [keep, after] }]);
  });

  test("a content of which nothing is left goes", () => {
    const user = { role: "user", parts: [{ text: "hi" }] };
    const contents = [user, { role: "model", parts: [{ text: "", thoughtSignature: foreign }] }];
    expect(bodyOf({ contents }).contents).toEqual([user]);
  });

  test("older models want no stand-in", () => {
    const contents = [{ role: "model", parts: [{ ...call, thoughtSignature: unsigned }] }];
    expect(bodyOf({ contents }, { ...clientContext, model: "gemini-2.5-flash" }).contents).toEqual([
      { role: "model", parts: [call] },
    ]);
  });
});

describe("counting", () => {
  const request = {
    model: "models/x",
    ...hello,
    system_instruction: "Be brief.",
    tools: [{ function_declarations: [{ name: "a" }] }],
  };

  test("the contents alone", () => {
    expect(parseCount(hello, envelope("countTokens"))).toMatchObject({
      model: "model-x",
      stream: false,
      messages: [{ role: "user" }],
    });
  });

  test.each(["generateContentRequest", "generate_content_request"])("the whole request under %s", (member) => {
    expect(parseCount({ [member]: request }, envelope("countTokens"))).toMatchObject({
      system: [{ text: "Be brief." }],
      tools: [{ name: "a" }],
      messages: [{ role: "user" }],
    });
  });

  test("nothing to count is refused", () => {
    expect(refusal(() => parseCount({}, envelope()))).toEqual({
      kind: "missing_required_parameter",
      param: "contents",
      status: 400,
    });
  });

  test("the client's own question goes on, for the upstream's model", () => {
    const path = "v1beta/models/gemini-3-flash-preview:countTokens";
    expect(countCall(hello, clientContext)).toEqual({ path, body: hello });
    const { body } = countCall({ generate_content_request: request }, clientContext);
    expect(body.generate_content_request).toMatchObject({
      model: "models/gemini-3-flash-preview",
      contents: hello.contents,
      system_instruction: { parts: [{ text: "Be brief." }] },
    });
  });

  test("the figure, both ways", () => {
    expect(readCount({ totalTokens: 31, promptTokensDetails: [] })).toBe(31);
    expect(readCount({ totalTokens: "31" })).toBeNull();
    expect(renderCount(31)).toEqual({ totalTokens: 31 });
  });
});
