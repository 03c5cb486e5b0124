// Where canon's fields stand on this wire.
import type { FieldName } from "../../canonical/request-field.ts";

const paths: { readonly [field in FieldName]?: string } = {
  temperature: "generationConfig.temperature",
  topP: "generationConfig.topP",
  topK: "generationConfig.topK",
  presencePenalty: "generationConfig.presencePenalty",
  frequencyPenalty: "generationConfig.frequencyPenalty",
  seed: "generationConfig.seed",
  logitBias: "generationConfig.logitBias",
  logprobs: "generationConfig.responseLogprobs",
  stopSequences: "generationConfig.stopSequences",
  choices: "generationConfig.candidateCount",
  maxOutputTokens: "generationConfig.maxOutputTokens",
  tools: "tools",
  toolChoice: "toolConfig.functionCallingConfig",
  parallelToolCalls: "toolConfig.functionCallingConfig",
  format: "generationConfig.responseSchema",
  reasoning: "generationConfig.thinkingConfig",
  verbosity: "generationConfig",
  tier: "serviceTier",
  speed: "serviceTier",
  endUser: "labels",
  messages: "contents",
  system: "systemInstruction",
  input: "contents",
  dimensions: "outputDimensionality",
  purpose: "taskType",
  title: "title",
};

export function fieldPath(field: FieldName): string {
  return paths[field] ?? field;
}
