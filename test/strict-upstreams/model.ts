// The model behind a strict upstream: the parts of one turn of the dialogue, with ids and signatures of the vendor's kind.
import type { Part } from "./conversation.ts";
import { turns } from "./dialogue.ts";

export interface Playing {
  /** Null where this turn does not think; without a text where the thought is not shown. */
  readonly thought: { readonly shown: boolean; readonly state?: string } | null;
  readonly callId: (index: number, name: string) => string;
  /** The state on a call, where the vendor signs calls. */
  readonly callState?: (index: number) => string | undefined;
  /** The state on the text of a turn that makes no calls. */
  readonly textState?: string;
}

const stateOf = (state: string | undefined) => (state === undefined ? {} : { state });

/** The parts of a turn: the thought, the text, the calls. */
export function play(turn: number, { thought, callId, callState, textState }: Playing): Part[] {
  const scripted = turns[turn];
  if (scripted === undefined) throw new Error(`the dialogue has no turn ${turn}`);
  const thinking: Part[] =
    thought === null
      ? []
      : [{ kind: "thinking", text: thought.shown ? scripted.thinking : "", ...stateOf(thought.state) }];
  const ownState = scripted.calls.length === 0 ? stateOf(textState) : {};
  const text: Part[] = scripted.text === "" ? [] : [{ kind: "text", text: scripted.text, ...ownState }];
  const calls = scripted.calls.map(
    ({ name, input }, index): Part => ({
      kind: "call",
      id: callId(index, name),
      name,
      input,
      ...stateOf(callState?.(index)),
    }),
  );
  return [...thinking, ...text, ...calls];
}
