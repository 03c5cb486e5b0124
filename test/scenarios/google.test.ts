// Google's protocol on the wire: streams as one JSON array, carriers of the key, paths under both versions.
import { expect } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { says, wireFrames } from "../support/fixtures.ts";
import type { Call } from "../support/http-client.ts";
import type { Received } from "../support/response-oracle.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";
import { fars } from "../translation-matrix/upstreams.ts";

const google: Call = { to: "gemini" };
const arrayPath = (model: string) => `/v1beta/models/${model}:streamGenerateContent`;
const json = { "content-type": /^application\/json/ };

/** The elements of the array that a client read; the body must be one. */
function elements(received: Received): unknown[] {
  if (!Array.isArray(received.json)) throw new Error(`the body is no JSON array: ${received.text}`);
  return received.json;
}

const wordChunk = (more: object) => ({
  id: "c",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, ...more }],
});
const spokenWord = [
  ...['{"va', 'lue":"no', 'on"}'].map((content) => wordChunk({ delta: { content } })),
  wordChunk({ delta: {}, finish_reason: "stop" }),
];

/** A word among words: the upstream is asked for an object, the client hears the word alone. */
const choices: Scenario[] = [false, true].map((stream) => ({
  name: `a word among words, stream ${stream}`,
  call: {
    ...google,
    body: {
      model: "gpt-x",
      stream,
      generationConfig: {
        responseMimeType: "text/x.enum",
        responseSchema: { type: "STRING", enum: ["morning", "noon"] },
      },
    },
  },
  upstream: {
    alpha: stream
      ? { frames: [...spokenWord.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), "data: [DONE]\n\n"] }
      : { json: wordChunk({ message: { role: "assistant", content: '{"value":"noon"}' }, finish_reason: "stop" }) },
  },
  sees: { result: { text: "noon", stop: "STOP" } },
  requested: { alpha: [{ body: { response_format: { type: "json_schema" } } }] },
}));

const pictures: Scenario[] = (["gpt-x", "claude-x", "gpt-r"] as const).map((model) => ({
  name: `a picture of ${model}, which only writes, is refused`,
  call: { ...google, body: { model, generationConfig: { responseModalities: ["TEXT", "IMAGE"] } } },
  sees: { status: 400, error: { param: "generationConfig.responseModalities" } },
  requested: {},
}));

const arrays: Scenario[] = fars.flatMap(({ speaks, at: to, model, replies }): Scenario[] => [
  {
    name: `a stream of ${speaks} as one array`,
    call: { ...google, path: arrayPath(model) },
    upstream: { [to]: says(`${speaks}/text.sse`) },
    sees: { headers: json, result: { text: replies.text.text, stop: "STOP", isEnded: true } },
    also: (received) => expect(elements(received).length).toBeGreaterThan(1),
  },
  {
    name: `tools of ${speaks} in an array`,
    call: { ...google, path: arrayPath(model) },
    upstream: { [to]: says(`${speaks}/tools.sse`) },
    sees: { result: { calls: replies["parallel tools"]?.calls as never } },
  },
  ...(["end", "cut", "reset"] as const).map((ending) => cutArray(speaks, to, model, ending)),
  brokenArray(speaks, to, model),
]);

/** The upstream breaks off when the client has received something: the array is whole JSON, and its last element the error. */
function cutArray(speaks: string, to: string, model: string, ending: "end" | "cut" | "reset"): Scenario {
  const receivedFirst = Promise.withResolvers<void>();
  const all = wireFrames(`${speaks}/text.sse`);
  const result = speaks === "gemini" ? 1 : all.findIndex((frame) => frame.includes("Hello")) + 1;
  const frames = [...all.slice(0, result), ": the end is near\n\n"];
  return {
    name: `an array of ${speaks} that breaks off (${ending}) ends with the error`,
    call: { ...google, path: arrayPath(model), onFirst: () => receivedFirst.resolve() },
    upstream: { [to]: { frames, ending, gate: receivedFirst.promise, gateAfter: result } },
    sees: { error: { message: expect.stringMatching(/\S/) } },
    also: endsWithError,
    ledger: { state: "failed", provider: to },
  };
}

function brokenArray(speaks: string, to: string, model: string): Scenario {
  const receivedFirst = Promise.withResolvers<void>();
  const frames = wireFrames(`${speaks}/error-midstream.sse`);
  return {
    name: `an error within a stream of ${speaks} is the last element`,
    call: { ...google, path: arrayPath(model), onFirst: () => receivedFirst.resolve() },
    upstream: { [to]: { frames, gate: receivedFirst.promise, gateAfter: frames.length - 1 } },
    also: endsWithError,
  };
}

function endsWithError(received: Received): void {
  const all = elements(received);
  expect(Object.keys(all.at(-1) as object)).toEqual(["error"]);
  expect(at(all.at(-1), "error")).toMatchObject({
    code: expect.any(Number),
    status: expect.stringMatching(/^[A-Z_]+$/),
  });
  for (const element of all.slice(0, -1)) expect(at(element, "candidates", 0, "finishReason")).toBeUndefined();
}

const arrivals: Scenario[] = [
  {
    name: "elements leave as they arrive",
    call: google,
    ...asTheyCome(),
  },
  {
    name: "an error before the first byte has its status, and is no array",
    call: { ...google, path: arrayPath("gemini-x") },
    upstream: { google: says("gemini/error-429.json") },
    sees: { status: 429, error: { code: "upstream_rate_limited" } },
    also: (received) => expect(Array.isArray(received.json)).toBe(false),
  },
  {
    name: "the array of an upstream that is asked for events is asked for as events",
    call: { ...google, path: arrayPath("gemini-x") },
    upstream: { google: says("gemini/text.sse") },
    also: (_received, { upstreams }) => expect(upstreams.google.requests[0]?.query.get("alt")).toBe("sse"),
  },
];

function asTheyCome(): Pick<Scenario, "call" | "upstream" | "sees"> {
  const receivedFirst = Promise.withResolvers<void>();
  return {
    call: { ...google, path: arrayPath("gemini-x"), onFirst: () => receivedFirst.resolve() },
    upstream: { google: says("gemini/text.sse", { gate: receivedFirst.promise, gateAfter: 1 }) },
    sees: { result: { text: "Hello, world!" } },
  };
}

const hello = says("gemini/text.json");
const output = { text: "Hello, world!", stop: "STOP", isEnded: true };
const requested = {
  google: [{ path: "/v1beta/models/gemini-x:generateContent", headers: { "x-goog-api-key": "canary-google" } }],
};

const carriers: Scenario[] = [
  ...(["good", "x-goog-api-key", "query"] as const).map(
    (key): Scenario => ({
      name: `the key as ${key === "good" ? "a bearer token" : key}`,
      call: { ...google, key },
      upstream: { google: hello },
      sees: { result: output },
      requested,
      also: (_received, { upstreams, gateway }) => {
        const seen = upstreams.google.requests[0];
        expect(JSON.stringify([seen?.query.toString(), ...(seen?.headers ?? [])])).not.toContain(gateway.key);
      },
    }),
  ),
  {
    name: "the key of a query beside alt=sse",
    call: { ...google, key: "query", body: { stream: true } },
    upstream: { google: says("gemini/text.sse") },
    sees: { result: output, headers: { "content-type": /^text\/event-stream/ } },
  },
  {
    name: "an empty key header is no key, and the one of the query counts",
    call: { ...google, key: "query", headers: { "x-goog-api-key": "" } },
    upstream: { google: hello },
    sees: { result: output },
  },
  {
    name: "no key",
    call: { ...google, key: "none" },
    sees: { status: 401, error: { code: "missing_api_key" } },
    requested: {},
    ledger: "none",
  },
  {
    name: "newer SDKs call under /v1",
    call: { ...google, path: "/v1/models/gemini-x:generateContent" },
    upstream: { google: hello },
    sees: { result: output },
    requested,
  },
  {
    name: "a model of two words and a doubled collection",
    call: { ...google, path: "/v1beta/models/models/google%2Fgemini-x:generateContent" },
    upstream: { google: hello },
    sees: { result: output },
    requested,
  },
  {
    name: "fields in snake_case arrive as they came",
    call: {
      ...google,
      body: { system_instruction: { parts: [{ text: "Be brief." }] }, generation_config: { top_k: 4 } },
    },
    upstream: { google: hello },
    requested: { google: [{ body: { generation_config: { top_k: 4 } } }] },
  },
];

scenarios("streams as one array", [...arrays, ...arrivals], { fresh: true });
scenarios("Google's paths and carriers", carriers);
scenarios("words among words", choices);
scenarios("pictures", pictures);
