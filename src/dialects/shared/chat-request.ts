// A canonical chat request from what a field table has read.
import type { ChatRequest, Sampling } from "../../canonical/chat.ts";
import type { ReadFields } from "../read-fields.ts";

const samplingFields: { readonly [field in keyof Required<Sampling>]: true } = {
  temperature: true,
  topP: true,
  topK: true,
  presencePenalty: true,
  frequencyPenalty: true,
  seed: true,
  logitBias: true,
};

/** The request; fields that the client did not send have their defaults. */
export function chatRequest(
  envelope: Pick<ChatRequest, "model" | "stream" | "includeUsage">,
  { fields, unmappedFields }: ReadFields<ChatRequest>,
): ChatRequest {
  const request: Record<string, unknown> = {
    ...{ operation: "chat", system: [], messages: [], tools: [], stopSequences: [], choices: 1 },
    ...envelope,
    unmappedFields,
  };
  const sampling: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    (Object.hasOwn(samplingFields, field) ? sampling : request)[field] = value;
  }
  return { ...request, sampling } as unknown as ChatRequest;
}
