// A whole text completion and the canonical answer, both ways.
import type { Block, ChatResponse, Choice } from "../../canonical/chat.ts";
import { type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { ReadContext, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { parseStopReason, renderStopReason } from "../shared/openai-finish-reason.ts";
import { parseReply } from "../shared/openai-reply.ts";
import { renderUsage } from "../shared/openai-usage.ts";
import { parseLogprobs, renderLogprobs } from "./logprobs.ts";
import { echoes } from "./prompt.ts";

/** This wire knows neither calls nor refusals apart. */
export const plain = { calls: false, refusal: false } as const;

function parseChoice(choice: JsonObject, index: number): Choice {
  if (typeof choice.text !== "string") throw invalidUpstreamResponse(`choices[${index}] has no text`);
  const logprobs = parseLogprobs(choice.logprobs);
  const block: Block = { type: "text", text: choice.text, ...(logprobs === null ? {} : { logprobs }) };
  return { index, blocks: choice.text === "" ? [] : [block], finishReason: parseStopReason(choice, plain) };
}

/** The answer in a body. Throws the upstream's own error where the body is one, else what makes it no reply. */
export function parse(wire: unknown, _context: ReadContext): ChatResponse {
  return parseReply(wire, (choice, index) => parseChoice(choice, index));
}

/** Thinking and calls have no place in a text; a refusal is what the model said. */
function textOf(choice: Choice): string {
  return choice.blocks.map((block) => (block.type === "text" || block.type === "refusal" ? block.text : "")).join("");
}

function logprobsOf(choice: Choice): Json {
  const tokens = choice.blocks.flatMap((block) => (block.type === "text" ? (block.logprobs ?? []) : []));
  return tokens.length === 0 ? null : renderLogprobs(tokens, 0);
}

/** The body for a client. Usage is left out where nobody counted: zeros would be a lie. */
export function render(response: ChatResponse, context: WriteContext): JsonObject {
  const echo = echoes(context.wire);
  return omitUndefined({
    id: response.id === "" ? context.id : response.id,
    object: "text_completion",
    created: response.createdAt ?? context.createdAt,
    model: response.model,
    choices: response.choices.map((choice) => ({
      text: echo(choice.index) + textOf(choice),
      index: choice.index,
      logprobs: logprobsOf(choice),
      finish_reason: renderStopReason(choice.finishReason, plain, false),
    })),
    usage: response.usage === undefined ? undefined : renderUsage(response.usage),
  });
}
