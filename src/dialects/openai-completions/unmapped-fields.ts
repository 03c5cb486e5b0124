// What a text completion asks that a conversation cannot say: which of it may go in silence, which not at all.
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { type ExtraRules, readExtras } from "../shared/openai-unmapped-fields.ts";

const read = new Set([
  "model",
  "prompt",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "logit_bias",
  "logprobs",
  "n",
  "stop",
  "user",
]);

const rules: ExtraRules["rules"] = {
  /** Models behind a conversation cannot say nothing at all. */
  max_tokens: (value) => (value === 0 ? "reject" : null),
  /** The gateway puts the prompt before the reply itself, but cannot know how likely its tokens were. */
  echo: (value, wire) => (value !== true ? null : typeof wire.logprobs === "number" ? "reject" : "ignore"),
  /** Models in a conversation tend to repeat the suffix. */
  suffix: (value) => (value === "" ? null : "reject"),
  /** Whoever reads the answer as JSON would not know that nobody was asked for it. */
  response_format: (value) => (isObject(value) && value.type === "text" ? "ignore" : "reject"),
  best_of: (value, { n }) => (Number(value) > (typeof n === "number" ? n : 1) ? "reject" : "ignore"),
};

/** The fields of a request that only this dialect has. */
export function parseExtras(wire: JsonObject): UnmappedField[] {
  return readExtras(wire, { read, rules });
}
