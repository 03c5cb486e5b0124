// The list of provider kinds. A compatible newcomer is one row in presets.ts, one with formats of its own a row in vendors.ts.
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

/** In the order in which a model that several of them list is looked for. */
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

/** The kind of that name, if there is one. */
export function findKind(kind: string): HttpKind | undefined {
  return providerKinds.find((candidate) => candidate.name === kind);
}

/** Supports OpenAI's chat, which servers implement with differences of their own. */
export function isCompatible({ dialects }: HttpKind): boolean {
  return dialects.includes(openaiChat);
}
