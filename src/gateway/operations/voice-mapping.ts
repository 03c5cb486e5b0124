// Chooses the voice: standard names work everywhere, others must be declared for the model or be in the provider's
// list.
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import { type ListedVoice, standardVoices } from "../../canonical/speech.ts";
import { listedVoiceId } from "../../dialects/speech/voices.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Candidate, Voices } from "../routing/catalog.ts";
import type { VoiceLists } from "./voice-lists.ts";

const usual = new Set(standardVoices);

/** Voices by the names that the operator declared. */
const declaredVoices = ({ voices, provider }: Candidate): Voices => voices ?? provider.entry.voices ?? {};

/**
 * The provider's own name of the requested voice, if the catalog has it. Throws status 400 for a voice that is neither
 * declared nor listed.
 */
export function voiceFor(
  request: OperationRequest,
  candidate: Candidate,
  listed: readonly ListedVoice[] | undefined,
): string | undefined {
  if (request.operation !== "speak" || request.ownVoice) return undefined;
  const declared = declaredVoices(candidate);
  if (Object.hasOwn(declared, request.voice)) return declared[request.voice];
  if (usual.has(request.voice)) return undefined;
  const own = listedVoiceId(request.voice, listed ?? []);
  if (own !== undefined) return own;
  const names = [...new Set([...standardVoices, ...Object.keys(declared)])].join(", ");
  throw new GatewayError("invalid_value", `'voice' must be one of: ${names}.`, { param: "voice" });
}

/** The voices of the candidate's account, where the request names one of them by a name that is not its id. */
export async function listedVoices(
  { gatewayRequest, voiceLists }: { readonly gatewayRequest: GatewayRequest; readonly voiceLists: VoiceLists },
  candidate: Candidate,
) {
  if (gatewayRequest.outline.operation !== "speak") return undefined;
  const { request } = gatewayRequest;
  if (request.operation !== "speak" || request.ownVoice || Object.hasOwn(declaredVoices(candidate), request.voice))
    return undefined;
  return voiceLists(candidate.provider);
}
