// The outline of a plain chat completions request (texts and function tools), read without building the canonical
// request.
import type { Effort, FunctionTool } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RequestOutline } from "../request-outline.ts";
import { isAbsent } from "../shared/json-accessors.ts";
import { tierOf } from "../shared/openai-fields.ts";
import { textParts } from "../tokens/request-parts.ts";
import { parseTools } from "./tools.ts";

/** Fields with rules of their own. */
const special = ["functions", "function_call", "response_format", "logprobs", "top_logprobs", "modalities", "audio"];
const plainChoices: readonly unknown[] = [undefined, null, "auto", "none", "required"];

/** False where the content is more than text. */
function addContent(content: Json | undefined, texts: string[]): boolean {
  if (typeof content === "string") {
    texts.push(content);
    return true;
  }
  return (
    Array.isArray(content) &&
    content.every((part) => {
      if (!isObject(part) || part.type !== "text" || typeof part.text !== "string") return false;
      texts.push(part.text);
      return true;
    })
  );
}

function addCalls(calls: readonly Json[], texts: string[]): boolean {
  return calls.every((call) => {
    const called = isObject(call) && typeof call.id === "string" && call.type === "function" ? call.function : null;
    if (!isObject(called) || typeof called.name !== "string" || typeof called.arguments !== "string") return false;
    texts.push(called.name, called.arguments);
    return true;
  });
}

function addAssistant(message: JsonObject, texts: string[]): boolean {
  const { content, tool_calls: calls } = message;
  if (!isAbsent(message.audio) || !isAbsent(message.function_call) || !isAbsent(message.reasoning_details))
    return false;
  for (const text of [message.reasoning_content, message.refusal]) if (typeof text === "string") texts.push(text);
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  if (content === undefined ? !hasCalls : content !== null && !addContent(content, texts)) return false;
  return isAbsent(calls) || (Array.isArray(calls) && addCalls(calls, texts));
}

function addMessage(message: JsonObject, texts: string[]): boolean {
  switch (message.role) {
    case "system":
    case "developer":
    case "user":
      return addContent(message.content, texts);
    case "assistant":
      return addAssistant(message, texts);
    case "tool":
      return (
        typeof message.tool_call_id === "string" && message.tool_call_id !== "" && addContent(message.content, texts)
      );
    default:
      return false;
  }
}

const isPlainTool = (tool: Json): boolean => isObject(tool) && tool.type === "function" && isObject(tool.function);

/** Null for requests with anything else: the canonical request is built for those. */
export function outline(wire: JsonObject): RequestOutline | null {
  if (special.some((name) => !isAbsent(wire[name])) || !plainChoices.includes(wire.tool_choice)) return null;
  const messages = wire.messages as JsonObject[];
  const texts: string[] = [];
  if (!messages.every((message) => addMessage(message, texts))) return null;
  if (Array.isArray(wire.tools) && !wire.tools.every(isPlainTool)) return null;
  const tools = parseTools(wire) as FunctionTool[];
  const { model, n, reasoning_effort: effort } = wire;
  const most = wire.max_completion_tokens ?? wire.max_tokens;
  return {
    operation: "chat",
    model: String(model),
    isUnnamed: false,
    stream: wire.stream === true,
    choices: typeof n === "number" ? n : 1,
    tools,
    ...(typeof effort === "string" ? { reasoning: { effort: effort as Effort } } : {}),
    ...(typeof most === "number" ? { maxOutputTokens: most } : {}),
    ...(typeof wire.service_tier === "string" ? { tier: tierOf(wire.service_tier) } : {}),
    mayHoldMedia: false,
    mediaOutput: [],
    parts: textParts(texts, { messages: messages.length, tools }),
  };
}
