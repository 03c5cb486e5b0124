// The frame around the choices of a whole OpenAI-shaped reply: errors in disguise, order, usage.
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
 * The answer in a body, its choices in the order of their indexes. Throws the upstream's own error where the body is
 * one, else what makes it no reply.
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
