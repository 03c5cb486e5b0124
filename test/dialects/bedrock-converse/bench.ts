// Short hands for the suites of this dialect.
import type { ChatRequest, ChatResponse, Message } from "../../../src/canonical/chat.ts";
import type { StreamEvent } from "../../../src/canonical/stream-event.ts";
import { bedrockConverse } from "../../../src/dialects/bedrock-converse/index.ts";
import type { RenderContext } from "../../../src/dialects/dialect.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import { framesOf, lawReadContext, readAll } from "../../support/laws.ts";
import { plainAsk } from "../../support/sample-requests.ts";

export { call, messageOf, refusal, result } from "../../support/blocks.ts";

export const dialect = bedrockConverse;

export const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
export const nova = "us.amazon.nova-2-lite-v1:0";
export const oss = "openai.gpt-oss-120b-1:0";
export const llama = "meta.llama3-3-70b-instruct-v1:0";

/** Paths of the client, told apart from those of this dialect. */
const clientContext: RenderContext = {
  model: claude,
  origin: "bedrock",
  fieldPath: (field) => `client.${field}`,
};

export function askOf(more: Partial<ChatRequest> = {}): ChatRequest {
  return { ...plainAsk, ...more };
}

export function rendered(more: Partial<ChatRequest> = {}, model = claude) {
  const { call, warnings } = dialect.request.render(askOf(more), { ...clientContext, model });
  const body = JSON.parse(JSON.stringify(call.body)) as JsonObject;
  return { path: call.path, body, warnings: warnings.map(({ code, path }) => `${code} ${path}`) };
}

/** The messages that these turns become, and the warnings. */
export function messagesOf(messages: Message[], more: Partial<ChatRequest> = {}, model = claude) {
  const { body, warnings } = rendered({ messages: messages, ...more }, model);
  return { messages: body.messages, warnings };
}

export const wholeOf = (name: string): ChatResponse =>
  dialect.response.parse(wireJson(`bedrock-converse/${name}.json`), lawReadContext);

export const streamOf = (name: string): StreamEvent[] =>
  readAll(dialect, framesOf([Buffer.from(wireText(`bedrock-converse/${name}.sse`))]));
