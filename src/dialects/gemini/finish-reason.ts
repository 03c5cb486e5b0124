// Why a reply ended, in this dialect's words and in canon's.
import type { Stop } from "../../canonical/chat.ts";
import { compact, isObject, type Json, type JsonObject } from "../../lib/json.ts";

const kinds: ReadonlyMap<Json | undefined, Stop["kind"]> = new Map<Json | undefined, Stop["kind"]>([
  ["STOP", "end"],
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "pause"],
  ["SAFETY", "filter"],
  ["RECITATION", "filter"],
  ["LANGUAGE", "filter"],
  ["BLOCKLIST", "filter"],
  ["PROHIBITED_CONTENT", "filter"],
  ["SPII", "filter"],
  ["IMAGE_SAFETY", "filter"],
  ["IMAGE_PROHIBITED_CONTENT", "filter"],
  ["IMAGE_RECITATION", "filter"],
  ["IMAGE_OTHER", "filter"],
  ["NO_IMAGE", "filter"],
]);

const failures = new Set<Json | undefined>([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
]);

/** True for a reply that the server itself gave up on. */
export function isFailure(reason: Json | undefined): boolean {
  return failures.has(reason);
}

/** What a candidate turned out to hold. */
export interface Held {
  readonly call: boolean;
  readonly anything: boolean;
}

/** Reasons without a row end a reply that says something, and explain one that does not. */
function kindOf(reason: Json | undefined, held: Held): Stop["kind"] {
  const kind = kinds.get(reason) ?? (reason === "OTHER" && !held.anything ? "filter" : "end");
  return kind === "end" && held.call ? "tool-use" : kind;
}

/** `finishReason` and `finishMessage` of a candidate. Presence beats label: a natural end with a call is a call for tools. */
export function readStop(candidate: JsonObject, held: Held): Stop {
  const { finishReason, finishMessage } = candidate;
  const kind = kindOf(finishReason, held);
  const isPlain = typeof finishReason !== "string" || finishReason === reasons[kind];
  const words = typeof finishMessage === "string" && finishMessage !== "" ? { finishMessage } : {};
  return isPlain ? { kind } : { kind, detail: { finishReason, ...words } };
}

/** The stop of a prompt that was not answered at all. */
export function readBlock(feedback: Json | undefined): Stop | null {
  const blockReason = isObject(feedback) ? feedback.blockReason : undefined;
  if (typeof blockReason !== "string" || blockReason === "BLOCKED_REASON_UNSPECIFIED") return null;
  return { kind: "filter", detail: { blockReason } };
}

const reasons: Readonly<Record<Stop["kind"], string>> = {
  end: "STOP",
  "stop-sequence": "STOP",
  length: "MAX_TOKENS",
  "context-full": "MAX_TOKENS",
  "tool-use": "STOP",
  refusal: "SAFETY",
  filter: "SAFETY",
  pause: "OTHER",
};

/** `finishReason`, and `finishMessage` where this dialect had one. */
export function writeStop(stop: Stop): JsonObject {
  const own = isObject(stop.detail) && kinds.get(stop.detail.finishReason) === stop.kind ? stop.detail : {};
  return compact({ finishReason: own.finishReason ?? reasons[stop.kind], finishMessage: own.finishMessage });
}

/** `promptFeedback` of a prompt that was not answered; null for any other stop. */
export function writeBlock(stop: Stop): JsonObject | null {
  const reason = isObject(stop.detail) ? stop.detail.blockReason : undefined;
  return typeof reason === "string" ? { blockReason: reason } : null;
}

/** Stops that may leave a call without its end. */
export function isCut(stop: Stop): boolean {
  return stop.kind === "length" || stop.kind === "context-full";
}
