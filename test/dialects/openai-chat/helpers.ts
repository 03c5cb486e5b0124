// What the tests of this dialect share: contexts, a body that passes, turns, and readers of fixtures and replies.

import type {
  Block,
  ChatRequest,
  ChatResponse,
  FinishReason,
  Message,
  ResultPart,
  ToolCallBlock,
  ToolResultBlock,
} from "../../../src/canonical/chat.ts";
import { collectEvents, type StreamEvent } from "../../../src/canonical/stream-event.ts";
import type { Usage } from "../../../src/canonical/usage.ts";
import type { RenderContext, RenderedRequest } from "../../../src/dialects/dialect.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { type Frame, formatFrame } from "../../../src/lib/sse.ts";
import { wireText } from "../../support/fixtures.ts";
import { envelopeOf, framesOf, readAll, renderContextOf, writeContextOf } from "../../support/laws.ts";
import { plainAsk } from "../../support/sample-requests.ts";

const envelope = envelopeOf();

export const hello: JsonObject = { model: "m", messages: [{ role: "user", content: "hi" }] };

/** The smallest tool. */
export const fn = { type: "function", function: { name: "f" } };

export const parse = (more: JsonObject): ChatRequest => openaiChat.request.parse({ ...hello, ...more }, envelope);

export const parseMessages = (...messages: JsonObject[]): ChatRequest => parse({ messages });

export const baseAsk = plainAsk;

export function context(more: Partial<RenderContext> = {}): RenderContext {
  return renderContextOf(openaiChat as never, { fieldPath: (field) => `their.${field}`, ...more });
}

export const render = (ask: Partial<ChatRequest>, more: Partial<RenderContext> = {}): RenderedRequest =>
  openaiChat.request.render({ ...baseAsk, ...ask }, context(more));

/** The messages that an ask becomes, and the warnings on the way. */
export function messagesOf(
  messages: ChatRequest["messages"],
  more: Partial<RenderContext> = {},
): { messages: Json; warnings: Json } {
  const { call, warnings } = render({ messages: messages }, more);
  return { messages: call.body.messages as Json, warnings: warnings as unknown as Json };
}

export const text = (words: string): Block => ({ type: "text", text: words });
export const says = (role: Message["role"], ...words: string[]): Message => ({ role, blocks: words.map(text) });

export const call = (id: string, more: Partial<ToolCallBlock> = {}): ToolCallBlock => ({
  type: "tool-call",
  id,
  name: "f",
  kind: "function",
  input: "{}",
  ...more,
});

export const result = (
  callId: string,
  content: ResultPart[] = [{ type: "text", text: `R ${callId}` }],
  isError = false,
): ToolResultBlock => ({
  type: "tool-result",
  callId,
  content,
  isError,
});

/** The call of this id as the wire has it. */
export const callWire = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });

/** A turn for histories that may not end with an assistant's or a tool's. */
export const end = says("user", "go on");

export const fixtureFrames = (name: string): Frame[] => framesOf([Buffer.from(wireText(`openai-chat/${name}`))]);

export const readFixture = (name: string): StreamEvent[] => readAll(openaiChat, fixtureFrames(name));

export const readChunks = (...chunks: (JsonObject | string)[]): StreamEvent[] =>
  readAll(
    openaiChat,
    chunks.map((chunk) => ({ data: typeof chunk === "string" ? chunk : JSON.stringify(chunk) })),
  );

export const blocksOf = (events: StreamEvent[], choice = 0) => collectEvents(events)?.choices[choice]?.blocks;
export const lastOf = (events: StreamEvent[]) => events.at(-1);
export const types = (events: StreamEvent[]) => events.map((event) => event.type);
export const stopOf = (events: StreamEvent[]): FinishReason | undefined =>
  collectEvents(events)?.choices[0]?.finishReason;

/** One chunk of one choice. */
export function chunk(delta: JsonObject, finish: string | null = null, index = 0): JsonObject {
  return { id: "c1", model: "m", choices: [{ index, delta, finish_reason: finish }] };
}

export const wholeReply = (message: JsonObject, finish: string | null = "stop", more: JsonObject = {}): ChatResponse =>
  openaiChat.response.parse(
    { id: "c1", model: "m", choices: [{ index: 0, message, finish_reason: finish }], ...more },
    { origin: "maker" },
  );

/** What a client gets of an answer with these blocks in its one choice. */
export function shown(
  blocks: Block[],
  finishReason: FinishReason = { kind: "end" },
  usage?: Usage,
  extras = baseAsk.unmappedFields,
): JsonObject {
  const response: ChatResponse = {
    operation: "chat",
    id: "r1",
    model: "up",
    choices: [{ index: 0, blocks, finishReason: finishReason }],
    ...(usage ? { usage } : {}),
  };
  return openaiChat.response.render(response, writeContextOf({ ...baseAsk, unmappedFields: extras }));
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads its own wire
export const message = (wire: JsonObject): any => (wire.choices as JsonObject[])[0]?.message;
export const label = (wire: JsonObject): unknown => (wire.choices as JsonObject[])[0]?.finish_reason;

/** What a client of these deltas sees, chunk by chunk; `[DONE]` stays text. */
export function written(events: Iterable<StreamEvent>, ask: Partial<ChatRequest> = {}): Json[] {
  const writer = openaiChat.stream?.writer({
    request: { ...baseAsk, stream: true, ...ask },
    wire: {},
    id: "made-1",
    createdAt: 7,
    inputEstimate: 1,
  });
  const frames = [...events].flatMap((event) => writer?.write(event) ?? []);
  return framesOf([Buffer.from(frames.map(formatFrame).join(""))]).map((frame) =>
    frame.data === "[DONE]" ? frame.data : (JSON.parse(frame.data) as Json),
  );
}

export { thrown } from "../../support/sample-requests.ts";
