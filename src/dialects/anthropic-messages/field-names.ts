// Where canon's fields stand on this wire, and small ways to read a wire object that the schema has passed.
import { GatewayError } from "../../canonical/error.ts";
import type { FieldName } from "../../canonical/request-field.ts";
import type { Warning } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RenderContext } from "../dialect.ts";
import { isAbsent as isNothing } from "../shared/is-empty.ts";

export { objectsIn, optionalNumber, optionalText } from "../shared/json-accessors.ts";

const paths: { readonly [field in FieldName]?: string } = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  seed: "seed",
  logitBias: "logit_bias",
  logprobs: "logprobs",
  stopSequences: "stop_sequences",
  choices: "n",
  maxOutputTokens: "max_tokens",
  tools: "tools",
  toolChoice: "tool_choice",
  parallelToolCalls: "tool_choice.disable_parallel_tool_use",
  format: "output_config.format",
  reasoning: "thinking",
  verbosity: "verbosity",
  tier: "service_tier",
  speed: "speed",
  endUser: "metadata.user_id",
  messages: "messages",
  system: "system",
  input: "messages",
  dimensions: "dimensions",
  purpose: "messages",
  title: "messages",
};

export function fieldPath(field: FieldName): string {
  return paths[field] ?? field;
}

/** What a rendering could not carry over; one warning for each code and path. */
export interface CallWarnings {
  add(code: Warning["code"], field: FieldName): void;
  addPath(code: Warning["code"], path: string): void;
  readonly list: readonly Warning[];
}

export function lossesFor(context: RenderContext): CallWarnings {
  const list: Warning[] = [];
  const addPath = (code: Warning["code"], path: string) => {
    if (!list.some((known) => known.code === code && known.path === path)) list.push({ code, path });
  };
  return { add: (code, field) => addPath(code, context.fieldPath(field)), addPath, list };
}

/** The text under `name`, or the refusal of a required field that is missing. */
export function requiredText(object: JsonObject, name: string, path: string): string {
  const value = object[name];
  if (typeof value !== "string") throw missing(`${path}.${name}`);
  return value;
}

export function requiredObject(object: JsonObject, name: string, path: string): JsonObject {
  const value = object[name];
  if (!isObject(value)) throw missing(`${path}.${name}`);
  return value;
}

function missing(param: string): GatewayError {
  return new GatewayError(
    "missing_required_parameter",
    `'${param}' is required and has the wrong type or is missing.`,
    {
      param,
    },
  );
}

/** Null, empty text, empty lists and empty objects count as absent. */
export function isAbsent(value: Json | undefined): boolean {
  return value === "" || isNothing(value);
}
