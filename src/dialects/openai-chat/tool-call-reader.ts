// Reads the tool calls of a stream: assigns fragments to calls, and opens and closes them.
import type { FinishReason } from "../../canonical/chat.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { isObject, type Json, type JsonObject, parseJsonText } from "../../lib/json.ts";
import { inputText, isBlankInput } from "../shared/arguments.ts";
import { isCut, parseStopReason } from "../shared/openai-finish-reason.ts";
import { callInput } from "../shared/tool-names.ts";
import { type CallState, type ChoiceState, closeSpeech, open } from "./choice-reader.ts";
import { madeId, readSignature } from "./tool-calls.ts";

function filled(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The call that a fragment continues; null when it starts a new one. Some servers omit the index, others repeat it. */
function continued(state: ChoiceState, index: number | undefined, id: string | undefined, name: string | undefined) {
  if (index === undefined) {
    if (id !== undefined) return state.calls.findLast((call) => call.id === id) ?? null;
    return name === undefined ? (state.calls.at(-1) ?? null) : null;
  }
  const known = state.calls.findLast((call) => call.index === index);
  if (known === undefined) return null;
  const isAnother = id !== undefined && name !== undefined && known.id !== undefined && known.id !== id;
  return isAnother ? null : known;
}

function openCall(state: ChoiceState, call: CallState, out: StreamEvent[]): void {
  closeSpeech(state, out);
  for (const earlier of state.calls) if (earlier !== call && isComplete(earlier)) closeCall(state, earlier, out);
  const id = call.id ?? madeId(state.replyId, state.index, state.calls.indexOf(call));
  const { name, kind } = state.tools(call.name);
  call.wrapped = kind === "custom" && call.kind === "function";
  const signature = call.signature === undefined ? {} : { signature: call.signature };
  call.block = open(state, { kind: "tool-call", id, name, tool: call.wrapped ? kind : call.kind, ...signature }, out);
  if (!call.wrapped) fill(state, call, call.input, out);
}

/** A call whose input is complete JSON has ended, because the wire has no end event. */
function isComplete(call: CallState): boolean {
  return call.block >= 0 && !call.closed && call.kind === "function" && parseJsonText(call.input) !== undefined;
}

function fill(state: ChoiceState, call: CallState, text: string, out: StreamEvent[]): void {
  if (text !== "") out.push({ type: "tool-input", choice: state.index, block: call.block, text });
}

function closeCall(state: ChoiceState, call: CallState, out: StreamEvent[]): void {
  call.closed = true;
  if (call.wrapped && call.input.trim() !== "") fill(state, call, callInput("custom", call.input), out);
  const signature = call.signature === undefined ? {} : { signature: call.signature };
  out.push({ type: "block-end", choice: state.index, block: call.block, ...signature });
}

function readCall(state: ChoiceState, piece: JsonObject, out: StreamEvent[]): void {
  const kind = isObject(piece.custom) && piece.type !== "function" ? "custom" : "function";
  const member = kind === "custom" ? piece.custom : piece.function;
  const body: JsonObject = isObject(member) ? member : {};
  const index = typeof piece.index === "number" ? piece.index : undefined;
  const id = filled(piece.id);
  const name = filled(body.name);
  let call = continued(state, index, id, name);
  if (call === null) {
    call = { kind, index, id, name: name ?? "", wrapped: false, block: -1, input: "", closed: false };
    state.calls.push(call);
  }
  if (call.closed) return;
  const signature = readSignature(piece, state.origin);
  if (signature !== undefined) call.signature = signature;
  const text = inputText(call.kind === "custom" ? body.input : body.arguments);
  call.input += text;
  if (call.block >= 0) {
    if (!call.wrapped) fill(state, call, text, out);
    return;
  }
  call.name ||= name ?? "";
  if (call.name !== "") openCall(state, call, out);
}

/** Reads fragments of calls. A call opens once its name is known. */
export function readCalls(state: ChoiceState, pieces: Json, out: StreamEvent[]): void {
  if (!Array.isArray(pieces)) return;
  for (const piece of pieces) if (isObject(piece)) readCall(state, piece, out);
}

/** A fragment of the single call of the legacy format. */
export function readFunctionCall(state: ChoiceState, piece: Json, out: StreamEvent[]): void {
  if (isObject(piece)) readCall(state, { index: 0, function: piece }, out);
}

/** Closes everything and returns the finish reason. */
export function closeChoice(state: ChoiceState, out: StreamEvent[]): FinishReason {
  closeSpeech(state, out);
  const calls = state.calls.filter((call) => call.block >= 0);
  const finishReason = parseStopReason(state.last ?? {}, { calls: calls.length > 0, refusal: state.hasRefusal });
  for (const call of calls) {
    if (call.closed) continue;
    if (!call.wrapped && isBlankInput(call.kind, call.input) && !isCut(finishReason.kind)) fill(state, call, "{}", out);
    closeCall(state, call, out);
  }
  return finishReason;
}
