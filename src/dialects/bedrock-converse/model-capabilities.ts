// What the families of models behind this dialect take: the wire is one, the models are not.

import { withoutUndefined } from "../../lib/json.ts";
import { claudeModels, limitsOf, type ModelLimits } from "../anthropic-messages/model-capabilities.ts";
import { findRow, type ModelQuery, type Sourced, type TextCapabilities } from "../shared/model-table.ts";

export interface Family {
  readonly limits: ModelLimits;
  /** How the amount of reasoning is set for such models. `own`: as on the Messages API, beside the common fields. */
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

interface FamilyRow extends Sourced {
  readonly models: RegExp;
  readonly family: Partial<Omit<Family, "limits">>;
  readonly limits?: Partial<ModelLimits>;
}

/** A model of no row: what the client said is sent in the form in which it was said. */
export const plainFamily: Family = {
  limits: { ...claudeModels.unlisted, sampleTwice: true, thinking: "none" },
  thinking: "none",
  topK: "none",
  caching: false,
  errorStatus: true,
  oneCall: false,
  tellsStop: false,
};

const guide = (name: string) => ({
  source: `https://docs.aws.amazon.com/bedrock/latest/${name}.html`,
  checkedOn: "2026-11-22",
});

/** The first match counts. */
export const bedrockFamilies: readonly FamilyRow[] = [
  {
    models: /amazon\.nova-2/,
    family: { thinking: "config", topK: "nested", caching: true },
    limits: { outputSchema: false },
    source: "https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html",
    checkedOn: "2026-11-22",
  },
  {
    models: /amazon\.nova/,
    family: { topK: "nested", caching: true },
    limits: { outputSchema: false },
    ...guide("userguide/prompt-caching"),
  },
  {
    models: /openai\./,
    family: { thinking: "effort", errorStatus: false },
    ...guide("userguide/model-parameters-openai"),
  },
  {
    models: /(?:meta|cohere|ai21|writer)\./,
    family: { errorStatus: false },
    limits: { outputSchema: false, forcedTool: false },
    ...guide("APIReference/API_runtime_ToolChoice"),
  },
  {
    models: /(?:qwen|deepseek|mistral|google|nvidia|minimax|moonshot\w*|zai)\./,
    family: { errorStatus: false },
    ...guide("APIReference/API_runtime_ToolResultBlock"),
  },
];

interface ClaudeRow extends Sourced {
  readonly models: RegExp;
  readonly oneCall?: boolean;
  readonly limits?: Partial<ModelLimits>;
}

/** What Claude's models do otherwise on this service than on the Messages API. Every row that matches is applied. */
export const bedrockClaudes: readonly ClaudeRow[] = [
  { models: /claude/, limits: { systemTurns: false }, ...guide("APIReference/API_runtime_Message") },
  {
    models: /claude-opus-4-[17](?!\d)/,
    limits: { outputSchema: false },
    ...guide("userguide/structured-output"),
  },
  {
    models: /claude-(?:opus|sonnet|haiku|fable)-(?:4-[5-9]|[5-9])(?!\d)/,
    oneCall: true,
    source: "https://github.com/BerriAI/litellm/pull/34347",
    checkedOn: "2026-11-22",
  },
];

function claudeOf(model: string): Family {
  const rows = bedrockClaudes.filter(({ models }) => models.test(model));
  const limits: ModelLimits = Object.assign({}, limitsOf({ model }), ...rows.map((row) => row.limits));
  const oneCall = rows.some((row) => row.oneCall === true);
  return { limits, thinking: "own", topK: "own", caching: true, errorStatus: true, oneCall, tellsStop: true };
}

function builtIn(model: string): Family {
  if (/claude/.test(model)) return claudeOf(model);
  const row = findRow(bedrockFamilies, model);
  return { ...plainFamily, ...row?.family, limits: { ...plainFamily.limits, ...row?.limits } };
}

/** Claude's models reason by their limits; of the others an effort is said in the family's own way. */
function declaredThinking(family: Family, { reasoning }: TextCapabilities): Family["thinking"] {
  if (family.thinking === "own" || reasoning === undefined) return family.thinking;
  if (reasoning === "none") return "none";
  return family.thinking === "none" ? "effort" : family.thinking;
}

/** The family of the model with this upstream name: an id, an inference profile, or the ARN of one. */
export function familyOf(query: ModelQuery): Family {
  const row = findRow(query.declared ?? [], query.model);
  const family = builtIn((row?.like ?? query.model).toLowerCase());
  if (row === undefined) return family;
  const limits = { ...family.limits, ...withoutUndefined(claudeModels.declared(row.capabilities)) };
  return { ...family, limits, thinking: declaredThinking(family, row.capabilities) };
}
