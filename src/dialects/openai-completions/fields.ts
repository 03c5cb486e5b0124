// How text completions carry each field of a chat request, and the members that no canonical field holds.

import { Type } from "typebox";
import type { ChatRequest, Completion } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { dropped, type FieldTable, ignored, type Reading, rejected, type WireMembers } from "../field-table.ts";
import { optional } from "../schema-helpers.ts";
import {
  choicesRow,
  endUserRow,
  envelopeMembers,
  type OpenaiSetting,
  samplingRows,
  stopRow,
  usageMember,
} from "../shared/openai-fields.ts";
import { parsePrompt, renderPrompt } from "./prompt.ts";

/** The default of this format. */
const defaultMaxTokens = 16;
export const promptOnly = "this model supports text completion only";

const prompt = Type.Unsafe({
  type: ["string", "array", "null"],
  items: { type: ["string", "integer", "array"], items: { type: "integer", minimum: 0 }, minimum: 0 },
  description: "Prompts to complete: a string, an array of strings, or token IDs. Each prompt is completed separately.",
});

/** The default is low: a reasoning model would spend it all on reasoning. */
function parseBound({ wire }: Reading): Pick<ChatRequest, "maxOutputTokens" | "reasoning"> {
  if (typeof wire.max_tokens === "number") return { maxOutputTokens: wire.max_tokens };
  return { maxOutputTokens: defaultMaxTokens, reasoning: { effort: "none", hint: true } };
}

function parseCompletion({ wire }: Reading): { completion: Completion } {
  return {
    completion: {
      ...(wire.echo === true ? { echo: true } : {}),
      ...(typeof wire.suffix === "string" && wire.suffix !== "" ? { suffix: wire.suffix } : {}),
      ...(typeof wire.best_of === "number" ? { bestOf: wire.best_of } : {}),
    },
  };
}

/** `user` is the only end user field of the format, and any id is accepted. */
const { also: _also, render: _render, ...userRow } = endUserRow("user");

/** Only requests of this format are rendered in it, so fields that it lacks are never given. */
export const completionFields: FieldTable<ChatRequest, Omit<OpenaiSetting, "names">> = {
  messages: {
    path: "prompt",
    schema: prompt,
    parseMembers: ({ wire }) => ({ messages: [parsePrompt(wire.prompt)] }),
    render: ([message]) => renderPrompt(message),
  },
  system: rejected(promptOnly),
  completion: {
    path: "echo",
    parseMembers: parseCompletion,
    renderMembers: ({ request: { completion = {} } }): JsonObject => ({
      echo: completion.echo,
      suffix: completion.suffix,
      best_of: completion.bestOf,
    }),
  },
  maxOutputTokens: {
    path: "max_tokens",
    schema: optional("integer", {
      minimum: 0,
      default: defaultMaxTokens,
      description: "The maximum number of tokens to generate.",
    }),
    parseMembers: parseBound,
    render: (bound, { request }) => (request.reasoning?.hint ? undefined : bound),
  },
  ...samplingRows,
  stopSequences: stopRow,
  choices: {
    ...choicesRow,
    schema: optional("integer", {
      minimum: 1,
      maximum: 128,
      default: 1,
      description: "Number of completions per prompt.",
    }),
  },
  logprobs: {
    path: "logprobs",
    schema: optional("integer", {
      minimum: 0,
      maximum: 5,
      description: "Number of most likely tokens to return at each position, with log probabilities.",
    }),
  },
  endUser: userRow,
  cache: ignored("prompts are cached without markers"),
  reasoning: { path: "reasoning", carriedBy: "maxOutputTokens" },
  tools: rejected(promptOnly),
  toolChoice: rejected(promptOnly),
  parallelToolCalls: rejected(promptOnly),
  format: rejected(promptOnly),
  media: rejected(promptOnly),
  verbosity: dropped(promptOnly),
  tier: dropped(promptOnly),
};

export const completionMembers: WireMembers = {
  ...envelopeMembers,
  ...usageMember,
  /** Chat models cannot be requested to generate no tokens at all. */
  max_tokens: { lost: (value) => (value === 0 ? "reject" : null) },
  /** The gateway adds the prompt to the reply itself, but cannot supply log probabilities of its tokens. */
  echo: {
    schema: optional("boolean", { default: false, description: "Whether to return the prompt before the completion." }),
    lost: (value, wire) => (value !== true ? null : typeof wire.logprobs === "number" ? "reject" : "ignore"),
  },
  /** Chat models tend to repeat the suffix. */
  suffix: {
    schema: optional("string", { description: "Text that follows the completion." }),
    lost: (value) => (value === "" ? null : "reject"),
  },
  best_of: {
    schema: optional("integer", {
      minimum: 1,
      maximum: 20,
      description: "Number of completions generated on the server, of which the best are returned.",
    }),
    lost: (value, { n }) => (Number(value) > (typeof n === "number" ? n : 1) ? "reject" : "ignore"),
  },
  /** A client that parses the reply as JSON could not detect that the model was not instructed to write JSON. */
  response_format: { lost: (value: Json) => (isObject(value) && value.type === "text" ? "ignore" : "reject") },
};
