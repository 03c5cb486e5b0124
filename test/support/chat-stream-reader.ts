// What an answer told its reader, streamed or whole, in one shape for every chat dialect: the oracle of the scenarios.
import { jsonOr, type Received } from "./response-oracle.ts";

export interface Result {
  /** Visible text of the first choice. */
  text: string;
  thinking: string;
  /** The last signature, where the dialect has one. */
  signature?: string;
  calls: { id: string; name: string; input: unknown }[];
  /** Tokens of the text, where they were told. */
  logprobs?: [token: unknown, logprob: unknown][];
  /** The words of a refusal, where the dialect tells them apart. */
  refusal?: string;
  /** `finish_reason` or `stop_reason` as the dialect spells it. */
  stop?: string;
  /** The last usage received, field by field. */
  usage?: Record<string, unknown>;
  /** True when the dialect's own terminator came (`[DONE]`, `message_stop`), or the body was whole JSON. */
  isEnded: boolean;
  /** The error of an error body or of an in-band error event. */
  error?: Record<string, unknown>;
}

/** What a chat completion said. */
export function collectChat(received: Received): Result {
  const result = nothingYet(received);
  if (received.json !== undefined) readChunk(result, received.json, "message");
  for (const { data } of received.frames) {
    if (data === "[DONE]") result.isEnded = true;
    else readChunk(result, data, "delta");
  }
  return withParsedInputs(result);
}

/** What a text completion said. */
export function collectCompletion(received: Received): Result {
  const result = nothingYet(received);
  for (const data of received.json === undefined ? received.frames.map((frame) => frame.data) : [received.json]) {
    if (data === "[DONE]") result.isEnded = true;
    noteCommon(result, data);
    const stop = at(data, "choices", 0, "finish_reason");
    if (stop) result.stop = String(stop);
    result.text += text(data, "choices", 0, "text");
    const logprobs = list(data, "choices", 0, "logprobs", "token_logprobs");
    const tokens = list(data, "choices", 0, "logprobs", "tokens");
    noteLogprobs(
      result,
      tokens.map((token, index) => ({ token, logprob: logprobs[index] })),
    );
  }
  return result;
}

/** What a message said. */
export function collectMessage(received: Received): Result {
  const result = nothingYet(received);
  if (received.json !== undefined) readMessage(result, received.json);
  for (const { data } of received.frames) events[text(data, "type")]?.(result, data);
  return withParsedInputs(result);
}

/** The value at a path of a JSON value; undefined where the path leads nowhere. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (here, step) => (here as Record<string | number, unknown> | null | undefined)?.[step],
    value,
  );
}

export const text = (value: unknown, ...path: (string | number)[]) => String(at(value, ...path) ?? "");
export const list = (value: unknown, ...path: (string | number)[]) => (at(value, ...path) ?? []) as unknown[];
export const record = (value: unknown, ...path: (string | number)[]) =>
  at(value, ...path) as Record<string, unknown> | undefined;

export function nothingYet(received: Received): Result {
  return { text: "", thinking: "", calls: [], isEnded: received.json !== undefined };
}

export function withParsedInputs(result: Result): Result {
  for (const call of result.calls)
    if (typeof call.input === "string") call.input = jsonOr(call.input || "{}", call.input);
  return result;
}

/** Takes the log probabilities of some tokens down; `name` is what their number is called. */
export function noteLogprobs(result: Result, tokens: unknown[], name = "logprob"): void {
  if (tokens.length === 0) return;
  result.logprobs = [
    ...(result.logprobs ?? []),
    ...tokens.map((one): [unknown, unknown] => [at(one, "token"), at(one, name)]),
  ];
}

export function noteCommon(result: Result, data: unknown): void {
  const error = record(data, "error");
  const usage = record(data, "usage");
  if (error) result.error = error;
  if (usage) result.usage = { ...result.usage, ...usage };
}

function readChunk(result: Result, chunk: unknown, member: "message" | "delta"): void {
  noteCommon(result, chunk);
  const choice = at(chunk, "choices", 0);
  const stop = at(choice, "finish_reason");
  if (stop) result.stop = String(stop);
  result.text += text(choice, member, "content");
  result.thinking += text(choice, member, "reasoning_content");
  noteLogprobs(result, list(choice, "logprobs", "content"));
  const refusal = text(choice, member, "refusal");
  if (refusal) result.refusal = (result.refusal ?? "") + refusal;
  for (const [position, call] of list(choice, member, "tool_calls").entries()) {
    const index = Number(at(call, "index") ?? position);
    result.calls[index] ??= { id: "", name: "", input: "" };
    const received = result.calls[index];
    received.id ||= text(call, "id");
    received.name ||= text(call, "function", "name");
    received.input += text(call, "function", "arguments");
  }
}

function readMessage(result: Result, message: unknown): void {
  noteCommon(result, message);
  const stop = at(message, "stop_reason");
  if (stop) result.stop = String(stop);
  for (const block of list(message, "content")) readBlock(result, block, at(block, "input"));
}

function readBlock(result: Result, block: unknown, input: unknown): void {
  result.text += text(block, "text");
  result.thinking += text(block, "thinking");
  const signature = text(block, "signature");
  if (signature) result.signature = signature;
  if (at(block, "type") === "tool_use") result.calls.push({ id: text(block, "id"), name: text(block, "name"), input });
}

const events: Record<string, (output: Result, data: unknown) => void> = {
  message_start: (result, data) => readMessage(result, at(data, "message")),
  content_block_start: (result, data) => readBlock(result, at(data, "content_block"), ""),
  content_block_delta(result, data) {
    readBlock(result, { ...record(data, "delta"), type: "delta" }, undefined);
    const call = result.calls.at(-1);
    if (call) call.input += text(data, "delta", "partial_json");
  },
  message_delta(result, data) {
    noteCommon(result, data);
    result.stop = text(data, "delta", "stop_reason");
  },
  message_stop(result) {
    result.isEnded = true;
  },
  error: noteCommon,
};
