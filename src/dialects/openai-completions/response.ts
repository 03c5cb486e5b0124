// A complete text completion, to and from the canonical response.
import type { Block, ChatResponse, Choice } from "../../canonical/chat.ts";
import { type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { ReadContext, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { parseStopReason, renderStopReason } from "../shared/openai-finish-reason.ts";
import { parseReply } from "../shared/openai-reply.ts";
import { renderUsage } from "../shared/openai-usage.ts";
import { parseLogprobs, renderLogprobs } from "./logprobs.ts";
import { echoes } from "./prompt.ts";

/** This wire has neither calls nor separate refusals. */
export const plain = { calls: false, refusal: false } as const;

function parseChoice(choice: JsonObject, index: number): Choice {
  if (typeof choice.text !== "string") throw invalidUpstreamResponse(`choices[${index}] has no text`);
  const logprobs = parseLogprobs(choice.logprobs);
  const block: Block = { type: "text", text: choice.text, ...(logprobs === null ? {} : { logprobs }) };
  return { index, blocks: choice.text === "" ? [] : [block], finishReason: parseStopReason(choice, plain) };
}

/** Parses a body. Throws the upstream's error if the body is one, or the reason why it is not a reply. */
export function parse(wire: unknown, _context: ReadContext): ChatResponse {
  return parseReply(wire, (choice, index) => parseChoice(choice, index));
}

/** The text of a choice, refusals included. Thinking and calls have no place on this wire. */
function textOf(choice: Choice): string {
  return choice.blocks.map((block) => (block.type === "text" || block.type === "refusal" ? block.text : "")).join("");
}

function logprobsOf(choice: Choice): Json {
  const tokens = choice.blocks.flatMap((block) => (block.type === "text" ? (block.logprobs ?? []) : []));
  return tokens.length === 0 ? null : renderLogprobs(tokens, 0);
}

/** The body for a client. Unknown usage is left out, because zeros would be false. */
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
