// Members of a message and its blocks that the types require and that replies of other providers have no value for.
// Source: @anthropic-ai/sdk 1.10.0, `Message`, `TextBlock`, `ToolUseBlock`, `RawMessageDeltaEvent.Delta`.
import type { JsonObject } from "../../lib/json.ts";

/** Members of a message, in a complete reply and in message_start. */
export const messageMembers: JsonObject = { container: null, diagnostics: null };

/** Members of the event that ends a message. */
export const endMembers: JsonObject = { container: null };

/** A text block. In a stream, citations follow later. */
export function textBlock(text: string, citations: JsonObject[] = []): JsonObject {
  return { type: "text", text, citations: citations.length > 0 ? citations : null };
}

/** A tool call of the model. */
export function toolUseBlock(id: string, name: string, input: JsonObject): JsonObject {
  return { type: "tool_use", id, name, input, caller: { type: "direct" } };
}
