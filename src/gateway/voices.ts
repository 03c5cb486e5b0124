// Which voice speaks: the usual names are everybody's, others must be declared for the model.
import { GatewayError } from "../canon/error.ts";
import type { Ask } from "../canon/operation.ts";
import { standardVoices } from "../canon/speech.ts";
import type { Candidate } from "./catalog.ts";

const usual = new Set(standardVoices);

/** The provider's own name for the voice asked for, where the catalog tells it. Throws the 400 for a voice that nobody declared. */
export function voiceFor(ask: Ask, { voices, provider }: Candidate): string | undefined {
  if (ask.operation !== "speak" || ask.ownVoice) return undefined;
  const declared = voices ?? provider.voices ?? {};
  if (Object.hasOwn(declared, ask.voice)) return declared[ask.voice];
  if (usual.has(ask.voice)) return undefined;
  const names = [...new Set([...standardVoices, ...Object.keys(declared)])].join(", ");
  throw new GatewayError("invalid_value", `'voice' must be one of: ${names}.`, { param: "voice" });
}
