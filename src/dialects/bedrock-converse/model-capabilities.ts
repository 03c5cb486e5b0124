// What the families of models behind this dialect take: the wire is one, the models are not.
import { limitsOf, type ModelLimits } from "../anthropic-messages/model-capabilities.ts";

export interface Family {
  readonly limits: ModelLimits;
  /** How such models are told to think. `own`: as on the Messages API, beside the common fields. */
  readonly thinking: "own" | "effort" | "config" | "none";
  /** Where `top_k` goes, if anywhere. */
  readonly topK: "own" | "nested" | "none";
  /** Cache points in the prompt. */
  readonly caching: boolean;
  /** Results of tools may be marked as errors. */
  readonly errorStatus: boolean;
  /** A choice of tools may say in the Messages API's words that one call is enough. */
  readonly oneCall: boolean;
  /** The reply tells which stop text matched. */
  readonly tellsStop: boolean;
}

const plain: Family = {
  limits: { ...limitsOf(""), sampleTwice: true, thinking: "none" },
  thinking: "none",
  topK: "none",
  caching: false,
  errorStatus: true,
  oneCall: false,
  tellsStop: false,
};

const without = (...limits: readonly ("outputSchema" | "forcedTool")[]): ModelLimits => ({
  ...plain.limits,
  ...Object.fromEntries(limits.map((limit) => [limit, false])),
});

/**
 * First match counts; a model that no row knows is taken at its word.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
const rows: readonly (readonly [RegExp, Partial<Family>])[] = [
  [/amazon\.nova-2/, { limits: without("outputSchema"), thinking: "config", topK: "nested", caching: true }],
  [/amazon\.nova/, { limits: without("outputSchema"), topK: "nested", caching: true }],
  [/openai\./, { thinking: "effort", errorStatus: false }],
  [/(?:meta|cohere|ai21|writer)\./, { limits: without("outputSchema", "forcedTool"), errorStatus: false }],
  [/(?:qwen|deepseek|mistral|google|nvidia|minimax|moonshot\w*|zai)\./, { errorStatus: false }],
];

const claude = /claude/;
/** https://github.com/BerriAI/litellm/pull/34347: older ones refuse the field. */
const takesOneCall = /claude-(?:opus|sonnet|haiku|fable)-(?:4-[5-9]|[5-9])(?!\d)/;
/** https://github.com/vercel/ai/pull/15352: refuses what its neighbours take. */
const refusesSchemas = /claude-opus-4-7/;

function claudeOf(model: string): Family {
  const limits = limitsOf(model);
  return {
    limits: { ...limits, systemTurns: false, outputSchema: limits.outputSchema && !refusesSchemas.test(model) },
    thinking: "own",
    topK: "own",
    caching: true,
    errorStatus: true,
    oneCall: takesOneCall.test(model),
    tellsStop: true,
  };
}

/** The family of the model with this upstream name: an id, an inference profile, or the ARN of one. */
export function familyOf(model: string): Family {
  const name = model.toLowerCase();
  if (claude.test(name)) return claudeOf(name);
  return { ...plain, ...rows.find(([pattern]) => pattern.test(name))?.[1] };
}
