// Short hands for the suites of this dialect.
import type { Block, ChatRequest, ChatResponse, Message } from "../../../src/canonical/chat.ts";
import type { StreamEvent } from "../../../src/canonical/stream-event.ts";
import type { ReadContext, RenderContext, RequestMeta } from "../../../src/dialects/dialect.ts";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { formatFrame } from "../../../src/lib/sse.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import { envelopeOf, framesOf, lawModel, readAll } from "../../support/laws.ts";
import { plainAsk } from "../../support/sample-requests.ts";

export { call, messageOf, refusal, result } from "../../support/blocks.ts";

export const dialect = gemini;

/** What the path says: the model and the method. */
export const envelope = (verb = "generateContent", model = lawModel): RequestMeta => ({
  ...envelopeOf(),
  params: { model, verb },
});

export const hello: JsonObject = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };

export const parsed = (more: JsonObject = {}, from: RequestMeta = envelope()): ChatRequest =>
  dialect.request.parse({ ...hello, ...more }, from);

export const turnsOf = (...contents: JsonObject[]): readonly Message[] => parsed({ contents }).messages;

/** Rule and path of everything that canon has no place for. */
export const extrasOf = (more: JsonObject): string[] =>
  parsed(more).unmappedFields.map(({ rule, path }) => `${rule} ${path}`);

/** Paths of the client, told apart from those of this dialect. */
export const clientContext: RenderContext = {
  model: "gemini-3-flash-preview",
  origin: "gemini",
  fieldPath: (field) => `client.${field}`,
};

export const askOf = (more: Partial<ChatRequest> = {}): ChatRequest => ({ ...plainAsk, model: "smart", ...more });

export function rendered(more: Partial<ChatRequest> = {}, model = clientContext.model) {
  const { call, warnings } = dialect.request.render(askOf(more), { ...clientContext, model });
  const body = JSON.parse(JSON.stringify(call.body)) as JsonObject;
  return { path: call.path, body, warnings: warnings.map(({ code, path }) => `${code} ${path}`) };
}

/** The contents that these turns become, and the warnings. */
export function contentsOf(messages: Message[], model?: string) {
  const { body, warnings } = rendered({ messages: messages }, model);
  return { contents: body.contents, warnings };
}

export const readFixture = (name: string): StreamEvent[] =>
  readAll(dialect, framesOf([Buffer.from(wireText(`gemini/${name}.sse`))]));

export const readChunks = (chunks: JsonObject[], context: ReadContext = { origin: "gemini" }): StreamEvent[] => {
  const reader = dialect.stream?.reader(context);
  const events = chunks.flatMap((chunk) => reader?.read({ data: JSON.stringify(chunk) }) ?? []);
  return [...events, ...(reader?.end() ?? [])];
};

export const wholeFixture = (name: string, context: ReadContext = { origin: "gemini" }): ChatResponse =>
  dialect.response.parse(wireJson(`gemini/${name}.json`), context);

/** A whole reply as canon has it. */
export const parsedReply = (wire: unknown, more: object = {}): ChatResponse =>
  dialect.response.parse(wire, { origin: "gemini", ...more });

/** State without thought of its own. */
export const sealedBy = (origin: string, data: string): Block => ({
  type: "thinking",
  text: "",
  signature: { origin, data },
  redacted: true,
});

/** Contents of either role. */
export const contentOf = {
  user: (...parts: JsonObject[]): JsonObject => ({ role: "user", parts }),
  model: (...parts: JsonObject[]): JsonObject => ({ role: "model", parts }),
};

/** A reply of one candidate. */
export const reply = (
  parts: JsonObject[],
  finishReason: string | null = "STOP",
  more: JsonObject = {},
): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}), index: 0, ...more }],
  modelVersion: "m",
  responseId: "r1",
});

/** The chunks that a client of these deltas sees. */
export function written(events: Iterable<StreamEvent>, ask: Partial<ChatRequest> = {}): JsonObject[] {
  const writer = dialect.stream?.writer({
    request: askOf({ stream: true, ...ask }),
    wire: {},
    id: "made-1",
    createdAt: 7,
    inputEstimate: 1,
  });
  const frames = [...events].flatMap((event) => writer?.write(event) ?? []);
  return framesOf([Buffer.from(frames.map(formatFrame).join(""))]).map((frame) => JSON.parse(frame.data) as JsonObject);
}

/** The parts of all chunks, in order. */
export const partsOf = (chunks: JsonObject[]): Json[] =>
  chunks.flatMap((chunk) => {
    const [candidate] = (chunk.candidates as JsonObject[] | undefined) ?? [];
    return ((candidate?.content as JsonObject | undefined)?.parts as Json[] | undefined) ?? [];
  });
