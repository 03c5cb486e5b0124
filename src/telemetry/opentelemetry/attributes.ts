// Names and values of attributes after the GenAI semantic conventions. No attribute holds a prompt, a body or a secret.
import type { Attributes } from "@opentelemetry/api";
import { timingsOf } from "../../canonical/timings.ts";
import type { Usage } from "../../canonical/usage.ts";
import { semanticName } from "../../providers/semantic-names.ts";
import type { StartedAttempt } from "../trace.ts";

/** Values of `gen_ai.operation.name` that the conventions have; others are those of the gateway. */
const operations: Readonly<Record<string, string>> = { embed: "embeddings" };

export const operationName = (operation: string): string => operations[operation] ?? operation;

/** What spans and metrics of an attempt have in common. */
export function attemptAttributes(operation: string, { kind, model, baseUrl }: StartedAttempt): Attributes {
  const url = baseUrl === null ? null : URL.parse(baseUrl);
  return {
    "gen_ai.operation.name": operationName(operation),
    "gen_ai.provider.name": semanticName(kind),
    "gen_ai.request.model": model,
    ...(url === null ? {} : { "server.address": url.hostname, "server.port": portOf(url) }),
  };
}

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === "http:" ? 80 : 443);

const sum = (...amounts: readonly (number | undefined)[]): number =>
  amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0);

const perSecond = 1e6;

/** Seconds of each part that was reached, such as `turnpike.time.limits`. */
export function timeAttributes(stored: string | null | undefined): Attributes {
  const parts = Object.entries(timingsOf(stored ?? null) ?? {});
  const reached = parts.filter((entry): entry is [string, number] => entry[1] !== null);
  return Object.fromEntries(reached.map(([part, us]) => [`turnpike.time.${part}`, us / perSecond]));
}

/** Input tokens include those of a cache, and output tokens those of reasoning. */
export function tokensOf(usage: Usage): { readonly input: number; readonly output: number } {
  const written = sum(usage.cacheWriteTokens, usage.cacheWrite1hTokens);
  return {
    input: sum(usage.inputTokens, usage.cacheReadTokens, written, usage.audioInputTokens, usage.imageInputTokens),
    output: sum(usage.outputTokens, usage.reasoningTokens, usage.audioOutputTokens, usage.imageOutputTokens),
  };
}

export function usageAttributes(usage: Usage): Attributes {
  const { input, output } = tokensOf(usage);
  if (input + output === 0) return {};
  return {
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": output,
    "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": sum(usage.cacheWriteTokens, usage.cacheWrite1hTokens),
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
    ...(usage.estimated === true ? { "turnpike.usage.estimated": true } : {}),
  };
}
