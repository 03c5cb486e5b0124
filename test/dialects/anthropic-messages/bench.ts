// Short hands for the suites of this dialect.
import type { ChatRequest, Message } from "../../../src/canonical/chat.ts";
import { anthropicMessages } from "../../../src/dialects/anthropic-messages/index.ts";
import type { RenderContext } from "../../../src/dialects/dialect.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { messageOf } from "../../support/blocks.ts";
import { envelopeOf } from "../../support/laws.ts";

export { call, messageOf, refusal, result } from "../../support/blocks.ts";

export const dialect = anthropicMessages;

/** Paths of the client, told apart from those of this dialect. */
export const clientContext: RenderContext = {
  model: "claude-x",
  origin: "anthropic",
  fieldPath: (field) => `client.${field}`,
  maxOutputTokens: 64_000,
};

export const hello: JsonObject = { model: "claude-x", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };

export function askOf(more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    operation: "chat",
    model: "smart",
    stream: false,
    system: [],
    messages: [messageOf("user", "hi")],
    tools: [],
    maxOutputTokens: 100,
    sampling: {},
    stopSequences: [],
    choices: 1,
    unmappedFields: [],
    ...more,
  };
}

export const parsed = (more: JsonObject = {}): ChatRequest =>
  dialect.request.parse({ ...hello, ...more }, envelopeOf());

export function rendered(more: Partial<ChatRequest> = {}, context: Partial<RenderContext> = {}) {
  const { call, warnings } = dialect.request.render(askOf(more), { ...clientContext, ...context });
  const body = JSON.parse(JSON.stringify(call.body)) as JsonObject;
  return { call, body, warnings: warnings.map(({ code, path }) => `${code} ${path}`) };
}

/** The messages that these turns become, and the warnings. */
export function messagesOf(messages: Message[], context: Partial<RenderContext> = {}) {
  const { body, warnings } = rendered({ messages: messages }, context);
  return { messages: body["messages"], warnings };
}
