// Why a reply ended, in this dialect's words and in canon's.
import type { FinishReason } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";

const kinds: ReadonlyMap<Json | undefined, FinishReason["kind"]> = new Map<Json | undefined, FinishReason["kind"]>([
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
function kindOf(reason: Json | undefined, held: Held): FinishReason["kind"] {
  const kind = kinds.get(reason) ?? (reason === "OTHER" && !held.anything ? "filter" : "end");
  return kind === "end" && held.call ? "tool-use" : kind;
}

/** `finishReason` and `finishMessage` of a candidate. Presence beats label: a natural end with a call is a call for tools. */
export function readStop(candidate: JsonObject, held: Held): FinishReason {
  const { finishReason, finishMessage } = candidate;
  const kind = kindOf(finishReason, held);
  const isPlain = typeof finishReason !== "string" || finishReason === reasons[kind];
  const words = typeof finishMessage === "string" && finishMessage !== "" ? { finishMessage } : {};
  return isPlain ? { kind } : { kind, detail: { finishReason, ...words } };
}

/** The stop of a prompt that was not answered at all. */
export function readBlock(feedback: Json | undefined): FinishReason | null {
  const blockReason = isObject(feedback) ? feedback.blockReason : undefined;
  if (typeof blockReason !== "string" || blockReason === "BLOCKED_REASON_UNSPECIFIED") return null;
  return { kind: "filter", detail: { blockReason } };
}

const reasons: Readonly<Record<FinishReason["kind"], string>> = {
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
export function writeStop(finishReason: FinishReason): JsonObject {
  const own =
    isObject(finishReason.detail) && kinds.get(finishReason.detail.finishReason) === finishReason.kind
      ? finishReason.detail
      : {};
  return omitUndefined({
    finishReason: own.finishReason ?? reasons[finishReason.kind],
    finishMessage: own.finishMessage,
  });
}

/** `promptFeedback` of a prompt that was not answered; null for any other stop. */
export function writeBlock(finishReason: FinishReason): JsonObject | null {
  const reason = isObject(finishReason.detail) ? finishReason.detail.blockReason : undefined;
  return typeof reason === "string" ? { blockReason: reason } : null;
}

/** Stops that may leave a call without its end. */
export function isCut(finishReason: FinishReason): boolean {
  return finishReason.kind === "length" || finishReason.kind === "context-full";
}
