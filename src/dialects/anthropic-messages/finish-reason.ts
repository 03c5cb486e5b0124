// Finish reasons, between this dialect and the canonical model.
import type { FinishReason } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

const kinds = new Map<unknown, FinishReason["kind"]>([
  ["end_turn", "end"],
  ["stop_sequence", "stop-sequence"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "context-full"],
  ["tool_use", "tool-use"],
  ["refusal", "refusal"],
  ["pause_turn", "pause"],
]);

const reasons: Readonly<Record<FinishReason["kind"], string>> = {
  end: "end_turn",
  "stop-sequence": "stop_sequence",
  length: "max_tokens",
  "context-full": "model_context_window_exceeded",
  "tool-use": "tool_use",
  refusal: "refusal",
  filter: "refusal",
  pause: "pause_turn",
};

/**
 * The content decides over the label: a natural end with a call becomes tool use, and tool use without a call a
 * natural end.
 */
function settled(kind: FinishReason["kind"], hasCall: boolean): FinishReason["kind"] {
  if (kind === "tool-use" && !hasCall) return "end";
  return kind === "end" && hasCall ? "tool-use" : kind;
}

/** `wire` holds stop_reason, stop_sequence and stop_details. */
export function readStop(wire: JsonObject, hasCall: boolean): FinishReason {
  const sequence = wire["stop_sequence"];
  const details = wire["stop_details"];
  return {
    kind: settled(kinds.get(wire["stop_reason"]) ?? "end", hasCall),
    ...(typeof sequence === "string" ? { sequence } : {}),
    ...(isObject(details) ? { detail: details } : {}),
  };
}

/** The members stop_reason, stop_sequence and stop_details. */
export function writeStop(
  finishReason: FinishReason,
  has: { readonly call: boolean; readonly refusal: boolean },
): JsonObject {
  const kind = has.refusal && finishReason.kind === "end" ? "refusal" : settled(finishReason.kind, has.call);
  const isOwnDetail = isObject(finishReason.detail) && finishReason.detail["type"] === "refusal";
  return {
    stop_reason: reasons[kind],
    stop_sequence: kind === "stop-sequence" ? (finishReason.sequence ?? null) : null,
    stop_details: isOwnDetail && reasons[kind] === "refusal" ? (finishReason.detail ?? null) : null,
  };
}
