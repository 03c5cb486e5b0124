// Whether what a client asked for has arrived in the upstream's own words. Shares no code with the gateway.

import { pixel } from "../scenarios/bodies.ts";
import { at, list } from "../support/chat-stream-reader.ts";
import { alternatives, type Feature, outputBound, stopText } from "./clients.ts";
import type { Far } from "./upstreams.ts";

/** Where each dialect keeps what a feature asks for. */
interface Places {
  tools(body: unknown): unknown[];
  /** The part of the body that holds the conversation. */
  turns(body: unknown): unknown;
  results(body: unknown): unknown[];
  schema(body: unknown): unknown;
  alternatives(body: unknown): unknown;
  thinking(body: unknown): unknown;
  stops(body: unknown): unknown[];
  bound(body: unknown): unknown;
}

const named = (tools: unknown[], ...path: string[]) => tools.map((tool) => at(tool, ...path));
const ofType = (items: unknown, type: string) =>
  Array.isArray(items) ? items.filter((item) => at(item, "type") === type) : [];

const places: { readonly [speaks in Far["speaks"]]: Places } = {
  "openai-chat": {
    tools: (body) => named(list(body, "tools"), "function", "name"),
    turns: (body) => at(body, "messages"),
    results: (body) => list(body, "messages").filter((turn) => at(turn, "role") === "tool"),
    schema: (body) => at(body, "response_format", "json_schema", "schema"),
    alternatives: (body) => at(body, "logprobs") === true && at(body, "top_logprobs"),
    thinking: (body) => at(body, "reasoning_effort"),
    stops: (body) => list(body, "stop"),
    bound: (body) => at(body, "max_completion_tokens") ?? at(body, "max_tokens"),
  },
  "openai-responses": {
    tools: (body) => named(list(body, "tools"), "name"),
    turns: (body) => at(body, "input"),
    results: (body) => ofType(at(body, "input"), "function_call_output"),
    schema: (body) => at(body, "text", "format", "schema"),
    alternatives: (body) => list(body, "include").includes("message.output_text.logprobs") && at(body, "top_logprobs"),
    thinking: (body) => at(body, "reasoning", "effort"),
    stops: (body) => list(body, "stop"),
    bound: (body) => at(body, "max_output_tokens"),
  },
  "anthropic-messages": {
    tools: (body) => named(list(body, "tools"), "name"),
    turns: (body) => at(body, "messages"),
    results: (body) => ofType(at(list(body, "messages").at(-1), "content"), "tool_result"),
    schema: (body) => at(body, "output_config", "format", "schema"),
    alternatives: () => undefined,
    thinking: (body) => at(body, "thinking") ?? at(body, "output_config", "effort"),
    stops: (body) => list(body, "stop_sequences"),
    bound: (body) => at(body, "max_tokens"),
  },
  gemini: {
    tools: (body) => named(list(body, "tools", 0, "functionDeclarations"), "name"),
    turns: (body) => at(body, "contents"),
    results: (body) =>
      list(list(body, "contents").at(-1), "parts").filter((part) => at(part, "functionResponse") !== undefined),
    schema: (body) =>
      at(body, "generationConfig", "responseJsonSchema") ?? at(body, "generationConfig", "responseSchema"),
    alternatives: (body) =>
      at(body, "generationConfig", "responseLogprobs") === true && at(body, "generationConfig", "logprobs"),
    thinking: (body) => at(body, "generationConfig", "thinkingConfig"),
    stops: (body) => list(body, "generationConfig", "stopSequences"),
    bound: (body) => at(body, "generationConfig", "maxOutputTokens"),
  },
};

const holds = (value: unknown, words: string) => (JSON.stringify(value) ?? "").includes(words);

type Check = (body: unknown, where: Places) => boolean;

const checks: { readonly [feature in Feature]?: Check } = {
  "parallel tools": (body, { tools }) => String(tools(body)) === "get_time,get_day",
  "tool results": (body, { results }) => {
    const found = results(body);
    return found.length === 2 && holds(found[0], "12:00") && holds(found[1], "Monday");
  },
  images: (body, { turns }) => holds(turns(body), pixel),
  "structured output": (body, { schema }) => at(schema(body), "properties", "hour") !== undefined,
  "log probabilities": (body, where) => where.alternatives(body) === alternatives,
  thinking: (body, { thinking }) => thinking(body) !== undefined,
  stop: (body, { stops }) => String(stops(body)) === stopText,
  length: (body, { bound }) => bound(body) === outputBound,
};

/** True when the upstream was asked for it; features that are only received are carried always. */
export function carried(far: Far, feature: Feature, body: unknown): boolean {
  return checks[feature]?.(body, places[far.speaks]) ?? true;
}
