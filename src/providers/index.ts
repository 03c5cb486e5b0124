// The list of provider kinds. A compatible provider is one row in presets.ts, one with its own formats a row in
// vendors.ts.
import { openaiChat } from "../dialects/index.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock/index.ts";
import { jimeng } from "./jimeng.ts";
import { kling } from "./kling.ts";
import { compatible, openai } from "./openai.ts";
import { presets } from "./presets.ts";
import type { HttpKind } from "./provider.ts";
import { vendors } from "./vendors.ts";
import { vertex } from "./vertex/index.ts";

/** Models that several of them list are searched in this order. */
export const providerKinds: readonly HttpKind[] = [
  openai,
  ...vendors.chat,
  azure,
  vertex,
  bedrock,
  ...vendors.texts,
  ...vendors.audio,
  kling,
  jimeng,
  ...vendors.videos,
  ...presets,
  compatible,
];

/** The kind with that name, if there is one. */
export function findKind(kind: string): HttpKind | undefined {
  return providerKinds.find((candidate) => candidate.name === kind);
}

/** Whether the kind supports OpenAI's chat completions, which servers implement with differences. */
export function isCompatible({ dialects }: HttpKind): boolean {
  return dialects.includes(openaiChat);
}
