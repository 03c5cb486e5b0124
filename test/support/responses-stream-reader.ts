// What a response said, streamed or whole. A stream is received piece by piece; its last event must say the same as the pieces.
import { expect } from "bun:test";
import {
  at,
  list,
  noteCommon,
  noteLogprobs,
  nothingYet,
  type Result,
  record,
  text,
  withParsedInputs,
} from "./chat-stream-reader.ts";
import type { Received } from "./response-oracle.ts";

/** Parts of a summary are paragraphs of one thought. */
const paragraph = "\n\n";

/** What a response said. */
export function collectResponse(received: Received): Result {
  if (received.json !== undefined) return wholeResult(received, received.json);
  const result = nothingYet(received);
  for (const { data } of received.frames) events[text(data, "type")]?.(result, data);
  const last = received.frames.at(-1)?.data;
  if (result.isEnded) checkSame(result, wholeResult({ ...received, json: {} }, at(last, "response")));
  return withParsedInputs(result);
}

function checkSame(streamed: Result, whole: Result): void {
  const { text, thinking, calls, refusal, logprobs } = withParsedInputs(streamed);
  expect({ text, thinking, calls, refusal, logprobs }).toEqual({
    logprobs: whole.logprobs,
    text: whole.text,
    thinking: whole.thinking,
    calls: whole.calls,
    refusal: whole.refusal,
  });
}

function wholeResult(received: Received, response: unknown): Result {
  const result = nothingYet(received);
  noteResponse(result, response);
  for (const item of list(response, "output")) readItem(result, item);
  return withParsedInputs(result);
}

function noteResponse(result: Result, response: unknown): void {
  noteCommon(result, response);
  const status = at(response, "status");
  const reason = at(response, "incomplete_details", "reason");
  if (status) result.stop = reason ? `${status} ${reason}` : String(status);
}

function readItem(result: Result, item: unknown): void {
  for (const part of list(item, "content")) {
    if (at(part, "type") === "output_text") result.text += text(part, "text");
    noteLogprobs(result, list(part, "logprobs"));
    if (at(part, "type") === "reasoning_text") result.thinking += text(part, "text");
    if (at(part, "type") === "refusal") result.refusal = (result.refusal ?? "") + text(part, "refusal");
  }
  result.thinking += list(item, "summary")
    .map((part) => text(part, "text"))
    .join(paragraph);
  const state = text(item, "encrypted_content");
  if (state) result.signature = state;
  if (!/^(?:function|custom_tool)_call$/.test(text(item, "type"))) return;
  const input = at(item, "arguments") ?? at(item, "input");
  result.calls.push({ id: text(item, "call_id"), name: text(item, "name"), input });
}

type Transcribe = (output: Result, data: unknown) => void;

const addThinking: Transcribe = (result, data) => {
  result.thinking += text(data, "delta");
};

const addInput: Transcribe = (result, data) => {
  const call = result.calls.at(-1);
  if (call) call.input += text(data, "delta");
};

const end: Transcribe = (result, data) => {
  result.isEnded = true;
  noteResponse(result, at(data, "response"));
};

const events: Record<string, Transcribe> = {
  "response.output_text.delta"(result, data) {
    result.text += text(data, "delta");
    noteLogprobs(result, list(data, "logprobs"));
  },
  "response.refusal.delta"(result, data) {
    result.refusal = (result.refusal ?? "") + text(data, "delta");
  },
  "response.reasoning_summary_part.added"(result, data) {
    if (Number(at(data, "summary_index")) > 0) result.thinking += paragraph;
  },
  "response.reasoning_summary_text.delta": addThinking,
  "response.reasoning_text.delta": addThinking,
  "response.output_item.added"(result, data) {
    const item = at(data, "item");
    if (!/^(?:function|custom_tool)_call$/.test(text(item, "type"))) return;
    result.calls.push({ id: text(item, "call_id"), name: text(item, "name"), input: "" });
  },
  "response.function_call_arguments.delta": addInput,
  "response.custom_tool_call_input.delta": addInput,
  "response.completed": end,
  "response.incomplete": end,
  "response.failed"(result, data) {
    result.error = record(data, "response", "error") ?? {};
  },
  error(result, data) {
    result.error = record(data, "error") ?? record(data) ?? {};
  },
};
