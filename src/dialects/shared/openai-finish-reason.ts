// Why a reply ended: this wire's `finish_reason` and canon's stop, with what the reply holds having the last word.
import type { FinishReason } from "../../canonical/chat.ts";
import type { Json, JsonObject } from "../../lib/json.ts";

/** What a choice turned out to hold. */
export interface Held {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/** Labels that servers use; any other means a natural end. */
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

/** Stops that a call does not overrule: the reply was cut, so its calls may be incomplete. */
export function isCut(kind: FinishReason["kind"]): boolean {
  return kind === "length" || kind === "context-full" || kind === "filter" || kind === "refusal";
}

/** A label of a server that gave up. */
export function isFailure(label: Json | undefined): boolean {
  return label === "error";
}

/** The stop of a choice. `stop_reason` is where vLLM names the stop sequence that matched. */
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

/** The label for a client. A call that it can see makes it `tool_calls`, and no call makes it anything else. */
export function renderStopReason(finishReason: FinishReason, held: Held, isLegacy: boolean): string {
  if (held.calls && !isCut(finishReason.kind)) return isLegacy ? "function_call" : "tool_calls";
  if (finishReason.kind === "refusal" && held.refusal) return "stop";
  return labels[finishReason.kind];
}
