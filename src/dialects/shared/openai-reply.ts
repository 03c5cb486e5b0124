// Reads the members around the choices of a complete OpenAI-shaped reply: errors with status 200, order, usage.
import type { ChatResponse, Choice } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { isErrorBody, parseError } from "../openai-error.ts";
import { isFailure } from "./openai-finish-reason.ts";
import { parseUsage } from "./openai-usage.ts";

function indexOf(choice: Json): number {
  return isObject(choice) && typeof choice.index === "number" ? choice.index : 0;
}

function checkedChoice(choice: Json, index: number): JsonObject {
  if (!isObject(choice)) throw invalidUpstreamResponse(`choices[${index}] is not an object`);
  if (isFailure(choice.finish_reason)) throw parseError(200, isObject(choice.error) ? choice : { error: {} });
  return choice;
}

/**
 * Parses a body, with its choices ordered by index. Throws the upstream's error if the body is one, or the reason why
 * it is not a reply.
 */
export function parseReply(
  wire: unknown,
  parseChoice: (choice: JsonObject, index: number, replyId: string) => Choice,
): ChatResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("expected a JSON object");
  if (isErrorBody(wire)) throw parseError(200, wire);
  if (!Array.isArray(wire.choices) || wire.choices.length === 0)
    throw invalidUpstreamResponse("the response has no choices");
  const id = typeof wire.id === "string" ? wire.id : "";
  const usage = parseUsage(wire.usage);
  return {
    operation: "chat",
    id,
    model: typeof wire.model === "string" ? wire.model : "",
    ...(typeof wire.created === "number" ? { createdAt: wire.created } : {}),
    choices: [...wire.choices]
      .sort((left, right) => indexOf(left) - indexOf(right))
      .map((choice, index) => parseChoice(checkedChoice(choice, index), index, id)),
    ...(usage === undefined ? {} : { usage }),
  };
}
