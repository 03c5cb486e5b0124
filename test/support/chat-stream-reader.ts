// What an answer told its reader, streamed or whole, in one shape for every chat dialect: the oracle of the scenes.
import { type Heard, jsonOr } from "./response-oracle.ts";

export interface Told {
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
  /** The last usage heard, field by field. */
  usage?: Record<string, unknown>;
  /** True when the dialect's own terminator came (`[DONE]`, `message_stop`), or the body was whole JSON. */
  isEnded: boolean;
  /** The error of an error body or of an in-band error event. */
  error?: Record<string, unknown>;
}

/** What a chat completion said. */
export function collectChat(heard: Heard): Told {
  const told = nothingYet(heard);
  if (heard.json !== undefined) hearChunk(told, heard.json, "message");
  for (const { data } of heard.frames) {
    if (data === "[DONE]") told.isEnded = true;
    else hearChunk(told, data, "delta");
  }
  return withParsedInputs(told);
}

/** What a text completion said. */
export function collectCompletion(heard: Heard): Told {
  const told = nothingYet(heard);
  for (const data of heard.json === undefined ? heard.frames.map((frame) => frame.data) : [heard.json]) {
    if (data === "[DONE]") told.isEnded = true;
    noteCommon(told, data);
    const stop = at(data, "choices", 0, "finish_reason");
    if (stop) told.stop = String(stop);
    told.text += text(data, "choices", 0, "text");
    const logprobs = list(data, "choices", 0, "logprobs", "token_logprobs");
    const tokens = list(data, "choices", 0, "logprobs", "tokens");
    noteLogprobs(
      told,
      tokens.map((token, index) => ({ token, logprob: logprobs[index] })),
    );
  }
  return told;
}

/** What a message said. */
export function collectMessage(heard: Heard): Told {
  const told = nothingYet(heard);
  if (heard.json !== undefined) hearMessage(told, heard.json);
  for (const { data } of heard.frames) events[text(data, "type")]?.(told, data);
  return withParsedInputs(told);
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

export function nothingYet(heard: Heard): Told {
  return { text: "", thinking: "", calls: [], isEnded: heard.json !== undefined };
}

export function withParsedInputs(told: Told): Told {
  for (const call of told.calls)
    if (typeof call.input === "string") call.input = jsonOr(call.input || "{}", call.input);
  return told;
}

/** Takes the log probabilities of some tokens down; `name` is what their number is called. */
export function noteLogprobs(told: Told, tokens: unknown[], name = "logprob"): void {
  if (tokens.length === 0) return;
  told.logprobs = [
    ...(told.logprobs ?? []),
    ...tokens.map((one): [unknown, unknown] => [at(one, "token"), at(one, name)]),
  ];
}

export function noteCommon(told: Told, data: unknown): void {
  const error = record(data, "error");
  const usage = record(data, "usage");
  if (error) told.error = error;
  if (usage) told.usage = { ...told.usage, ...usage };
}

function hearChunk(told: Told, chunk: unknown, member: "message" | "delta"): void {
  noteCommon(told, chunk);
  const choice = at(chunk, "choices", 0);
  const stop = at(choice, "finish_reason");
  if (stop) told.stop = String(stop);
  told.text += text(choice, member, "content");
  told.thinking += text(choice, member, "reasoning_content");
  noteLogprobs(told, list(choice, "logprobs", "content"));
  const refusal = text(choice, member, "refusal");
  if (refusal) told.refusal = (told.refusal ?? "") + refusal;
  for (const [position, call] of list(choice, member, "tool_calls").entries()) {
    const index = Number(at(call, "index") ?? position);
    told.calls[index] ??= { id: "", name: "", input: "" };
    const heard = told.calls[index];
    heard.id ||= text(call, "id");
    heard.name ||= text(call, "function", "name");
    heard.input += text(call, "function", "arguments");
  }
}

function hearMessage(told: Told, message: unknown): void {
  noteCommon(told, message);
  const stop = at(message, "stop_reason");
  if (stop) told.stop = String(stop);
  for (const block of list(message, "content")) hearBlock(told, block, at(block, "input"));
}

function hearBlock(told: Told, block: unknown, input: unknown): void {
  told.text += text(block, "text");
  told.thinking += text(block, "thinking");
  const signature = text(block, "signature");
  if (signature) told.signature = signature;
  if (at(block, "type") === "tool_use") told.calls.push({ id: text(block, "id"), name: text(block, "name"), input });
}

const events: Record<string, (told: Told, data: unknown) => void> = {
  message_start: (told, data) => hearMessage(told, at(data, "message")),
  content_block_start: (told, data) => hearBlock(told, at(data, "content_block"), ""),
  content_block_delta(told, data) {
    hearBlock(told, { ...record(data, "delta"), type: "delta" }, undefined);
    const call = told.calls.at(-1);
    if (call) call.input += text(data, "delta", "partial_json");
  },
  message_delta(told, data) {
    noteCommon(told, data);
    told.stop = text(data, "delta", "stop_reason");
  },
  message_stop(told) {
    told.isEnded = true;
  },
  error: noteCommon,
};
