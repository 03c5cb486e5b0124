// Finish reasons: this wire's `finish_reason` and the canonical one, corrected by the content of the reply.
import type { FinishReason } from "../../canonical/chat.ts";
import type { Json, JsonObject } from "../../lib/json.ts";

/** The content of a choice, as far as finish reasons depend on it. */
export interface Held {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/** Values that servers use; any other means a natural end. */
const kinds: ReadonlyMap<string, FinishReason["kind"]> = new Map<string, FinishReason["kind"]>([
  ["stop", "end"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["tool_calls", "tool-use"],
  ["tool_use", "tool-use"],
  ["function_call", "tool-use"],
  ["content_filter", "filter"],
  ["sensitive", "filter"],
  ["refusal", "refusal"],
  ["stop_sequence", "stop-sequence"],
]);

/** Finish reasons that a call does not override: the reply was cut, so its calls may be incomplete. */
export function isCut(kind: FinishReason["kind"]): boolean {
  return kind === "length" || kind === "context-full" || kind === "filter" || kind === "refusal";
}

/** Whether the value means that the server failed. */
export function isFailure(label: Json | undefined): boolean {
  return label === "error";
}

/** The finish reason of a choice. vLLM names the matched stop sequence in `stop_reason`. */
export function parseStopReason(choice: JsonObject, held: Held): FinishReason {
  const label = typeof choice.finish_reason === "string" ? choice.finish_reason : "";
  const kind = kinds.get(label) ?? "end";
  if (held.calls && !isCut(kind)) return { kind: "tool-use" };
  if (held.refusal && (kind === "end" || kind === "filter")) return { kind: "refusal" };
  if (kind === "tool-use") return { kind: "end" };
  const sequence = choice.stop_reason;
  if (kind === "end" && typeof sequence === "string" && sequence !== "") return { kind: "stop-sequence", sequence };
  return { kind };
}

const labels: { readonly [kind in FinishReason["kind"]]: string } = {
  end: "stop",
  "stop-sequence": "stop",
  pause: "stop",
  "tool-use": "stop",
  length: "length",
  "context-full": "length",
  refusal: "content_filter",
  filter: "content_filter",
};

/** The value for a client: `tool_calls` if the client sees a call, otherwise never. */
export function renderStopReason(finishReason: FinishReason, held: Held, isLegacy: boolean): string {
  if (held.calls && !isCut(finishReason.kind)) return isLegacy ? "function_call" : "tool_calls";
  if (finishReason.kind === "refusal" && held.refusal) return "stop";
  return labels[finishReason.kind];
}
