// Sampling: this dialect knows three fields; what a model or its thinking does not take is left out with a warning.
import type { ChatAsk, Sampling } from "../../canonical/chat.ts";
import type { FieldName } from "../../canonical/warning.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RenderContext } from "../dialect.ts";
import { textAlone, unsupported } from "../errors.ts";
import { type Losses, optionalNumber } from "./field-names.ts";
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
  readonly losses: Losses;
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
function refuseFalsehoods(ask: ChatAsk, context: RenderContext): void {
  const refuse = (field: FieldName, reason: string) => {
    throw unsupported(context.fieldPath(field), reason);
  };
  const { logitBias } = ask.sampling;
  if (logitBias !== undefined && Object.keys(logitBias).length > 0)
    refuse("logitBias", "its token ids mean nothing there");
  if (ask.logprobs !== undefined) refuse("logprobs", "there are no log probabilities");
  if (ask.media !== undefined) throw unsupported(ask.media.path, textAlone);
  if (ask.choices > 1) refuse("choices", "there is one reply to a request");
  if (ask.stop.some((text) => text.trim() === ""))
    refuse("stop", "a stop text needs a character that is not white space");
}

/** temperature, top_p and top_k. Throws for what must not be left out in silence. */
export function renderSampling(
  ask: ChatAsk,
  limits: ModelLimits,
  isThinking: boolean,
  context: RenderContext,
  losses: Losses,
): JsonObject {
  refuseFalsehoods(ask, context);
  for (const field of shading) if (ask.sampling[field]) losses.add("dropped", field);
  if (ask.sampling.seed !== undefined) losses.add("dropped", "seed");
  const setting: Setting = { sampling: ask.sampling, limits, isThinking, losses };
  return { ...temperature(setting), ...topP(setting), ...topK(setting) };
}
