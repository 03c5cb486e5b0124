// What a response said, streamed or whole. A stream is heard piece by piece; its last event must say the same as the pieces.
import { expect } from "bun:test";
import {
  at,
  list,
  noteCommon,
  noteLogprobs,
  nothingYet,
  record,
  type Told,
  text,
  withParsedInputs,
} from "./chat-stream-reader.ts";
import type { Heard } from "./response-oracle.ts";

/** Parts of a summary are paragraphs of one thought. */
const paragraph = "\n\n";

/** What a response said. */
export function collectResponse(heard: Heard): Told {
  if (heard.json !== undefined) return wholeTold(heard, heard.json);
  const told = nothingYet(heard);
  for (const { data } of heard.frames) events[text(data, "type")]?.(told, data);
  const last = heard.frames.at(-1)?.data;
  if (told.isEnded) checkSame(told, wholeTold({ ...heard, json: {} }, at(last, "response")));
  return withParsedInputs(told);
}

function checkSame(streamed: Told, whole: Told): void {
  const { text, thinking, calls, refusal, logprobs } = withParsedInputs(streamed);
  expect({ text, thinking, calls, refusal, logprobs }).toEqual({
    logprobs: whole.logprobs,
    text: whole.text,
    thinking: whole.thinking,
    calls: whole.calls,
    refusal: whole.refusal,
  });
}

function wholeTold(heard: Heard, response: unknown): Told {
  const told = nothingYet(heard);
  noteResponse(told, response);
  for (const item of list(response, "output")) hearItem(told, item);
  return withParsedInputs(told);
}

function noteResponse(told: Told, response: unknown): void {
  noteCommon(told, response);
  const status = at(response, "status");
  const reason = at(response, "incomplete_details", "reason");
  if (status) told.stop = reason ? `${status} ${reason}` : String(status);
}

function hearItem(told: Told, item: unknown): void {
  for (const part of list(item, "content")) {
    if (at(part, "type") === "output_text") told.text += text(part, "text");
    noteLogprobs(told, list(part, "logprobs"));
    if (at(part, "type") === "reasoning_text") told.thinking += text(part, "text");
    if (at(part, "type") === "refusal") told.refusal = (told.refusal ?? "") + text(part, "refusal");
  }
  told.thinking += list(item, "summary")
    .map((part) => text(part, "text"))
    .join(paragraph);
  const state = text(item, "encrypted_content");
  if (state) told.signature = state;
  if (!/^(?:function|custom_tool)_call$/.test(text(item, "type"))) return;
  const input = at(item, "arguments") ?? at(item, "input");
  told.calls.push({ id: text(item, "call_id"), name: text(item, "name"), input });
}

type Hear = (told: Told, data: unknown) => void;

const addThinking: Hear = (told, data) => {
  told.thinking += text(data, "delta");
};

const addInput: Hear = (told, data) => {
  const call = told.calls.at(-1);
  if (call) call.input += text(data, "delta");
};

const end: Hear = (told, data) => {
  told.isEnded = true;
  noteResponse(told, at(data, "response"));
};

const events: Record<string, Hear> = {
  "response.output_text.delta"(told, data) {
    told.text += text(data, "delta");
    noteLogprobs(told, list(data, "logprobs"));
  },
  "response.refusal.delta"(told, data) {
    told.refusal = (told.refusal ?? "") + text(data, "delta");
  },
  "response.reasoning_summary_part.added"(told, data) {
    if (Number(at(data, "summary_index")) > 0) told.thinking += paragraph;
  },
  "response.reasoning_summary_text.delta": addThinking,
  "response.reasoning_text.delta": addThinking,
  "response.output_item.added"(told, data) {
    const item = at(data, "item");
    if (!/^(?:function|custom_tool)_call$/.test(text(item, "type"))) return;
    told.calls.push({ id: text(item, "call_id"), name: text(item, "name"), input: "" });
  },
  "response.function_call_arguments.delta": addInput,
  "response.custom_tool_call_input.delta": addInput,
  "response.completed": end,
  "response.incomplete": end,
  "response.failed"(told, data) {
    told.error = record(data, "response", "error") ?? {};
  },
  error(told, data) {
    told.error = record(data, "error") ?? record(data) ?? {};
  },
};
