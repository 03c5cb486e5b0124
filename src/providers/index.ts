// The list of provider kinds. A compatible newcomer is one row in presets.ts; any other is one file and one line here.
import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock/index.ts";
import { compatible } from "./compatible.ts";
import { gemini } from "./gemini.ts";
import { openai } from "./openai.ts";
import { presets } from "./presets.ts";
import type { ProviderKind } from "./provider.ts";
import { vertex } from "./vertex/index.ts";

export const providerKinds: readonly ProviderKind[] = [
  openai,
  anthropic,
  gemini,
  azure,
  vertex,
  bedrock,
  ...presets,
  compatible,
];

/** The kind of that name, if there is one. */
export function findKind(kind: string): ProviderKind | undefined {
  return providerKinds.find((candidate) => candidate.kind === kind);
}
