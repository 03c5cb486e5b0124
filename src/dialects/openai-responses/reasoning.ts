// Thinking on this wire: reasoning items, whose text is a summary and whose state only their maker can read.
import type { Effort, Reasoning, ThinkingBlock } from "../../canonical/chat.ts";
import {
  isShownOpaque,
  type ProviderState,
  unwrapCallState,
  unwrapProviderState,
  wrapCallState,
  wrapProviderState,
} from "../../canonical/provider-state.ts";
import { isObject, type Json, type JsonObject, omitUndefined, parseJsonText } from "../../lib/json.ts";
import type { ModelQuery } from "../shared/model-table.ts";
import { effortsOf } from "../shared/openai-models.ts";
import { renderEffort } from "../shared/openai-reasoning-effort.ts";
import type { Warnings } from "../shared/warnings.ts";
import { isOurs } from "./ids.ts";

/** The maker of state that clients of this dialect hold bare. */
export const nativeOrigin = "openai";

/** Asks for the state, without which a server that keeps nothing cannot go on thinking. */
export const stateInclude = "reasoning.encrypted_content";

/** Between the parts of a summary, which canon holds as one text. */
export const partBreak = "\n\n";

function joined(parts: Json | undefined): string {
  if (!Array.isArray(parts)) return "";
  const texts = parts.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : ""));
  return texts.filter((text) => text !== "").join(partBreak);
}

/** The visible text: the summary, else the thoughts themselves. */
export function reasoningText(item: JsonObject): string {
  return joined(item.summary) || joined(item.content);
}

/**
 * The state of a reasoning item. Its maker wants it back under the id that it gave, so the state is both; an envelope
 * of ours holds what it holds.
 */
export function itemState(item: JsonObject, origin: string): ProviderState | undefined {
  const sealed = item.encrypted_content;
  if (typeof sealed !== "string" || sealed === "") return undefined;
  const wrapped = unwrapProviderState(sealed);
  if (wrapped !== null) return wrapped.data === "" ? undefined : wrapped;
  const id = typeof item.id === "string" && item.id !== "" && !isOurs(item.id) ? { id: item.id } : {};
  return { origin, data: JSON.stringify({ ...id, encrypted_content: sealed }) };
}

/** The state of a call, when this item only carries that. */
export function callState(item: JsonObject): ProviderState | null {
  const sealed = item.encrypted_content;
  return typeof sealed === "string" ? unwrapCallState(sealed) : null;
}

/** Without words there is only the state, unless its envelope says that there never were any. */
export function isRedacted(item: JsonObject): boolean {
  const sealed = item.encrypted_content;
  return reasoningText(item) === "" && !(typeof sealed === "string" && isShownOpaque(sealed));
}

/** A reasoning item as a block; null when it holds neither text nor state. */
export function parseReasoningItem(item: JsonObject, origin: string): ThinkingBlock | null {
  const text = reasoningText(item);
  const signature = itemState(item, origin);
  if (text === "" && signature === undefined) return null;
  return {
    type: "thinking",
    text,
    ...(signature === undefined ? {} : { signature }),
    ...(isRedacted(item) ? { redacted: true } : {}),
  };
}

/** The summary that carries a text. */
export function summaryOf(text: string): JsonObject[] {
  return text === "" ? [] : [{ type: "summary_text", text }];
}

/** What a state belongs to: a thought, one that may be shown though it has no words, or the call before it. */
export type StateOwner = "thought" | "wordless-thought" | "call";

/** Whose state the state of this thought is. */
export function ownerOf({ text, redacted }: Pick<ThinkingBlock, "text" | "redacted">): StateOwner {
  return text === "" && redacted !== true ? "wordless-thought" : "thought";
}

/** State for a client, in an envelope. */
export function sealedState(state: ProviderState, of: StateOwner): string {
  return of === "call" ? wrapCallState(state) : wrapProviderState(state, of === "wordless-thought");
}

/** The members that bring state back to its maker; null for state of another dialect's making. */
export function nativeState(state: ProviderState): JsonObject | null {
  const members = parseJsonText(state.data);
  if (!isObject(members)) return { encrypted_content: state.data };
  return typeof members.encrypted_content === "string" ? members : null;
}

/** History's thinking as an item for the server that made it; what others thought, or nobody signed, is none. */
export function replayedItem(block: ThinkingBlock, origin: string): JsonObject | null {
  const { signature } = block;
  const members = signature?.origin === origin ? nativeState(signature) : null;
  return members === null ? null : { type: "reasoning", ...members, summary: summaryOf(block.text) };
}

/** `reasoning`: effort, and whether the client wants to see a summary under either of its names. */
export function parseReasoning(wire: Json | undefined, effortUpdate: Json | undefined): { reasoning?: Reasoning } {
  const fields = isObject(wire) ? wire : {};
  const effort = typeof effortUpdate === "string" ? effortUpdate : fields.effort;
  const summary = fields.summary ?? fields.generate_summary;
  const reasoning: Reasoning = {
    ...(typeof effort === "string" ? { effort: effort as Effort } : {}),
    ...(typeof summary === "string" ? { show: summary !== "none" } : {}),
  };
  return Object.keys(reasoning).length === 0 ? {} : { reasoning };
}

/** True when the client asked for thought at all; summaries are worth asking for only then. */
function isWanted(reasoning: Reasoning, effort: Effort | undefined): boolean {
  if (reasoning.hint || reasoning.show === false || effort === "none") return false;
  return effort !== undefined || reasoning.adaptive === true || reasoning.show === true;
}

/** The member `reasoning`; undefined where nothing was asked. */
export function renderReasoning(reasoning: Reasoning | undefined, warnings: Warnings): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  const effort = renderEffort(reasoning, warnings);
  // A model that refuses an effort has nothing to summarize either.
  const isShown = isWanted(reasoning, effort) && effortsOf(warnings.context)?.length !== 0;
  const fields = omitUndefined({ effort, summary: isShown ? "auto" : undefined });
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Whether state has to be asked for: of models known to think, and of any that is told to. Others refuse the wish. */
export function thinks(query: ModelQuery, reasoning: JsonObject | undefined): boolean {
  if (reasoning !== undefined && Object.keys(reasoning).length > 0) return reasoning.effort !== "none";
  return effortsOf(query)?.[0] !== undefined;
}
