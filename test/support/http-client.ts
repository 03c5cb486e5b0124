// How a scenario's caller asks: fills in path, key, headers and a smallest valid body, and says what it received.

import type { World } from "./fixture-gateway.ts";
import { sendRaw } from "./raw-http.ts";
import { type Received, transcribe } from "./response-oracle.ts";

export type Surface =
  | "chat"
  | "completions"
  | "responses"
  | "messages"
  | "gemini"
  | "count"
  | "gemini-count"
  | "embeddings";

export interface Call {
  /** The endpoint whose path, headers and smallest body are taken. Default "chat". */
  to?: Surface;
  method?: string;
  path?: string;
  /** How the key is shown. Default "good": a bearer token. Any other text is sent as the bearer token. */
  key?: "good" | "none" | "x-api-key" | "x-goog-api-key" | "query" | (string & {});
  /** Added to the usual headers; null removes one. */
  headers?: Record<string, string | null>;
  /** Laid over the smallest body; undefined removes a field. Google's paths hold `model` and `stream`: they are taken out. */
  body?: Record<string, unknown>;
  /** Sent in place of a JSON body. */
  rawBody?: string | Uint8Array<ArrayBuffer>;
  /** Sent in place of the whole request, piece by piece. */
  bytes?: () => Iterable<string | Uint8Array>;
  /** The client leaves when the upstream has been asked, or when it has received the first bytes. */
  leaves?: "when asked" | "after first bytes";
  /** Runs when the first bytes of the body are there. */
  onFirst?: () => void;
}

interface SurfaceRow {
  /** `{model}` and `{method}` are filled from the body. */
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

const hello = [{ role: "user", content: "Say hello." }];
const anthropicVersion = { "anthropic-version": "2023-06-01" };
const helloGoogle = [{ role: "user", parts: [{ text: "Say hello." }] }];

export const surfaces: Record<Surface, SurfaceRow> = {
  chat: { path: "/v1/chat/completions", headers: {}, body: { model: "gpt-x", messages: hello } },
  completions: { path: "/v1/completions", headers: {}, body: { model: "gpt-x", prompt: "Say hello." } },
  responses: { path: "/v1/responses", headers: {}, body: { model: "gpt-r", input: "Say hello." } },
  messages: {
    path: "/v1/messages",
    headers: anthropicVersion,
    body: { model: "claude-x", max_tokens: 100, messages: hello },
  },
  gemini: {
    path: "/v1beta/models/{model}:{method}",
    headers: {},
    body: { model: "gemini-x", contents: helloGoogle },
  },
  count: {
    path: "/v1/messages/count_tokens",
    headers: anthropicVersion,
    body: { model: "claude-x", messages: hello },
  },
  "gemini-count": {
    path: "/v1beta/models/{model}:countTokens",
    headers: {},
    body: { model: "gemini-x", contents: helloGoogle },
  },
  embeddings: { path: "/v1/embeddings", headers: {}, body: { model: "embed-x", input: "hello" } },
};

export interface Made {
  /** Null when the client left before there was an answer. */
  received: Received | null;
  /** `performance.now()` when the client left. */
  leftAt?: number;
}

/** Makes the call and listens to the end of the answer. */
export async function make(call: Call, world: World): Promise<Made> {
  if (call.bytes) return { received: await makeRaw(call.bytes(), world) };
  const made: Made = { received: null };
  const leaving = new AbortController();
  const leave = () => {
    made.leftAt = performance.now();
    leaving.abort();
  };
  if (call.leaves === "when asked") void expectRequests(world).then(leave);
  const answer = await fetch(world.gateway.url + pathOf(call, world), {
    method: call.method ?? "POST",
    headers: headersOf(call, world),
    redirect: "manual",
    signal: leaving.signal,
    ...bodyOf(call),
  }).catch((error: unknown) => {
    if (leaving.signal.aborted) return null;
    throw error;
  });
  if (!answer) return made;
  made.received = await transcribe(answer, () => {
    call.onFirst?.();
    if (call.leaves === "after first bytes") leave();
  });
  return made;
}

async function makeRaw(pieces: Iterable<string | Uint8Array>, world: World): Promise<Received> {
  const { status, text, body } = await sendRaw(world.gateway.url, pieces);
  const lines = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n").slice(1);
  const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/, 2) as [string, string]));
  return await transcribe(new Response(body, { status: status || 599, headers }));
}

async function expectRequests(world: World): Promise<void> {
  await Promise.race(Object.values(world.upstreams).map((upstream) => upstream.seen(0)));
}

/** The body of a call as the client has it in mind, with what Google's paths hold. */
function fieldsOf(call: Call): Record<string, unknown> {
  return { ...surfaces[call.to ?? "chat"].body, ...call.body };
}

function pathOf(call: Call, world: World): string {
  const { model, stream } = fieldsOf(call);
  const method = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const path = call.path ?? surfaces[call.to ?? "chat"].path;
  const filled = path.replace("{model}", String(model)).replace("{method}", method);
  return call.key === "query" ? `${filled}${filled.includes("?") ? "&" : "?"}key=${world.gateway.key}` : filled;
}

function headersOf(call: Call, world: World): Headers {
  const headers = new Headers({ "content-type": "application/json", ...surfaces[call.to ?? "chat"].headers });
  const key = call.key ?? "good";
  if (key === "x-api-key" || key === "x-goog-api-key") headers.set(key, world.gateway.key);
  else if (key !== "none" && key !== "query")
    headers.set("authorization", `Bearer ${key === "good" ? world.gateway.key : key}`);
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

function bodyOf(call: Call): { body?: string | Uint8Array<ArrayBuffer> } {
  if (call.method === "GET" || call.method === "HEAD") return {};
  if (call.rawBody !== undefined) return { body: call.rawBody };
  return { body: JSON.stringify(bodySent(call)) };
}

/** The JSON body of a call as it goes over the wire. */
export function bodySent(call: Call): Record<string, unknown> {
  const { model, stream, ...rest } = fieldsOf(call);
  const isInPath = (call.path ?? surfaces[call.to ?? "chat"].path).includes("{model}:");
  if (isInPath) return rest;
  return { ...(model === undefined ? {} : { model }), ...(stream === undefined ? {} : { stream }), ...rest };
}
