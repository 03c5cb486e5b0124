// The body of a text completions request and the canonical ask, both ways.
import type { ChatRequest, Completion } from "../../canonical/chat.ts";
import type { FieldName } from "../../canonical/request-field.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { parseSampling, parseStop, renderSampling } from "../shared/openai-sampling.ts";
import { streamMembers } from "../shared/openai-usage-chunk.ts";
import { parsePrompt, renderPrompt } from "./prompt.ts";
import { parseExtras } from "./unmapped-fields.ts";

export const completionsPath = "completions";
/** This format's own default. */
const defaultMaxTokens = 16;

const paths: { readonly [field in FieldName]?: string } = {
  topP: "top_p",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  logitBias: "logit_bias",
  stopSequences: "stop",
  choices: "n",
  maxOutputTokens: "max_tokens",
  endUser: "user",
  messages: "prompt",
  system: "prompt",
  input: "prompt",
};

/** Where a canonical field stands in a text completions request. */
export function fieldPath(field: FieldName): string {
  return paths[field] ?? field;
}

/** Few tokens are asked for by default: a model that thinks would spend them all on that. */
function parseBound(wire: JsonObject): Pick<ChatRequest, "maxOutputTokens" | "reasoning"> {
  if (typeof wire.max_tokens === "number") return { maxOutputTokens: wire.max_tokens };
  return { maxOutputTokens: defaultMaxTokens, reasoning: { effort: "none", hint: true } };
}

function parseCompletion(wire: JsonObject): Completion {
  return {
    ...(wire.echo === true ? { echo: true } : {}),
    ...(typeof wire.suffix === "string" && wire.suffix !== "" ? { suffix: wire.suffix } : {}),
    ...(typeof wire.best_of === "number" ? { bestOf: wire.best_of } : {}),
  };
}

/** The ask of a body that has passed the schema. */
export function parse(wire: JsonObject): ChatRequest {
  const stream = wire.stream === true;
  const wantsUsage = stream && isObject(wire.stream_options) && wire.stream_options.include_usage === true;
  return {
    operation: "chat",
    model: String(wire.model),
    stream,
    ...(wantsUsage ? { includeUsage: true } : {}),
    system: [],
    messages: [parsePrompt(wire.prompt)],
    tools: [],
    ...parseBound(wire),
    sampling: parseSampling(wire),
    stopSequences: parseStop(wire.stop),
    choices: typeof wire.n === "number" ? wire.n : 1,
    ...(typeof wire.logprobs === "number" ? { logprobs: wire.logprobs } : {}),
    ...(typeof wire.user === "string" && wire.user !== "" ? { endUser: wire.user } : {}),
    completion: parseCompletion(wire),
    unmappedFields: parseExtras(wire),
  };
}

/** The call for an ask that a client of this dialect made; a conversation would need the template of each model. */
export function render(request: ChatRequest, context: RenderContext): RenderedRequest {
  const { completion } = request;
  if (completion === undefined) {
    throw unsupported(context.fieldPath("messages"), "this model supports text completion only");
  }
  const body = omitUndefined({
    model: context.model,
    prompt: renderPrompt(request.messages[0]),
    max_tokens: request.reasoning?.hint ? undefined : request.maxOutputTokens,
    ...renderSampling(request.sampling),
    stop: request.stopSequences.length === 0 ? undefined : [...request.stopSequences],
    n: request.choices > 1 ? request.choices : undefined,
    logprobs: request.logprobs,
    echo: completion.echo,
    suffix: completion.suffix,
    best_of: completion.bestOf,
    user: request.endUser,
    ...streamMembers(request.stream, context.options),
  });
  return { call: { path: completionsPath, body }, warnings: [] };
}
