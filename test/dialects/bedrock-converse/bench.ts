// Short hands for the suites of this dialect.
import type { ChatAnswer, ChatAsk, Turn } from "../../../src/canonical/chat.ts";
import type { Delta } from "../../../src/canonical/stream-event.ts";
import { bedrockConverse } from "../../../src/dialects/bedrock-converse/index.ts";
import type { Envelope, RenderContext } from "../../../src/dialects/dialect.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import { envelopeOf, framesOf, lawModel, lawReadContext, readAll } from "../../support/laws.ts";
import { plainAsk } from "../../support/sample-requests.ts";

export { call, refusal, result, said } from "../../support/blocks.ts";

export const dialect = bedrockConverse;

export const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
export const nova = "us.amazon.nova-2-lite-v1:0";
export const oss = "openai.gpt-oss-120b-1:0";
export const llama = "meta.llama3-3-70b-instruct-v1:0";

/** What the path says: the model and the method. */
export const envelope = (verb = "converse", model = lawModel): Envelope => ({
  ...envelopeOf(),
  params: { model, verb },
});

/** Paths of the client, told apart from those of this dialect. */
export const clientContext: RenderContext = {
  model: claude,
  origin: "bedrock",
  fieldPath: (field) => `client.${field}`,
};

export function askOf(more: Partial<ChatAsk> = {}): ChatAsk {
  return { ...plainAsk, ...more };
}

export function rendered(more: Partial<ChatAsk> = {}, model = claude) {
  const { call, warnings } = dialect.request.render(askOf(more), { ...clientContext, model });
  const body = JSON.parse(JSON.stringify(call.body)) as JsonObject;
  return { path: call.path, body, warnings: warnings.map(({ code, path }) => `${code} ${path}`) };
}

/** The messages that these turns become, and the warnings. */
export function messagesOf(turns: Turn[], more: Partial<ChatAsk> = {}, model = claude) {
  const { body, warnings } = rendered({ turns, ...more }, model);
  return { messages: body.messages, warnings };
}

export const wholeOf = (name: string): ChatAnswer =>
  dialect.response.parse(wireJson(`bedrock-converse/${name}.json`), lawReadContext);

export const streamOf = (name: string): Delta[] =>
  readAll(dialect, framesOf([Buffer.from(wireText(`bedrock-converse/${name}.sse`))]));
