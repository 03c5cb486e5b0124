// What the model families behind Converse accept: they share the wire, not the capabilities.

import { withoutUndefined } from "../../lib/json.ts";
import { claudeModels, limitsOf, type ModelLimits } from "../anthropic-messages/model-capabilities.ts";
import { findRow, type ModelQuery, type Sourced, type TextCapabilities } from "../shared/model-table.ts";

export interface Family {
  readonly limits: ModelLimits;
  /** How reasoning is set. `own`: as in the Messages API, in the additional model fields. */
  readonly thinking: "own" | "effort" | "config" | "none";
  /** Where `top_k` is sent, if at all. */
  readonly topK: "own" | "nested" | "none";
  /** Supports cache points in the prompt. */
  readonly caching: boolean;
  /** Tool results may be marked as errors. */
  readonly errorStatus: boolean;
  /** Accepts the Messages API's setting against parallel calls. */
  readonly oneCall: boolean;
  /** Returns the matched stop sequence. */
  readonly tellsStop: boolean;
}

interface FamilyRow extends Sourced {
  readonly models: RegExp;
  readonly family: Partial<Omit<Family, "limits">>;
  readonly limits?: Partial<ModelLimits>;
}

/** A model without a row: the client's values are sent in the form that the client used. */
const plainFamily: Family = {
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

/** The first match is used. */
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

/** Differences of Claude models between this service and the Messages API. Every matching row is applied. */
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

/** Claude models follow their own limits. For other families, an effort is sent in the form of the family. */
function declaredThinking(family: Family, { reasoning }: TextCapabilities): Family["thinking"] {
  if (family.thinking === "own" || reasoning === undefined) return family.thinking;
  if (reasoning === "none") return "none";
  return family.thinking === "none" ? "effort" : family.thinking;
}

/** The family of a model by its upstream name: an id, an inference profile, or an ARN of either. */
export function familyOf(query: ModelQuery): Family {
  const row = findRow(query.declared ?? [], query.model);
  const family = builtIn((row?.like ?? query.model).toLowerCase());
  if (row === undefined) return family;
  const limits = { ...family.limits, ...withoutUndefined(claudeModels.declared(row.capabilities)) };
  return { ...family, limits, thinking: declaredThinking(family, row.capabilities) };
}
