// Where canon's fields stand on this wire.
import type { FieldName } from "../../canonical/request-field.ts";

const paths: { readonly [field in FieldName]?: string } = {
  temperature: "inferenceConfig.temperature",
  topP: "inferenceConfig.topP",
  topK: "additionalModelRequestFields.top_k",
  stopSequences: "inferenceConfig.stopSequences",
  maxOutputTokens: "inferenceConfig.maxTokens",
  tools: "toolConfig.tools",
  toolChoice: "toolConfig.toolChoice",
  parallelToolCalls: "additionalModelRequestFields.tool_choice",
  format: "outputConfig.textFormat",
  reasoning: "additionalModelRequestFields.thinking",
  tier: "serviceTier",
  messages: "messages",
  system: "system",
};

/** Fields that this wire does not have keep canon's name. */
export function fieldPath(field: FieldName): string {
  return paths[field] ?? field;
}
