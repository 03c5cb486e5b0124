// What OpenAI's families of models that think can be told: their efforts, and whether they take sampling.
import type { ChatRequest, Effort, Sampling } from "../../canonical/chat.ts";
import { unsupported } from "../errors.ts";
import { type Warnings, warnField } from "./warnings.ts";

interface Family {
  /** From the least to the most. */
  readonly efforts: readonly Effort[];
  /** `quiet`: as long as they are not told to think. */
  readonly sampling: "always" | "quiet" | "never";
  /** When chat takes functions of such a model: `quiet` as long as it is not told to reason, `silent` only when it is told not to. */
  readonly chatTools: "always" | "quiet" | "silent";
  /** Its makers serve it as responses too. */
  readonly hasResponses: boolean;
}

const order: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const upTo = (effort: Effort, ...first: readonly Effort[]): readonly Effort[] => [
  ...first,
  ...order.slice(order.indexOf("low"), order.indexOf(effort) + 1),
];

const usualFamily = { chatTools: "always", hasResponses: true } as const;

/**
 * The first match counts. On functions in chat: https://github.com/openai/openai-openapi/issues/541 (5.4),
 * https://github.com/charmbracelet/crush/issues/2913 (5.5), https://github.com/BerriAI/litellm/pull/34569 (5.6, which
 * reasons unless it is told not to).
 */
const families: readonly (readonly [RegExp, Family])[] = [
  [/^(?:.*\/)?o\d/, { ...usualFamily, efforts: upTo("high"), sampling: "never" }],
  [/^(?:.*\/)?gpt-5\.1(?!\d)/, { ...usualFamily, efforts: upTo("high", "none"), sampling: "quiet" }],
  [/^(?:.*\/)?gpt-5\.[23](?!\d)/, { ...usualFamily, efforts: upTo("xhigh", "none"), sampling: "quiet" }],
  [
    /^(?:.*\/)?gpt-5\.[45](?!\d)/,
    { ...usualFamily, efforts: upTo("xhigh", "none"), sampling: "quiet", chatTools: "quiet" },
  ],
  [/^(?:.*\/)?gpt-5\.\d/, { ...usualFamily, efforts: upTo("max", "none"), sampling: "quiet", chatTools: "silent" }],
  [/^(?:.*\/)?gpt-5/, { ...usualFamily, efforts: upTo("high", "minimal"), sampling: "never" }],
  [/^(?:.*\/)?gpt-oss/, { ...usualFamily, efforts: upTo("high"), sampling: "always", hasResponses: false }],
  // `@ai-sdk/openai` 3.0.141, read 2026-11-22: of the sixth generation these three alone take `none`.
  [/^(?:.*\/)?gpt-6(?:-sol|-luna|\.1-terra)$/, { ...usualFamily, efforts: upTo("max", "none"), sampling: "never" }],
  [/^(?:.*\/)?gpt-(?:[6-9]|\d{2,})(?:\D|$)/, { ...usualFamily, efforts: upTo("max"), sampling: "never" }],
];

/** Served as responses and in no other way: https://platform.openai.com/docs/models. */
const onlyResponses = /-(?:codex|pro|deep-research)(?:-|$)/;

/** Models of a family whose names say so do not think. */
const speaksAlone = /-chat/;

/** Models of before the families that reason: they refuse to be told how much. https://github.com/umputun/tg-spam/issues/304 */
const neverReasons = /^(?:.*\/)?(?:chatgpt-4o|gpt-3\.5|gpt-4)/;

function familyOf(model: string): Family | undefined {
  return speaksAlone.test(model) ? undefined : families.find(([name]) => name.test(model))?.[1];
}

/** True for a model that is known to refuse an effort. */
export function refusesEffort(model: string): boolean {
  return neverReasons.test(model);
}

/** The lowest effort that the model takes; undefined for a model that is not known to think. */
export function minEffort(model: string): Effort | undefined {
  return familyOf(model)?.efforts[0];
}

/** The effort itself where the model takes it, else the next lower one, else the next higher: never silence unasked. */
export function nearestEffort(effort: Effort, model: string): Effort {
  const efforts = familyOf(model)?.efforts ?? order;
  if (efforts.includes(effort)) return effort;
  const thinking = efforts.filter((known) => known !== "none");
  const lower = thinking.findLast((known) => order.indexOf(known) < order.indexOf(effort));
  return lower ?? thinking[0] ?? effort;
}

/**
 * True where OpenAI's own service is better asked for responses. There a model keeps its reasoning between calls; a
 * client of chat is only led there where chat would refuse.
 */
export function wantsResponses(model: string, { tools, reasoning }: ChatRequest, isChatClient: boolean): boolean {
  const family = familyOf(model);
  if (family === undefined || !family.hasResponses) return false;
  if (onlyResponses.test(model)) return true;
  if (tools.length === 0) return false;
  if (!isChatClient) return true;
  const effort = reasoning?.effort ?? (family.chatTools === "silent" ? "medium" : "none");
  return family.chatTools !== "always" && effort !== "none";
}

/** What sampling is where nobody says anything. */
const usual = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 } as const;

const fields = ["temperature", "topP", "presencePenalty", "frequencyPenalty"] as const;

/** The sampling that the model takes at this effort; the rest is told. Throws where log probabilities are asked of it in vain. */
export function supportedSampling(request: ChatRequest, effort: Effort | undefined, warnings: Warnings): Sampling {
  const { sampling } = request;
  const rule = familyOf(warnings.context.model)?.sampling ?? "always";
  const isQuiet = effort === undefined || effort === "none";
  if (rule === "always" || (rule === "quiet" && isQuiet)) return sampling;
  if (request.logprobs !== undefined)
    throw unsupported(warnings.context.fieldPath("logprobs"), "the model tells none while it thinks");
  for (const field of fields)
    if ((sampling[field] ?? usual[field]) !== usual[field]) warnField(warnings, "dropped", field);
  const { temperature, topP, presencePenalty, frequencyPenalty, ...kept } = sampling;
  return kept;
}
