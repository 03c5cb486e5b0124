// Reasoning: every model family behind this wire has its own fields for it, in the additional model fields.

import type { ChatRequest, Effort, Reasoning } from "../../canonical/chat.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ModelLimits } from "../anthropic-messages/model-capabilities.ts";
import { isAtRest, renderReasoning, type Thought } from "../anthropic-messages/reasoning.ts";
import { lacksThinking } from "../anthropic-messages/tool-loop.ts";
import { effortOfBudget } from "../shared/reasoning-effort.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import type { Family } from "./model-capabilities.ts";

/** The rendered fields, and their effect on other fields. */
export interface Thinking {
  readonly additional: JsonObject;
  /** The output limit; null where the model's default is used. */
  readonly maxTokens: number | null;
  readonly isOn: boolean;
  /** Thinking is certainly off, so thinking in the tool loop would be refused. */
  readonly rests: boolean;
}

/** The output limit so far, and the highest allowed value. */
interface Bound {
  readonly maxTokens: number;
  readonly ceiling: number;
}

/** As on the Messages API: https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html */
function ownThinking(request: ChatRequest, thought: Thought, limits: ModelLimits): Thinking {
  const { thinking, effort, maxTokens, isOn } = thought;
  const additional = {
    ...(thinking === undefined ? {} : { thinking }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
  const isBounded = request.maxOutputTokens !== undefined || thinking?.budget_tokens !== undefined;
  return { additional, maxTokens: isBounded ? maxTokens : null, isOn, rests: isAtRest(thought, limits) };
}

/** The requested effort; undefined when the client set none. */
function requestedEffort(reasoning: Reasoning, warnings: Warnings): Effort | undefined {
  if (reasoning.effort !== undefined) return reasoning.effort;
  const budget = reasoning.budgetTokens;
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return "none";
  warnField(warnings, "approximated", "reasoning");
  return effortOfBudget(budget);
}

const levels: Readonly<Record<Effort, "low" | "medium" | "high">> = {
  none: "low",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

function levelOf(effort: Effort, warnings: Warnings): string {
  if (levels[effort] !== effort) warnField(warnings, "approximated", "reasoning");
  return levels[effort];
}

/** https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html */
function config(effort: Effort, warnings: Warnings): JsonObject {
  if (effort === "none") return { reasoningConfig: { type: "disabled" } };
  return { reasoningConfig: { type: "enabled", maxReasoningEffort: levelOf(effort, warnings) } };
}

function wordsFor(effort: Effort, family: Family, warnings: Warnings): JsonObject {
  if (family.thinking === "config") return config(effort, warnings);
  if (family.thinking === "effort") return { reasoning_effort: levelOf(effort, warnings) };
  if (effort !== "none") warnField(warnings, "dropped", "reasoning");
  return {};
}

/** Renders reasoning in the form of this family. */
export function renderThinking(
  request: ChatRequest,
  family: Family,
  bound: Bound,
  messages: readonly JsonObject[],
  warnings: Warnings,
): Thinking {
  const { limits } = family;
  if (family.thinking === "own") {
    const thought = renderReasoning({
      ask: request,
      limits,
      warnings,
      lacksThinking: lacksThinking(messages),
      ...bound,
    });
    return ownThinking(request, thought, limits);
  }
  const { reasoning } = request;
  const silent = reasoning === undefined || reasoning.hint === true;
  const effort = silent ? undefined : requestedEffort(reasoning, warnings);
  return {
    additional: effort === undefined ? {} : wordsFor(effort, family, warnings),
    maxTokens: request.maxOutputTokens === undefined ? null : bound.maxTokens,
    isOn: false,
    rests: false,
  };
}
