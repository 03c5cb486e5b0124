// OpenAI's Responses API without storage: encrypted reasoning that belongs to the item behind it.

import { at, list, text } from "../../support/chat-stream-reader.ts";
import type { Reply } from "../../support/sample-responses.ts";
import { type Entry, type Part, signature, token } from "../conversation.ts";
import { play } from "../model.ts";
import { eventReply, namedRecord, pieces } from "../stream.ts";
import type { Body, Vendor } from "../vendor.ts";
import { openaiEnvelope } from "./chat-wire.ts";
import { itemsOf, refusals, typeOf } from "./responses-refusals.ts";

const textOf = (parts: unknown): string =>
  typeof parts === "string" ? parts : ((parts ?? []) as unknown[]).map((part) => text(part, "text")).join("");

function readItem(item: unknown): Entry[] {
  const assistant = (part: Part): Entry[] => [{ role: "assistant", parts: [part] }];
  switch (typeOf(item)) {
    case "reasoning": {
      const state = text(item, "encrypted_content");
      return assistant({
        kind: "thinking",
        text: list(item, "summary")
          .map((part) => text(part, "text"))
          .join("\n\n"),
        ...(state === "" ? {} : { state }),
      });
    }
    case "function_call": {
      const input: unknown = JSON.parse(text(item, "arguments"));
      return assistant({ kind: "call", id: text(item, "call_id"), name: text(item, "name"), input });
    }
    case "function_call_output": {
      const result: Part = { kind: "result", id: text(item, "call_id"), text: textOf(at(item, "output")) };
      return [{ role: "user", parts: [result] }];
    }
    default: {
      const role = text(item, "role");
      const words = textOf(at(item, "content"));
      if (/^(?:system|developer)$/.test(role)) return [];
      return [{ role: role === "assistant" ? "assistant" : "user", parts: [{ kind: "text", text: words }] }];
    }
  }
}

const usage = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 70,
};

/** The items of a turn. Ids of items are the vendor's own; calls have a second one that their results name. */
function itemOf(part: Part, tag: string, turn: number): Record<string, unknown> {
  const own = (prefix: string, ...words: (string | number)[]) => `${prefix}_${token(48, tag, turn, prefix, ...words)}`;
  if (part.kind === "thinking") {
    const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
    const sealed = part.state === undefined ? {} : { encrypted_content: part.state };
    return { id: own("rs"), type: "reasoning", summary, ...sealed };
  }
  if (part.kind === "call")
    return {
      id: own("fc", part.name),
      type: "function_call",
      status: "completed",
      call_id: part.id,
      name: part.name,
      arguments: JSON.stringify(part.input),
    };
  const content = [{ type: "output_text", text: part.text, annotations: [], logprobs: [] }];
  return { id: own("msg"), type: "message", role: "assistant", status: "completed", content };
}

const shell = (status: string, output: unknown[], tag: string, turn: number, body: Body) => ({
  id: `resp_${token(48, tag, turn)}`,
  object: "response",
  created_at: 1_790_000_000,
  completed_at: status === "completed" ? 1_790_000_001 : null,
  status,
  error: null,
  incomplete_details: null,
  instructions: body["instructions"] ?? null,
  max_output_tokens: null,
  model: body["model"],
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: "medium", summary: null },
  store: body["store"] ?? true,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: body["tools"] ?? [],
  top_p: 1,
  truncation: "disabled",
  usage: status === "completed" ? usage : null,
  metadata: {},
});

type Event = { readonly type: string } & Record<string, unknown>;

function eventsOf(part: Part, output_index: number, item: Record<string, unknown>): Event[] {
  const item_id = item["id"];
  const at = { item_id, output_index };
  const around = (empty: Record<string, unknown>, inner: Event[]): Event[] => [
    { type: "response.output_item.added", output_index, item: { ...item, ...empty } },
    ...inner,
    { type: "response.output_item.done", output_index, item },
  ];
  if (part.kind === "thinking") {
    const summary = { ...at, summary_index: 0 };
    const shown: Event[] = [
      { type: "response.reasoning_summary_part.added", ...summary, part: { type: "summary_text", text: "" } },
      ...pieces(part.text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...summary, delta })),
      { type: "response.reasoning_summary_text.done", ...summary, text: part.text },
      { type: "response.reasoning_summary_part.done", ...summary, part: { type: "summary_text", text: part.text } },
    ];
    return around({ summary: [] }, part.text === "" ? [] : shown);
  }
  if (part.kind === "call") {
    const { name, arguments: json } = item;
    return around({ status: "in_progress", arguments: "" }, [
      ...pieces(String(json)).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
      { type: "response.function_call_arguments.done", ...at, name, arguments: json },
    ]);
  }
  const content = { ...at, content_index: 0 };
  const empty = { type: "output_text", text: "", annotations: [], logprobs: [] };
  return around({ status: "in_progress", content: [] }, [
    { type: "response.content_part.added", ...content, part: empty },
    ...pieces(part.text).map((delta) => ({ type: "response.output_text.delta", ...content, delta, logprobs: [] })),
    { type: "response.output_text.done", ...content, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...content, part: { ...empty, text: part.text } },
  ]);
}

function stream(made: readonly Part[], tag: string, turn: number, body: Body): Reply {
  const items = made.map((part) => itemOf(part, tag, turn));
  const events: Event[] = [
    { type: "response.created", response: shell("in_progress", [], tag, turn, body) },
    { type: "response.in_progress", response: shell("in_progress", [], tag, turn, body) },
    ...made.flatMap((part, index) => eventsOf(part, index, items[index] ?? {})),
    { type: "response.completed", response: shell("completed", items, tag, turn, body) },
  ];
  return eventReply(events.map((event, sequence_number) => namedRecord({ ...event, sequence_number })));
}

/** Models of this family reason unless they are told not to. */
const thinks = (body: Body): boolean => text(body, "reasoning", "effort") !== "none";

export const openaiResponses: Vendor = {
  name: "openai-responses",
  paths: /^\/v1\/responses$/,
  refusals,
  envelope: openaiEnvelope,
  read: (body) => itemsOf(body).flatMap(readItem),
  thinks,
  make(body, tag, turn) {
    const isSealed = list(body, "include").includes("reasoning.encrypted_content");
    const thought = {
      shown: at(body, "reasoning", "summary") !== undefined,
      ...(isSealed ? { state: `gAAAAAB${signature(tag, turn)}` } : {}),
    };
    return play(turn, {
      thought: thinks(body) ? thought : null,
      callId: (index) => `call_${token(24, tag, turn, index)}`,
    });
  },
  isStream: ({ json }) => at(json, "stream") === true,
  reply: (made, tag, turn, body) =>
    shell(
      "completed",
      made.map((part) => itemOf(part, tag, turn)),
      tag,
      turn,
      body,
    ),
  stream,
};
