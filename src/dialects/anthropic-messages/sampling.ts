// Sampling parameters that the models of this dialect accept, also used for the same models on Converse.
import type { ChatRequest } from "../../canonical/chat.ts";
import type { Loss } from "../../canonical/warning.ts";
import { textOnly } from "../errors.ts";
import { type Bounds, dropped, ignored, type RenderSetting, rejected } from "../field-table.ts";
import type { ModelLimits } from "./model-capabilities.ts";

/** What the limits read. */
export interface SamplingSetting extends RenderSetting<ChatRequest> {
  readonly limits: ModelLimits;
  readonly isThinking: boolean;
}

/** The lowest top_p that is accepted together with thinking. */
const minThinkingTopP = 0.95;

const fixed = dropped("the model chooses its sampling itself");

export function temperatureLimit({ limits, isThinking }: SamplingSetting): Loss | Bounds {
  return limits.sampling && !isThinking ? { max: 1 } : fixed;
}

export function topPLimit({ request, limits, isThinking }: SamplingSetting): Loss | Bounds | undefined {
  const isSecond = request.sampling.temperature !== undefined && !limits.sampleTwice && !isThinking;
  if (!limits.sampling || isSecond) return fixed;
  return isThinking ? { min: minThinkingTopP } : undefined;
}

export function topKLimit({ limits, isThinking }: SamplingSetting): Loss | undefined {
  return limits.sampling && !isThinking ? undefined : fixed;
}

/** Every stop sequence needs a character that is not white space. */
export function stopLimit(_: unknown, texts: readonly string[]): Loss | undefined {
  const isBlank = texts.some((text) => text.trim() === "");
  return isBlank ? rejected("a stop sequence must contain a character that is not whitespace") : undefined;
}

/** Fields that no format of these models has. Ignoring the rejected ones would make the reply wrong. */
export const absentFields = {
  presencePenalty: dropped("the format has no penalties"),
  frequencyPenalty: dropped("the format has no penalties"),
  seed: dropped("the format has no seed"),
  logitBias: rejected("token IDs differ between models"),
  logprobs: rejected("log probabilities are not supported"),
  media: rejected(textOnly),
  choices: rejected("only one choice per request is supported"),
  verbosity: dropped("the format has no verbosity"),
  completion: ignored("its members are unmapped fields of the client"),
};
