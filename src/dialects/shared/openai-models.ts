// What OpenAI's families of models that think can be told: their efforts, and whether they take sampling.
import type { ChatRequest, Effort } from "../../canonical/chat.ts";
import { lookUpModel, type ModelQuery, type ModelRow, type ModelTable } from "./model-table.ts";
import { effortOrder } from "./reasoning-effort.ts";

interface Family extends ModelRow {
  /** From the least to the most; empty where the model refuses an effort, null where nothing is known. */
  readonly efforts: readonly Effort[] | null;
  /** `without_reasoning`: as long as no effort is set. */
  readonly sampling: "always" | "without_reasoning" | "never";
  /** When chat accepts functions of such a model: `quiet` as long as it is not told to reason, `silent` only when it is told not to. */
  readonly chatTools: "always" | "quiet" | "silent";
  /** Its makers serve it as responses too. */
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
    // Models of a family whose names say so do not reason.
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
      // It reasons unless it is told not to.
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
    // Of the sixth generation only these three accept `none`.
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

/** Served as responses and in no other way: https://platform.openai.com/docs/models. */
const onlyResponses = /-(?:codex|pro|deep-research)(?:-|$)/;

const familyOf = (query: ModelQuery): Family => lookUpModel(openaiModels, query).row;

/** The efforts that the model accepts, from the least to the most; empty where it refuses any, null where nothing is known. */
export const effortsOf = (query: ModelQuery): readonly Effort[] | null => familyOf(query).efforts;

/**
 * True where OpenAI's own service is better asked for responses. There a model keeps its reasoning between calls; a
 * client of chat is only led there where chat would refuse.
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

/** True where the model accepts sampling, and returns log probabilities, at this effort. */
export function takesSampling(query: ModelQuery, effort: Effort | undefined): boolean {
  const { sampling } = familyOf(query);
  return sampling === "always" || (sampling === "without_reasoning" && (effort === undefined || effort === "none"));
}
