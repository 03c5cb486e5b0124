// Sampling: this dialect knows three fields; what a model or its thinking does not take is left out with a warning.
import type { ChatRequest, Sampling } from "../../canonical/chat.ts";
import type { FieldName } from "../../canonical/request-field.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RenderContext } from "../dialect.ts";
import { textAlone, unsupported } from "../errors.ts";
import { type CallWarnings, optionalNumber } from "./field-names.ts";
import type { ModelLimits } from "./model-capabilities.ts";

export function readSampling(wire: JsonObject): Sampling {
  return {
    ...optionalNumber(wire, "temperature", "temperature"),
    ...optionalNumber(wire, "top_p", "topP"),
    ...optionalNumber(wire, "top_k", "topK"),
  };
}

/** The lowest top_p that goes together with thinking. */
const minThinkingTopP = 0.95;

interface Setting {
  readonly sampling: Sampling;
  readonly limits: ModelLimits;
  readonly isThinking: boolean;
  readonly losses: CallWarnings;
}

function temperature({ sampling, limits, isThinking, losses }: Setting): JsonObject {
  const wanted = sampling.temperature;
  if (wanted === undefined) return {};
  if (limits.sampling && !isThinking) {
    if (wanted > 1) losses.add("approximated", "temperature");
    return { temperature: Math.min(wanted, 1) };
  }
  if (wanted !== 1) losses.add("dropped", "temperature");
  return {};
}

function topP({ sampling, limits, isThinking, losses }: Setting): JsonObject {
  const wanted = sampling.topP;
  if (wanted === undefined) return {};
  const isSecond = sampling.temperature !== undefined && !limits.sampleTwice && !isThinking;
  if (!limits.sampling || isSecond) {
    if (wanted !== 1) losses.add("dropped", "topP");
    return {};
  }
  if (isThinking && wanted < minThinkingTopP) losses.add("approximated", "topP");
  return { top_p: isThinking ? Math.max(wanted, minThinkingTopP) : wanted };
}

function topK({ sampling, limits, isThinking, losses }: Setting): JsonObject {
  if (sampling.topK === undefined) return {};
  if (limits.sampling && !isThinking) return { top_k: sampling.topK };
  losses.add("dropped", "topK");
  return {};
}

/** Fields of other dialects that shade the reply: zero means nothing, any other value is dropped with a warning. */
const shading: readonly ("presencePenalty" | "frequencyPenalty")[] = ["presencePenalty", "frequencyPenalty"];

/** Fields whose loss would make the reply say something false. */
function refuseFalsehoods(request: ChatRequest, context: RenderContext): void {
  const refuse = (field: FieldName, reason: string) => {
    throw unsupported(context.fieldPath(field), reason);
  };
  const { logitBias } = request.sampling;
  if (logitBias !== undefined && Object.keys(logitBias).length > 0)
    refuse("logitBias", "token IDs differ between models");
  if (request.logprobs !== undefined) refuse("logprobs", "log probabilities are not supported");
  if (request.media !== undefined) throw unsupported(request.media.path, textAlone);
  if (request.choices > 1) refuse("choices", "only one choice per request is supported");
  if (request.stopSequences.some((text) => text.trim() === ""))
    refuse("stopSequences", "a stop sequence must contain a character that is not whitespace");
}

/** temperature, top_p and top_k. Throws for what must not be left out in silence. */
export function renderSampling(
  request: ChatRequest,
  limits: ModelLimits,
  isThinking: boolean,
  context: RenderContext,
  warnings: CallWarnings,
): JsonObject {
  refuseFalsehoods(request, context);
  for (const field of shading) if (request.sampling[field]) warnings.add("dropped", field);
  if (request.sampling.seed !== undefined) warnings.add("dropped", "seed");
  const setting: Setting = { sampling: request.sampling, limits, isThinking, losses: warnings };
  return { ...temperature(setting), ...topP(setting), ...topK(setting) };
}
