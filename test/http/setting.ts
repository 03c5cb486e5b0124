// One gateway for a file of HTTP tests, asked by plain fetch, with the rows of its table at hand.
import { afterAll, beforeEach, expect } from "bun:test";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { at } from "../support/chat-stream-reader.ts";
import { clearUpstreams, startUpstreams, startWorld, stopWorld, type World } from "../support/fixture-gateway.ts";
import { says } from "../support/fixtures.ts";
import type { GatewayOptions } from "../support/gateway.ts";
import { surfaces } from "../support/http-client.ts";

export { rows } from "./rows.ts";

function modelOf(path: string): string {
  if (/:predict$/.test(path)) return "sandbox/image";
  if (/:predictLongRunning$/.test(path)) return "sandbox/video";
  return /embedContents?$/i.test(path) ? "embed-x" : "claude-x";
}

/** A path that the row claims. */
export const pathOf = ({ path }: Endpoint): string =>
  path
    .replace("{model}", "embed-x")
    .replace("{model...}", modelOf(path))
    .replace("{publisher}", "google")
    .replace("{file...}", "unknown0")
    .replace("{operation_id}", "operation_unknown0")
    .replace("{id...}", "gpt-x")
    .replace("{response_id}", "resp_unknown")
    .replace(/\{(?:task|video)_id\}/, "task_unknown0")
    .replace(/^\/(?:videoB|jimeng)\/$/, "$&?Action=CVSync2AsyncSubmitTask&Version=2022-08-31");

/** What a row answers to its smallest request: rows of single objects know none. */
export const welcome = ({ path }: Endpoint): number =>
  /\{(?:response|task|video|operation)_id\}|\{file\.\.\.\}|:fetchPredict/.test(path) ? 404 : 200;

/** The smallest body, and headers beyond the usual, for each path that asks a model. */
const smallestAsks: Record<string, { body: object | string; headers?: Record<string, string> }> = {
  [surfaces.chat.path]: surfaces.chat,
  [surfaces.messages.path]: surfaces.messages,
  [surfaces.embeddings.path]: surfaces.embeddings,
  "/v1/engines/{model}/embeddings": surfaces.embeddings,
  "/v1/rerank": { body: { model: "gpt-x", query: "hi", documents: ["a", "b", "c"] } },
  "/v2/rerank": { body: { model: "gpt-x", query: "hi", documents: ["a", "b", "c"] } },
  "/v1/moderations": { body: { model: "gpt-x", input: "hi" } },
  "/v1/completions": { body: { model: "gpt-x", prompt: "hi" } },
  "/v1/responses": { body: { model: "gpt-x", input: "hi" } },
  "/v1/responses/compact": { body: { model: "gpt-x", input: "hi" } },
  "/v1/responses/input_tokens": { body: { model: "gpt-x", input: "hi" } },
  "/v1/messages/count_tokens": { ...surfaces.messages, body: { ...surfaces.messages.body, max_tokens: undefined } },
};

const pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
smallestAsks["/v1/images/generations"] = { body: { model: "gpt-x", prompt: "hi" } };
smallestAsks["/v1/images/edits"] = { body: { model: "gpt-x", prompt: "hi", images: [{ image_url: pixel }] } };
smallestAsks["/v1/audio/speech"] = { body: { model: "gpt-x", input: "hi", voice: "alloy" } };
const recording = {
  headers: { "content-type": "multipart/form-data; boundary=edge" },
  body: [
    "--edge",
    'Content-Disposition: form-data; name="model"',
    "",
    "gpt-x",
    "--edge",
    'Content-Disposition: form-data; name="file"; filename="a.wav"',
    "",
    "RIFF",
    "--edge--",
    "",
  ].join("\r\n"),
};
const picture = Buffer.from("R0lGODlhAQABAAAAACw=", "base64").toString("latin1");
smallestAsks["/v1/images/variations"] = {
  ...recording,
  body: recording.body.replace('"file"; filename="a.wav"', '"image"; filename="a.gif"').replace("RIFF", picture),
};
for (const verb of ["transcriptions", "translations"]) smallestAsks[`/v1/audio/${verb}`] = recording;

const content = { parts: [{ text: "hi" }] };
for (const prefix of ["/v1", "/v1beta"]) {
  smallestAsks[`${prefix}/models/{model...}:embedContent`] = { body: { content } };
  smallestAsks[`${prefix}/models/{model...}:batchEmbedContents`] = { body: { requests: [{ content }] } };
}

const instances = [{ prompt: "hi" }];

const video = { model: "sandbox/video", req_key: "sandbox/video", prompt: "hi" };

/** Documents take no body; videos, whose rows are plain too, do. */
function smallestPlain({ method, path }: Endpoint): object | undefined {
  if (path.endsWith(":predictLongRunning")) return { instances };
  if (path.endsWith(":fetchPredictOperation")) return { operationName: "operations/operation_000000000000" };
  if (method !== "POST" || !/video|jimeng/i.test(path)) return undefined;
  return path.includes("image2video") ? { ...video, image: "https://example.com/a.png" } : video;
}

/** Google's rows name the model in the path and share one smallest body. */
const smallestGoogle = { body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] }, headers: undefined };

/** Lets every upstream answer the smallest requests well. */
export function answersAll({ alpha, claude }: World["upstreams"]): void {
  alpha.on("POST /v1/chat/completions", says("openai-chat/text.json"));
  alpha.on("POST /v1/completions", says("openai-completions/text.json"));
  alpha.on("POST /v1/embeddings", says("openai-embeddings/one-float.json"));
  alpha.on("POST /v1/rerank", says("rerank/cohere-v1.json"));
  alpha.on("POST /v1/moderations", says("moderations/openai-one.json"));
  alpha.on("POST /v1/audio/speech", {
    bytes: [Buffer.from("ID3 and more than that")],
    headers: { "content-type": "audio/mpeg" },
  });
  for (const verb of ["generations", "edits", "variations"])
    alpha.on(`POST /v1/images/${verb}`, { json: { created: 1, data: [{ b64_json: "R0lGODlhAQABAAAAACw=" }] } });
  for (const verb of ["transcriptions", "translations"]) alpha.on(`POST /v1/audio/${verb}`, { json: { text: "hi" } });
  claude.on("POST /v1/messages/count_tokens", { json: { input_tokens: 14 } });
  claude.on("*", (line) =>
    line.play(says(at(line.request.json, "stream") ? "anthropic-messages/text.sse" : "anthropic-messages/text.json")),
  );
}

/** The smallest request that the row answers with 200: body and headers, without a key. */
export function smallest(row: Endpoint): RequestInit & { headers: Record<string, string> } {
  const plain = row.kind === "plain" ? smallestPlain(row) : undefined;
  if (plain !== undefined)
    return { method: row.method, headers: { "content-type": "application/json" }, body: JSON.stringify(plain) };
  if (row.kind === "plain") return { method: row.method, headers: {} };
  const isGoogle = row.path.includes("{model...}:");
  const predicted = row.path.endsWith(":predict") ? { body: { instances }, headers: undefined } : undefined;
  const { body, headers } = smallestAsks[row.path] ?? predicted ?? (isGoogle ? smallestGoogle : {});
  if (body === undefined) throw new Error(`test/http/setting.ts has no smallest request for ${row.path}: add one.`);
  return {
    method: row.method,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

export interface Setting {
  world: World;
  bearer: { authorization: string };
  /** Asks a path of the gateway. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Asks for a chat completion with this body or text. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** Starts the world for a test file, clears the upstreams before each test, and stops all of it behind the last one. */
export async function setting(options: GatewayOptions = {}): Promise<Setting> {
  const upstreams = await startUpstreams();
  const world = await startWorld(upstreams, options);
  beforeEach(() => {
    clearUpstreams(upstreams);
  });
  afterAll(() => stopWorld(world));
  const bearer = { authorization: `Bearer ${world.gateway.key}` };
  const send = (path: string, init?: RequestInit) => fetch(world.gateway.url + path, { redirect: "manual", ...init });
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    send("/v1/chat/completions", {
      method: "POST",
      headers: { ...bearer, "content-type": "application/json", ...headers },
      body:
        typeof body === "string" || body instanceof Uint8Array
          ? (body as Uint8Array<ArrayBuffer>)
          : JSON.stringify(body),
    });
  return { world, bearer, send, post };
}

/** Google's members of an error, read as those of the other envelopes once their shape is checked. */
function fromGoogle(error: Record<string, unknown>, status: number, requestId: string | null): Record<string, unknown> {
  const { details, status: word, code, ...rest } = error;
  expect({ code, word }).toEqual({ code: status, word: expect.stringMatching(/^[A-Z_]+$/) });
  const [info, ...others] = details as Record<string, unknown>[];
  expect(info).toMatchObject({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", domain: "turnpike" });
  expect(others).toContainEqual({ "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId });
  return { ...rest, code: at(info, "reason") };
}

/** Checks the status and that all fields of the envelope are there, and gives the error: message, type, param, code. */
export async function errorOf(answer: Response, status: number): Promise<Record<string, unknown>> {
  const body: unknown = await answer.json();
  expect({ status: answer.status, body: JSON.stringify(body) }).toMatchObject({ status });
  const result = at(body, "error") as Record<string, unknown>;
  const error = "details" in result ? fromGoogle(result, status, answer.headers.get("x-request-id")) : result;
  expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
  for (const [field, shape] of Object.entries({ message: /\S/, type: /^[a-z_]+$/, code: /^\w+$/ }))
    expect(String(error[field])).toMatch(shape);
  expect(error["param"] === null || error["param"] !== "").toBe(true);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("x-request-id")).toMatch(/^[\w.:-]{1,128}$/);
  return error;
}

/** The smallest chat body that the upstream `alpha` answers. */
export const chatBody = surfaces.chat.body;
