// Rows shared by OpenAI's text formats: sampling, stop sequences, service tier, end user, stream options.
import { createHash } from "node:crypto";
import { type TSchemaOptions, Type } from "typebox";
import type { ChatRequest, Effort } from "../../canonical/chat.ts";
import type { Loss } from "../../canonical/warning.ts";
import type { Json } from "../../lib/json.ts";
import {
  dropped,
  type FieldTable,
  type Reading,
  type RenderSetting,
  rejected,
  type WireMembers,
} from "../field-table.ts";
import { enumeration, optional } from "../schema-helpers.ts";
import { takesSampling } from "./openai-models.ts";
import type { ToolNames } from "./tool-names.ts";

/** What the rows of these formats read when a request is rendered. */
export interface OpenaiSetting extends RenderSetting<ChatRequest> {
  readonly names: ToolNames;
  /** The reasoning effort of the request to the model. */
  readonly effort?: Effort;
}

export const efforts: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const number = (minimum: number, maximum: number, description: string, more: TSchemaOptions = {}) =>
  optional("number", { minimum, maximum, description, ...more });

function samplingLimit({ warnings, effort }: OpenaiSetting): Loss | undefined {
  return takesSampling(warnings.context, effort)
    ? undefined
    : dropped("this model does not accept sampling while reasoning is on");
}

/** The limit of reasoning models. */
export function logprobsLimit({ warnings, effort }: OpenaiSetting): Loss | undefined {
  if (takesSampling(warnings.context, effort)) return undefined;
  return rejected("this model does not return logprobs while reasoning is on");
}

/** Sampling. These formats have no `top_k`. */
export const samplingRows = {
  temperature: {
    path: "temperature",
    schema: number(0, 2, "Randomness.", { default: 1 }),
    limit: samplingLimit,
  },
  topP: {
    path: "top_p",
    schema: number(0, 1, "Nucleus sampling: the share of probability mass to sample from.", { default: 1 }),
    limit: samplingLimit,
  },
  topK: dropped("the format has no top_k"),
  presencePenalty: {
    path: "presence_penalty",
    schema: number(-2, 2, "Penalizes tokens that already appear in the text, which favors new topics.", { default: 0 }),
    limit: samplingLimit,
  },
  frequencyPenalty: {
    path: "frequency_penalty",
    schema: number(-2, 2, "Penalizes tokens by how often they appear in the text, which reduces repetition.", {
      default: 0,
    }),
    limit: samplingLimit,
  },
  seed: {
    path: "seed",
    schema: optional("integer", {
      format: "int64",
      description: "Seed for reproducible sampling, on a best-effort basis.",
    }),
    parse: (seed: Json) => seed as number,
  },
  logitBias: {
    path: "logit_bias",
    schema: optional("object", {
      additionalProperties: { type: "number", minimum: -100, maximum: 100 },
      description: "Token ID.",
    }),
  },
} satisfies Partial<FieldTable<ChatRequest, OpenaiSetting>>;

/** A text, a list of them, or nothing. */
export const stopRow = {
  path: "stop",
  schema: optional(["string", "array"], {
    items: { type: "string" },
    description: "Sequences at which the model stops generating.",
  }),
  parse: (stop: Json) =>
    (Array.isArray(stop) ? stop : [stop]).filter((text): text is string => typeof text === "string" && text !== ""),
};

/** `n`, left out for a single reply. */
export const choicesRow = {
  path: "n",
  schema: optional("integer", { minimum: 1, maximum: 128, default: 1, description: "Number of choices to generate." }),
  render: (choices: number) => (choices > 1 ? choices : undefined),
};

const tiers = ["default", "flex", "priority", "fast"] as const;

/** The service tier; `auto` requests none, and those in `others` exist only in this format. */
export const tierOf = (wanted: Json): ChatRequest["tier"] => tiers.find((known) => known === wanted);

export function tierRow(others: readonly string[]) {
  return {
    path: "service_tier",
    schema: enumeration(["auto", ...tiers, ...others], { description: "Service tier to use for the request." }),
    parse: tierOf,
  };
}

/** The rule for tiers that exist in only one format. */
export function tierMember(others: readonly string[]): WireMembers {
  return { service_tier: { lost: (tier) => (others.some((other) => other === tier) ? "warn" : null) } };
}

const maxUserChars = 64;
const user = optional("string", { description: "An identifier of the end user." });

/** The end user. The newer member takes precedence, and `path` is the one that errors name. */
export function endUserRow(path: "user" | "safety_identifier") {
  return {
    path,
    schema: user,
    also: { user, safety_identifier: user },
    parse(_: Json, { wire }: Reading) {
      const given = [wire.safety_identifier, wire.user].find((id) => typeof id === "string" && id !== "");
      return typeof given === "string" ? given : undefined;
    },
    /** Ids longer than servers accept are hashed, so the same user keeps the same id. */
    render: (id: string) => (id.length <= maxUserChars ? id : createHash("sha256").update(id).digest("hex")),
  };
}

/** Members that every request has. */
export const envelopeMembers: WireMembers = {
  model: { schema: Type.String({ minLength: 1, description: "ID of the model to use." }), lost: null },
  stream: {
    schema: optional("boolean", {
      default: false,
      description: "Whether to stream the response as server-sent events.",
    }),
    lost: null,
  },
  stream_options: { schema: optional("object", { description: "Options for streaming." }) },
  "stream_options.include_obfuscation": { schema: optional("boolean"), lost: "ignore" },
};

/** For formats where a client can request usage at the end of a stream. */
export const usageMember: WireMembers = {
  "stream_options.include_usage": { schema: optional("boolean"), lost: null },
};
