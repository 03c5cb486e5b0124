// What the tests of this dialect share: contexts, a body that passes, and readers of fixtures.

import type { ChatAnswer, ChatAsk } from "../../../src/canon/conversation.ts";
import type { Delta } from "../../../src/canon/delta.ts";
import type { RenderContext, Rendered } from "../../../src/dialects/dialect.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { type Frame, formatFrame } from "../../../src/lib/sse.ts";
import { plainAsk } from "../../kit/asks.ts";
import { envelopeOf, framesOf, readAll, renderContextOf } from "../../kit/laws.ts";
import { wireText } from "../../kit/wires.ts";

const envelope = envelopeOf();

export const hello: JsonObject = { model: "m", messages: [{ role: "user", content: "hi" }] };

export const parse = (more: JsonObject): ChatAsk => openaiChat.request.parse({ ...hello, ...more }, envelope);

export const parseMessages = (...messages: JsonObject[]): ChatAsk => parse({ messages });

export const baseAsk = plainAsk;

export function context(more: Partial<RenderContext> = {}): RenderContext {
  return renderContextOf(openaiChat as never, { fieldPath: (field) => `their.${field}`, ...more });
}

export const render = (ask: Partial<ChatAsk>, more: Partial<RenderContext> = {}): Rendered =>
  openaiChat.request.render({ ...baseAsk, ...ask }, context(more));

/** The messages that an ask becomes, and the warnings on the way. */
export function messagesOf(
  turns: ChatAsk["turns"],
  more: Partial<RenderContext> = {},
): { messages: Json; warnings: Json } {
  const { call, warnings } = render({ turns }, more);
  return { messages: call.body.messages as Json, warnings: warnings as unknown as Json };
}

export const fixtureFrames = (name: string): Frame[] => framesOf([Buffer.from(wireText(`openai-chat/${name}`))]);

export const readFixture = (name: string): Delta[] => readAll(openaiChat, fixtureFrames(name));

export const readChunks = (...chunks: (JsonObject | string)[]): Delta[] =>
  readAll(
    openaiChat,
    chunks.map((chunk) => ({ data: typeof chunk === "string" ? chunk : JSON.stringify(chunk) })),
  );

/** One chunk of one choice. */
export function chunk(delta: JsonObject, finish: string | null = null, index = 0): JsonObject {
  return { id: "c1", model: "m", choices: [{ index, delta, finish_reason: finish }] };
}

export const wholeReply = (message: JsonObject, finish: string | null = "stop", more: JsonObject = {}): ChatAnswer =>
  openaiChat.response.parse(
    { id: "c1", model: "m", choices: [{ index: 0, message, finish_reason: finish }], ...more },
    { origin: "maker" },
  );

/** What a client of these deltas sees, chunk by chunk; `[DONE]` stays text. */
export function written(deltas: Iterable<Delta>, ask: Partial<ChatAsk> = {}): Json[] {
  const writer = openaiChat.stream?.writer({
    ask: { ...baseAsk, stream: true, ...ask },
    wire: {},
    id: "made-1",
    createdAt: 7,
    inputEstimate: 1,
  });
  const frames = [...deltas].flatMap((delta) => writer?.write(delta) ?? []);
  return framesOf([Buffer.from(frames.map(formatFrame).join(""))]).map((frame) =>
    frame.data === "[DONE]" ? frame.data : (JSON.parse(frame.data) as Json),
  );
}

export { thrown } from "../../kit/asks.ts";
