// The names of kinds of providers in the semantic conventions of OpenTelemetry; a kind without a row has its own name.

const names: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  mistral: "mistral_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
};

/** The value of `gen_ai.provider.name`. */
export const semanticName = (kind: string): string => names[kind] ?? kind;
