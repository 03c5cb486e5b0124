// The members of a message and its blocks that types require and another provider's reply has no value for.
// Source: @anthropic-ai/sdk 1.10.0, `Message`, `TextBlock`, `ToolUseBlock`, `RawMessageDeltaEvent.Delta`.
import type { JsonObject } from "../../lib/json.ts";

/** Of a message, whole or as a stream opens it. */
export const messageMembers: JsonObject = { container: null, diagnostics: null };

/** Of the event that ends a message. */
export const endMembers: JsonObject = { container: null };

/** A text block; citations come later in a stream. */
export function textBlock(text: string, citations: JsonObject[] = []): JsonObject {
  return { type: "text", text, citations: citations.length > 0 ? citations : null };
}

/** A call of a tool, which the model itself made. */
export function toolUseBlock(id: string, name: string, input: JsonObject): JsonObject {
  return { type: "tool_use", id, name, input, caller: { type: "direct" } };
}
