// The list of provider kinds. A newcomer is one file and one line here.
import { anthropic } from "./anthropic.ts";
import { compatible } from "./compatible.ts";
import { openai } from "./openai.ts";
import type { ProviderKind } from "./provider.ts";

export const providerKinds: readonly ProviderKind[] = [openai, anthropic, compatible];

/** The kind of that name, if there is one. */
export function findKind(kind: string): ProviderKind | undefined {
  return providerKinds.find((candidate) => candidate.kind === kind);
}
