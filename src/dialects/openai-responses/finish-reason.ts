// Why a reply ended: status and incomplete details on this wire, one stop in canon.
import type { FinishReason } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** What a reply turned out to hold. */
export interface Held {
  readonly calls: boolean;
  readonly refusal: boolean;
}

const kinds: ReadonlyMap<unknown, FinishReason["kind"]> = new Map<unknown, FinishReason["kind"]>([
  ["max_output_tokens", "length"],
  ["content_filter", "filter"],
  ["steered", "end"],
]);

/** The stop of a response that is complete or incomplete. A reason that is not known is a cut all the same. */
export function parseStop(response: JsonObject, held: Held): FinishReason {
  if (response.status === "incomplete") {
    const details = response.incomplete_details;
    const kind = kinds.get(isObject(details) ? details.reason : undefined) ?? "length";
    if (kind !== "end") return { kind: kind === "filter" && held.refusal ? "refusal" : kind };
  }
  if (held.calls) return { kind: "tool-use" };
  return { kind: held.refusal ? "refusal" : "end" };
}

/** How the reply stands, and why it is not whole. */
export interface Outcome {
  readonly status: "completed" | "incomplete";
  readonly reason: string | null;
}

const complete: Outcome = { status: "completed", reason: null };
const filtered: Outcome = { status: "incomplete", reason: "content_filter" };
const cut: Outcome = { status: "incomplete", reason: "max_output_tokens" };

/** Status and reason for a client. A refusal that can be read is an answer. */
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
