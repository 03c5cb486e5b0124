// Reasoning: reads `thinking` and `effort`, and renders what the model accepts.

import type { ChatRequest, Effort, Reasoning } from "../../canonical/chat.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { effortOfBudget, nearestEffort } from "../shared/reasoning-effort.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { isAbsent } from "./wire-members.ts";

const efforts: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];

function effortOf(wire: JsonObject): { readonly effort?: Effort } {
  const config = wire["output_config"];
  const effort = isObject(config) ? efforts.find((known) => known === config["effort"]) : undefined;
  return effort === undefined ? {} : { effort };
}

function showOf(thinking: JsonObject): { readonly show?: boolean } {
  const { display } = thinking;
  return display === "summarized" || display === "omitted" ? { show: display === "summarized" } : {};
}

/** Reads `thinking` and `output_config.effort`; undefined when the client set neither. */
export function readReasoning(wire: JsonObject, extras: UnmappedField[]): Reasoning | undefined {
  const { thinking } = wire;
  const effort = effortOf(wire);
  if (!isObject(thinking) || isAbsent(thinking)) return effort.effort === undefined ? undefined : effort;
  const budget = thinking["budget_tokens"];
  switch (thinking["type"]) {
    case "disabled":
      if (effort.effort !== undefined) extras.push({ path: "output_config.effort", rule: "warn" });
      return { effort: "none" };
    case "between_tools":
      extras.push({ path: "thinking.type", rule: "warn" });
      return { effort: "low" };
    case "enabled":
      return typeof budget === "number"
        ? { ...effort, budgetTokens: budget, ...showOf(thinking) }
        : { ...effort, adaptive: true, ...showOf(thinking) };
    default:
      return { ...effort, adaptive: true, ...showOf(thinking) };
  }
}

/** Whether the client requested thinking, and so expects thinking blocks in the reply. */
export function expectsThinking(request: OperationRequest): boolean {
  const reasoning = request.operation === "chat" ? request.reasoning : undefined;
  if (reasoning === undefined) return false;
  return reasoning.adaptive === true || reasoning.show === true || (reasoning.budgetTokens ?? 0) > 0;
}

/** The share of the output limit that each effort may spend, for models with a thinking budget. */
const budgetShares: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 0,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.9,
  max: 0.95,
};

const minBudgetTokens = 1024;
/** Tokens reserved for the reply itself, where the gateway chooses the output limit. */
const replyTokens = 4096;

function budgetOf(effort: Effort, maxTokens: number): number {
  return Math.max(minBudgetTokens, Math.floor(maxTokens * budgetShares[effort]));
}

/** The rendered members, and their effect on other fields. */
export interface Thought {
  readonly thinking?: JsonObject;
  readonly effort?: string;
  /** The output limit, raised for thinking if the client set none. */
  readonly maxTokens: number;
  readonly isOn: boolean;
}

interface ReasoningSetting {
  readonly ask: ChatRequest;
  readonly reasoning: Reasoning;
  readonly limits: ModelLimits;
  readonly warnings: Warnings;
  /** The output limit so far, and the highest allowed value. */
  readonly maxTokens: number;
  readonly ceiling: number;
  /** The history has lost thinking that a model with a budget requires. */
  readonly lacksThinking: boolean;
}

function supportedEffort(effort: Effort, setting: ReasoningSetting): string {
  const nearest = nearestEffort(effort, setting.limits.efforts);
  if (nearest !== effort) warnField(setting.warnings, "approximated", "reasoning");
  return nearest;
}

/** Thinking is shown to clients that request it, unless they opt out. Newer models only show it on request. */
function display({ reasoning, limits }: ReasoningSetting): JsonObject {
  const show = reasoning.show ?? (limits.omitsThinking ? true : undefined);
  return show === undefined ? {} : { display: show ? "summarized" : "omitted" };
}

function quiet(setting: ReasoningSetting): Thought {
  const { limits, warnings, maxTokens } = setting;
  if (limits.thinking === "none") return { maxTokens, isOn: false };
  if (limits.quietest === "disabled") return { thinking: { type: "disabled" }, maxTokens, isOn: false };
  if (!setting.reasoning.hint) warnField(warnings, "approximated", "reasoning");
  if (limits.quietest === "between_tools") return { thinking: { type: "between_tools" }, maxTokens, isOn: true };
  return { effort: "low", maxTokens, isOn: true };
}

function adaptive(effort: Effort | undefined, setting: ReasoningSetting): Thought {
  const effortMember = effort === undefined ? {} : { effort: supportedEffort(effort, setting) };
  const thinking = { type: "adaptive", ...display(setting) };
  return { thinking, ...effortMember, maxTokens: setting.maxTokens, isOn: true };
}

/**
 * A budget must be smaller than the output limit. The gateway's own limit is raised; the client's limit reduces the
 * budget.
 */
function budgeted(wanted: number, effort: Effort | undefined, setting: ReasoningSetting): Thought {
  if (setting.lacksThinking) {
    warnField(setting.warnings, "approximated", "reasoning");
    return { thinking: { type: "disabled" }, maxTokens: setting.maxTokens, isOn: false };
  }
  const isFree = setting.ask.maxOutputTokens === undefined;
  const raised = Math.max(setting.maxTokens, Math.min(setting.ceiling, wanted + replyTokens));
  const maxTokens = isFree ? raised : setting.maxTokens;
  const budget = Math.max(minBudgetTokens, isFree ? Math.min(wanted, budgetOf("max", maxTokens)) : wanted);
  if (budget >= maxTokens) {
    warnField(setting.warnings, "dropped", "reasoning");
    return { maxTokens: setting.maxTokens, isOn: false };
  }
  if (budget !== wanted) warnField(setting.warnings, "approximated", "reasoning");
  const effortMember = effort === undefined ? {} : { effort: supportedEffort(effort, setting) };
  const thinking = { type: "enabled", budget_tokens: budget, ...display(setting) };
  return { thinking, ...effortMember, maxTokens, isOn: true };
}

/** A budget in tokens, converted for models that do not accept one. */
function withBudget(budget: number, setting: ReasoningSetting): Thought {
  if (setting.limits.thinking !== "adaptive") {
    const effort = setting.limits.thinking === "either" ? setting.reasoning.effort : undefined;
    return budgeted(budget, effort, setting);
  }
  warnField(setting.warnings, "approximated", "reasoning");
  return adaptive(setting.reasoning.effort ?? effortOfBudget(budget), setting);
}

function withEffort(setting: ReasoningSetting): Thought {
  const { reasoning, limits, warnings, maxTokens } = setting;
  if (limits.thinking !== "budget") return adaptive(reasoning.effort, setting);
  if (reasoning.adaptive) warnField(warnings, "approximated", "reasoning");
  return budgeted(budgetOf(reasoning.effort ?? "high", maxTokens), undefined, setting);
}

/** Whether thinking is certainly off: turned off in the request, or off by default. */
export function isAtRest({ thinking }: Thought, limits: ModelLimits): boolean {
  if (thinking !== undefined) return thinking.type === "disabled";
  return limits.thinking === "budget" || limits.thinking === "none";
}

/** Renders reasoning in the form that this model accepts, nearest to the request. */
export function renderReasoning(setting: Omit<ReasoningSetting, "reasoning">): Thought {
  const { reasoning } = setting.ask;
  const off: Thought = { maxTokens: setting.maxTokens, isOn: false };
  if (reasoning === undefined) return off;
  const whole: ReasoningSetting = { ...setting, reasoning };
  if (reasoning.effort === "none" || reasoning.budgetTokens === 0) return quiet(whole);
  const isOpen = reasoning.effort === undefined && reasoning.budgetTokens === undefined && !reasoning.adaptive;
  if (isOpen) return off;
  if (setting.limits.thinking === "none") {
    warnField(setting.warnings, "dropped", "reasoning");
    return off;
  }
  const { budgetTokens } = reasoning;
  return budgetTokens !== undefined && budgetTokens > 0 ? withBudget(budgetTokens, whole) : withEffort(whole);
}
