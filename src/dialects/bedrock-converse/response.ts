// A whole reply of this dialect into canon and back, by the rules of the Messages API.
import type { ChatAnswer } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { readMessage, renderResponse as renderMessage } from "../anthropic-messages/response.ts";
import { readOutput } from "../anthropic-messages/structured-output-tool.ts";
import type { ReadContext, WriteContext } from "../dialect.ts";
import { badReply } from "../errors.ts";
import { clientSpelling, readContent, spellContent } from "./content.ts";
import { isMalformed, readReason, readUsage, settledStop, writeReason, writeUsage } from "./finish-reason.ts";
import { toolFinder } from "./tools.ts";

/** The canonical reply. This wire tells neither an id nor a model. */
export function parseResponse(wire: unknown, context: ReadContext): ChatAnswer {
  const output = isObject(wire) && isObject(wire.output) ? wire.output : {};
  if (!isObject(wire) || !isObject(output.message)) throw badReply("it holds no message");
  if (isMalformed(wire.stopReason)) throw badReply("the model's output was malformed");
  const message: JsonObject = {
    content: readContent(output.message.content),
    ...readReason(wire.stopReason, wire.additionalModelResponseFields),
    usage: readUsage(wire.usage),
  };
  const answer = readMessage(message, { origin: context.origin, tools: toolFinder(context) });
  const choices = answer.choices.map((choice) => ({ ...choice, stop: settledStop(choice.stop, wire.stopReason) }));
  return readOutput({ ...answer, choices }, context.ask);
}

/** The body for a client. */
export function renderResponse(answer: ChatAnswer, context: WriteContext): JsonObject {
  const { content, usage, ...reason } = renderMessage(answer, context);
  return {
    output: { message: { role: "assistant", content: spellContent(content, clientSpelling()) } },
    ...writeReason(reason),
    usage: writeUsage(usage),
    metrics: { latencyMs: 0 },
  };
}
