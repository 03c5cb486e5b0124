// What lists of models contain about their models: the members of each vendor's list, in one shape.
import { isObject, type Json, type JsonObject, withoutUndefined } from "../lib/json.ts";

/** What a model accepts, as its provider lists it; a member that is absent is not in the list. */
export interface ListedSupports {
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly jsonSchema?: boolean;
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
}

const flag = (value: Json | undefined): boolean | undefined => (typeof value === "boolean" ? value : undefined);
const amount = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
const within = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** Whether a list of names has this one; undefined without a list, and for an empty one. */
const has = (names: Json | undefined, name: string): boolean | undefined =>
  Array.isArray(names) && names.length > 0 ? names.includes(name) : undefined;

/** Undefined where nothing is known. */
const known = (found: { readonly [name in keyof ListedSupports]: ListedSupports[name] | undefined }) => {
  const supports: ListedSupports = withoutUndefined(found);
  return Object.keys(supports).length === 0 ? {} : { supports };
};

/**
 * An entry of a list in OpenAI's form. OpenRouter and those that follow its form: `architecture`, `supported_parameters`,
 * `top_provider` (https://openrouter.ai/docs/models). Mistral: `capabilities` with flags, `max_context_length`.
 * Groq: `context_window`, `max_completion_tokens`. Together, Fireworks: `context_length`, `supports_…`. vLLM:
 * `max_model_len`. Anthropic: `capabilities` with `{supported}`, `max_input_tokens` (@anthropic-ai/sdk 1.10.0); its
 * bound on output and its schemas are in the built-in table, by which a request is changed and not refused.
 */
export function supportsOfItem(item: JsonObject): { readonly supports?: ListedSupports } {
  const { supported_parameters: parameters } = item;
  const [architecture, capabilities, top] = [
    within(item.architecture),
    within(item.capabilities),
    within(item.top_provider),
  ];
  return known({
    images:
      has(architecture.input_modalities, "image") ??
      flag(capabilities.vision) ??
      flag(within(capabilities.image_input).supported) ??
      flag(item.supports_image_input),
    tools: has(parameters, "tools") ?? flag(capabilities.function_calling) ?? flag(item.supports_tools),
    jsonSchema: has(parameters, "structured_outputs"),
    maxInputTokens:
      amount(item.context_length) ??
      amount(item.context_window) ??
      amount(item.max_context_length) ??
      amount(item.max_model_len) ??
      amount(item.max_input_tokens),
    maxOutputTokens: amount(top.max_completion_tokens) ?? amount(item.max_completion_tokens),
  });
}

/** Google's list (@google/genai 3.1.0, `Model`). */
export const supportsOfGemini = ({ inputTokenLimit, outputTokenLimit }: JsonObject) =>
  known({
    ...{ images: undefined, tools: undefined, jsonSchema: undefined },
    ...{ maxInputTokens: amount(inputTokenLimit), maxOutputTokens: amount(outputTokenLimit) },
  });

/** Cohere's list (https://docs.cohere.com/reference/list-models). */
export const supportsOfCohere = ({ context_length: context, features, supports_vision: vision }: JsonObject) =>
  known({
    ...{ images: flag(vision), tools: has(features, "tools"), jsonSchema: has(features, "json_schema") },
    ...{ maxInputTokens: amount(context), maxOutputTokens: undefined },
  });
