// The list of provider kinds. A compatible newcomer is one row in presets.ts; any other is one file and one line here.
import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { azureSpeech } from "./azure-speech.ts";
import { bedrock } from "./bedrock/index.ts";
import { cohere } from "./cohere.ts";
import { compatible } from "./compatible.ts";
import { deepgram } from "./deepgram.ts";
import { elevenlabs } from "./elevenlabs.ts";
import { fal } from "./fal.ts";
import { gemini } from "./gemini.ts";
import { jimeng } from "./jimeng.ts";
import { jina } from "./jina.ts";
import { kling } from "./kling.ts";
import { openai } from "./openai.ts";
import { presets } from "./presets.ts";
import type { ProviderKind } from "./provider.ts";
import { replicate } from "./replicate.ts";
import { runway } from "./runway.ts";
import { tei } from "./tei.ts";
import { vertex } from "./vertex/index.ts";
import { vidu } from "./vidu.ts";
import { voyage } from "./voyage.ts";

export const providerKinds: readonly ProviderKind[] = [
  openai,
  anthropic,
  gemini,
  azure,
  vertex,
  bedrock,
  cohere,
  jina,
  voyage,
  tei,
  elevenlabs,
  deepgram,
  azureSpeech,
  kling,
  jimeng,
  vidu,
  runway,
  replicate,
  fal,
  ...presets,
  compatible,
];

/** The kind of that name, if there is one. */
export function findKind(kind: string): ProviderKind | undefined {
  return providerKinds.find((candidate) => candidate.kind === kind);
}
