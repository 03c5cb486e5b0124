// What OpenAI's reasoning models accept: their efforts, and whether they accept sampling.
import type { ChatRequest, Effort } from "../../canonical/chat.ts";
import { lookUpModel, type ModelQuery, type ModelRow, type ModelTable } from "./model-table.ts";
import { effortOrder } from "./reasoning-effort.ts";

interface Family extends ModelRow {
  /** From the lowest to the highest; empty where the model refuses an effort, null where it is unknown. */
  readonly efforts: readonly Effort[] | null;
  /** `without_reasoning`: as long as no effort is set. */
  readonly sampling: "always" | "without_reasoning" | "never";
  /**
   * When chat completions accept functions for such a model: `quiet` unless reasoning is requested, `silent` only when
   * it is turned off.
   */
  readonly chatTools: "always" | "quiet" | "silent";
  /** OpenAI serves it on the Responses API too. */
  readonly hasResponses: boolean;
}

const upTo = (effort: Effort, ...first: readonly Effort[]): readonly Effort[] => [
  ...first,
  ...effortOrder.slice(effortOrder.indexOf("low"), effortOrder.indexOf(effort) + 1),
];

const page = (source: string) => ({ source, checkedOn: "2026-11-22" });
const sdk = page("@ai-sdk/openai 3.0.141");
const reasoning = page("https://platform.openai.com/docs/guides/reasoning");
const reasons = { chatTools: "always", hasResponses: true } as const;
const unknown = { efforts: null, sampling: "always", chatTools: "always", hasResponses: false } as const;

export const openaiModels: ModelTable<Family> = {
  rows: [
    {
      models: /^(?:.*\/)?(?:chatgpt-4o|gpt-3\.5|gpt-4)/,
      ...unknown,
      efforts: [],
      ...page("https://github.com/umputun/tg-spam/issues/304"),
    },
    // Models with `-chat` in their names do not reason.
    { models: /-chat/, ...unknown, ...sdk },
    { models: /^(?:.*\/)?o\d/, ...reasons, efforts: upTo("high"), sampling: "never", ...reasoning },
    {
      models: /^(?:.*\/)?gpt-5\.1(?!\d)/,
      ...reasons,
      efforts: upTo("high", "none"),
      sampling: "without_reasoning",
      ...reasoning,
    },
    {
      models: /^(?:.*\/)?gpt-5\.[23](?!\d)/,
      ...reasons,
      efforts: upTo("xhigh", "none"),
      sampling: "without_reasoning",
      ...reasoning,
    },
    {
      models: /^(?:.*\/)?gpt-5\.4(?!\d)/,
      ...reasons,
      efforts: upTo("xhigh", "none"),
      sampling: "without_reasoning",
      chatTools: "quiet",
      ...page("https://github.com/openai/openai-openapi/issues/541"),
    },
    {
      models: /^(?:.*\/)?gpt-5\.5(?!\d)/,
      ...reasons,
      efforts: upTo("xhigh", "none"),
      sampling: "without_reasoning",
      chatTools: "quiet",
      ...page("https://github.com/charmbracelet/crush/issues/2913"),
    },
    {
      models: /^(?:.*\/)?gpt-5\.\d/,
      ...reasons,
      efforts: upTo("max", "none"),
      sampling: "without_reasoning",
      // It reasons unless reasoning is turned off.
      chatTools: "silent",
      ...page("https://github.com/BerriAI/litellm/pull/34569"),
    },
    { models: /^(?:.*\/)?gpt-5/, ...reasons, efforts: upTo("high", "minimal"), sampling: "never", ...reasoning },
    {
      models: /^(?:.*\/)?gpt-oss/,
      ...unknown,
      efforts: upTo("high"),
      ...page("https://github.com/openai/gpt-oss"),
    },
    // In the sixth generation only these three accept `none`.
    {
      models: /^(?:.*\/)?gpt-6(?:-sol|-luna|\.1-terra)$/,
      ...reasons,
      efforts: upTo("max", "none"),
      sampling: "never",
      ...sdk,
    },
    { models: /^(?:.*\/)?gpt-(?:[6-9]|\d{2,})(?:\D|$)/, ...reasons, efforts: upTo("max"), sampling: "never", ...sdk },
  ],
  unlisted: { models: [], ...unknown, ...reasoning },
};

/** Served only on the Responses API: https://platform.openai.com/docs/models. */
const onlyResponses = /-(?:codex|pro|deep-research)(?:-|$)/;

const familyOf = (query: ModelQuery): Family => lookUpModel(openaiModels, query).row;

/**
 * The efforts that the model accepts, from the lowest to the highest; empty where it refuses any, null where it is
 * unknown.
 */
export const effortsOf = (query: ModelQuery): readonly Effort[] | null => familyOf(query).efforts;

/**
 * Whether OpenAI's own service should be called on the Responses API, where a model keeps its reasoning between calls.
 * For clients of chat completions this is only so where that endpoint would refuse the request.
 */
export function wantsResponses(
  query: ModelQuery,
  { tools, reasoning }: Pick<ChatRequest, "tools"> & { readonly reasoning?: ChatRequest["reasoning"] | undefined },
  isChatClient: boolean,
): boolean {
  const family = familyOf(query);
  if (!family.hasResponses) return false;
  if (onlyResponses.test(query.model)) return true;
  if (tools.length === 0) return false;
  if (!isChatClient) return true;
  const effort = reasoning?.effort ?? (family.chatTools === "silent" ? "medium" : "none");
  return family.chatTools !== "always" && effort !== "none";
}

/** Whether the model accepts sampling, and returns log probabilities, at this effort. */
export function takesSampling(query: ModelQuery, effort: Effort | undefined): boolean {
  const { sampling } = familyOf(query);
  return sampling === "always" || (sampling === "without_reasoning" && (effort === undefined || effort === "none"));
}
