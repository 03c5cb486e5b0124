// Finish reasons: status and incomplete details on this wire, one value in the canonical model.
import type { FinishReason } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** The content of a reply, as far as finish reasons depend on it. */
export interface Held {
  readonly calls: boolean;
  readonly refusal: boolean;
}

const kinds: ReadonlyMap<unknown, FinishReason["kind"]> = new Map<unknown, FinishReason["kind"]>([
  ["max_output_tokens", "length"],
  ["content_filter", "filter"],
  ["steered", "end"],
]);

/** The finish reason of a complete or incomplete response. An unknown reason counts as a cut. */
export function parseStop(response: JsonObject, held: Held): FinishReason {
  if (response.status === "incomplete") {
    const details = response.incomplete_details;
    const kind = kinds.get(isObject(details) ? details.reason : undefined) ?? "length";
    if (kind !== "end") return { kind: kind === "filter" && held.refusal ? "refusal" : kind };
  }
  if (held.calls) return { kind: "tool-use" };
  return { kind: held.refusal ? "refusal" : "end" };
}

/** The status of a reply, and why it is incomplete. */
interface Outcome {
  readonly status: "completed" | "incomplete";
  readonly reason: string | null;
}

const complete: Outcome = { status: "completed", reason: null };
const filtered: Outcome = { status: "incomplete", reason: "content_filter" };
const cut: Outcome = { status: "incomplete", reason: "max_output_tokens" };

/** Status and reason for a client. A response with a refusal is complete. */
export function renderStop(finishReason: FinishReason, hasRefusal: boolean): Outcome {
  switch (finishReason.kind) {
    case "length":
    case "context-full":
      return cut;
    case "filter":
      return filtered;
    case "refusal":
      return hasRefusal ? complete : filtered;
    case "end":
    case "stop-sequence":
    case "tool-use":
    case "pause":
      return complete;
  }
}
