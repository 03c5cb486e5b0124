// Anthropic's Messages API: signed thinking at the head of a turn, or before each step for models that think in between.
import { at, text } from "../../support/chat-stream-reader.ts";
import { type Entry, type Part, signature, token } from "../conversation.ts";
import { play } from "../model.ts";
import { eventReply, namedRecord, pieces } from "../stream.ts";
import type { Body, Vendor } from "../vendor.ts";
import { contentsOf, refusals, thinks, thinksAdaptively, typeOf } from "./anthropic-refusals.ts";

/** Text of a result, however it is written. */
const resultText = (content: unknown): string =>
  typeof content === "string" ? content : ((content ?? []) as unknown[]).map((part) => text(part, "text")).join("");

function readBlock(block: unknown): Part {
  switch (typeOf(block)) {
    case "thinking":
      return { kind: "thinking", text: text(block, "thinking"), state: text(block, "signature") };
    case "tool_use":
      return { kind: "call", id: text(block, "id"), name: text(block, "name"), input: at(block, "input") };
    case "tool_result":
      return { kind: "result", id: text(block, "tool_use_id"), text: resultText(at(block, "content")) };
    default:
      return { kind: "text", text: text(block, "text") };
  }
}

function blockOf(part: Part): Record<string, unknown> {
  if (part.kind === "thinking") return { type: "thinking", thinking: part.text, signature: part.state };
  if (part.kind === "call") return { type: "tool_use", id: part.id, name: part.name, input: part.input };
  return { type: "text", text: part.text };
}

const stopReason = (made: readonly Part[]): string =>
  made.some(({ kind }) => kind === "call") ? "tool_use" : "end_turn";
const usage = { input_tokens: 40, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 30 };

const shell = (tag: string, turn: number, body: Body) => ({
  id: `msg_01${token(22, tag, turn)}`,
  type: "message",
  role: "assistant",
  model: body["model"],
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { ...usage, output_tokens: 1 },
});

type Event = { readonly type: string } & Record<string, unknown>;

function eventsOf(part: Part, index: number): Event[] {
  const delta = (delta: Record<string, unknown>): Event => ({ type: "content_block_delta", index, delta });
  const start = (content_block: Record<string, unknown>): Event => ({
    type: "content_block_start",
    index,
    content_block,
  });
  const stop: Event = { type: "content_block_stop", index };
  if (part.kind === "thinking")
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      ...pieces(part.text).map((thinking) => delta({ type: "thinking_delta", thinking })),
      delta({ type: "signature_delta", signature: part.state }),
      stop,
    ];
  if (part.kind === "call") {
    const json = JSON.stringify(part.input);
    return [
      start({ type: "tool_use", id: part.id, name: part.name, input: {} }),
      ...["", ...pieces(json === "{}" ? "" : json)].map((partial_json) =>
        delta({ type: "input_json_delta", partial_json }),
      ),
      stop,
    ];
  }
  return [
    start({ type: "text", text: "" }),
    ...pieces(part.text).map((words) => delta({ type: "text_delta", text: words })),
    stop,
  ];
}

export const anthropicMessages: Vendor = {
  name: "anthropic-messages",
  paths: /^\/v1\/messages$/,
  refusals,
  envelope: ({ message }) => ({
    type: "error",
    error: { type: "invalid_request_error", message },
    request_id: "req_011CSstrict",
  }),
  read: (body) =>
    contentsOf(body).map(
      ({ role, blocks }): Entry => ({
        role: role === "assistant" ? "assistant" : "user",
        parts: blocks.map(readBlock),
      }),
    ),
  thinks,
  make(body, tag, turn) {
    // With a budget a model thinks once, before the first step of a turn; else between its calls too.
    const isThinking = thinks(body) && (turn === 0 || turn === 3 || thinksAdaptively(body));
    const shown = !thinksAdaptively(body) || text(body, "thinking", "display") === "summarized";
    return play(turn, {
      thought: isThinking ? { shown, state: signature(tag, turn) } : null,
      callId: (index) => `toolu_01${token(22, tag, turn, index)}`,
    });
  },
  isStream: ({ json }) => at(json, "stream") === true,
  reply: (made, tag, turn, body) => ({
    ...shell(tag, turn, body),
    content: made.map(blockOf),
    stop_reason: stopReason(made),
    usage,
  }),
  stream(made, tag, turn, body) {
    const events: Event[] = [
      { type: "message_start", message: shell(tag, turn, body) },
      { type: "ping" },
      ...made.flatMap(eventsOf),
      { type: "message_delta", delta: { stop_reason: stopReason(made), stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    return eventReply(events.map(namedRecord));
  },
};
