// What became of the model's state in one walk through the dialogue, and whether the client was told of a loss.
import type { Reply } from "./clients/client.ts";
import type { Conversation, RequestedTurn } from "./conversation.ts";
import { turns } from "./dialogue.ts";

export const outcomes = {
  returned: "all signatures and thinking of the model were returned to it, byte for byte",
  none: "the model made no state",
  "left out": "some state was not returned, which this vendor accepts",
  placeholder: "a lost signature was replaced by the constant that the vendor accepts",
  "thinking off": "requests whose state was lost were sent without thinking",
} as const;
export type Outcome = keyof typeof outcomes;

/** The last request of each turn: one that was refused before it does not count. */
function lastRequested({ requested }: Conversation): RequestedTurn[] {
  return requested.filter(({ turn }, index) => requested[index + 1]?.turn !== turn);
}

function outcomeOfTurn(requested: RequestedTurn, wasOn: boolean): Outcome {
  if (requested.standIns > 0) return "placeholder";
  if (wasOn && !requested.thinks) return "thinking off";
  if (requested.made === 0) return "none";
  return requested.returned < requested.made ? "left out" : "returned";
}

const byLoss: readonly Outcome[] = ["thinking off", "placeholder", "left out", "returned", "none"];

export interface Walked {
  readonly outcome: Outcome;
  /** Turns that lost something which the vendor demands, without a warning to the client. */
  readonly unwarned: readonly number[];
}

/** Signatures are asked for behind the last words of the user alone: the last turn of the dialogue needs none of before. */
const isDemanded = (outcome: Outcome, turn: number, { remark }: Conversation): boolean =>
  outcome === "thinking off" || (outcome === "placeholder" && turn < turns.length - 1 && remark === "");

/** The worst that happened in any turn. */
export function outcomeOf(conversation: Conversation, received: readonly Reply[]): Walked {
  const requested = lastRequested(conversation);
  const found = requested.map((one) => outcomeOfTurn(one, requested[0]?.thinks === true));
  const outcome = byLoss.find((one) => found.includes(one)) ?? "none";
  const isReported = (turn: number) =>
    /field=(?:reasoning|thinking|generationConfig\.thinkingConfig)/.test(received[turn]?.warnings ?? "");
  const unwarned = found.flatMap((one, turn) =>
    isDemanded(one, turn, conversation) && !isReported(turn) ? [turn] : [],
  );
  return { outcome, unwarned };
}
