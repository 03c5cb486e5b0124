// Finish reasons, between this dialect and the canonical model.
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

/** Whether the reason means that the server failed. */
export function isFailure(reason: Json | undefined): boolean {
  return failures.has(reason);
}

/** The content of a candidate, as far as finish reasons depend on it. */
interface Held {
  readonly call: boolean;
  readonly anything: boolean;
}

/** An unknown reason counts as a natural end; `OTHER` without content counts as filtered. */
function kindOf(reason: Json | undefined, held: Held): FinishReason["kind"] {
  const kind = kinds.get(reason) ?? (reason === "OTHER" && !held.anything ? "filter" : "end");
  return kind === "end" && held.call ? "tool-use" : kind;
}

/**
 * `finishReason` and `finishMessage` of a candidate. The content decides over the label: a natural end with a call
 * becomes tool use.
 */
export function readStop(candidate: JsonObject, held: Held): FinishReason {
  const { finishReason, finishMessage } = candidate;
  const kind = kindOf(finishReason, held);
  const isPlain = typeof finishReason !== "string" || finishReason === reasons[kind];
  const words = typeof finishMessage === "string" && finishMessage !== "" ? { finishMessage } : {};
  return isPlain ? { kind } : { kind, detail: { finishReason, ...words } };
}

/** The finish reason of a blocked prompt. */
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

/** `finishReason`, and `finishMessage` if this dialect wrote one. */
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

/** `promptFeedback` of a blocked prompt; null for any other finish reason. */
export function writeBlock(finishReason: FinishReason): JsonObject | null {
  const reason = isObject(finishReason.detail) ? finishReason.detail.blockReason : undefined;
  return typeof reason === "string" ? { blockReason: reason } : null;
}

/** Finish reasons after which a call may be incomplete. */
export function isCut(finishReason: FinishReason): boolean {
  return finishReason.kind === "length" || finishReason.kind === "context-full";
}
