// A complete reply, converted to the Messages API and read by its rules.
import type { ChatResponse } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { readMessage } from "../anthropic-messages/response.ts";
import { readOutput } from "../anthropic-messages/structured-output-tool.ts";
import type { ReadContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { readContent } from "./content.ts";
import { isMalformed, readReason, readUsage, settledStop } from "./finish-reason.ts";
import { toolFinder } from "./tools.ts";

/** The canonical reply. This wire returns neither an id nor a model. */
export function parseResponse(wire: unknown, context: ReadContext): ChatResponse {
  const output = isObject(wire) && isObject(wire.output) ? wire.output : {};
  if (!isObject(wire) || !isObject(output.message)) throw invalidUpstreamResponse("the response has no message");
  if (isMalformed(wire.stopReason)) throw invalidUpstreamResponse("the model's output was malformed");
  const message: JsonObject = {
    content: readContent(output.message.content),
    ...readReason(wire.stopReason, wire.additionalModelResponseFields),
    usage: readUsage(wire.usage),
  };
  const response = readMessage(message, { origin: context.origin, tools: toolFinder(context) });
  const choices = response.choices.map((choice) => ({
    ...choice,
    finishReason: settledStop(choice.finishReason, wire.stopReason),
  }));
  return readOutput({ ...response, choices }, context.request);
}
