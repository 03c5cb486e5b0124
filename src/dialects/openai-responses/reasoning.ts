// Thinking on this wire: reasoning items with a summary as text and with encrypted state.
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

/** The origin of state that clients of this dialect receive without an envelope. */
export const nativeOrigin = "openai";

/** Requests the state, which a model needs to continue its reasoning when the server does not store it. */
export const stateInclude = "reasoning.encrypted_content";

/** Separates the parts of a summary, which are one text in the canonical model. */
export const partBreak = "\n\n";

function joined(parts: Json | undefined): string {
  if (!Array.isArray(parts)) return "";
  const texts = parts.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : ""));
  return texts.filter((text) => text !== "").join(partBreak);
}

/** The visible text: the summary, otherwise the reasoning text. */
export function reasoningText(item: JsonObject): string {
  return joined(item.summary) || joined(item.content);
}

/**
 * The state of a reasoning item. The provider requires it back under the same id, so the state contains both. For an
 * envelope of the gateway it is the content.
 */
export function itemState(item: JsonObject, origin: string): ProviderState | undefined {
  const sealed = item.encrypted_content;
  if (typeof sealed !== "string" || sealed === "") return undefined;
  const wrapped = unwrapProviderState(sealed);
  if (wrapped !== null) return wrapped.data === "" ? undefined : wrapped;
  const id = typeof item.id === "string" && item.id !== "" && !isOurs(item.id) ? { id: item.id } : {};
  return { origin, data: JSON.stringify({ ...id, encrypted_content: sealed }) };
}

/** The state of a call, when this item carries only that. */
export function callState(item: JsonObject): ProviderState | null {
  const sealed = item.encrypted_content;
  return typeof sealed === "string" ? unwrapCallState(sealed) : null;
}

/** Without text there is only state, unless its envelope marks thinking that never had text. */
export function isRedacted(item: JsonObject): boolean {
  const sealed = item.encrypted_content;
  return reasoningText(item) === "" && !(typeof sealed === "string" && isShownOpaque(sealed));
}

/** A reasoning item as a block; null when it has neither text nor state. */
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

/** What a state belongs to: thinking, visible thinking without text, or the call before it. */
export type StateOwner = "thought" | "wordless-thought" | "call";

/** The owner of this block's state. */
export function ownerOf({ text, redacted }: Pick<ThinkingBlock, "text" | "redacted">): StateOwner {
  return text === "" && redacted !== true ? "wordless-thought" : "thought";
}

/** State for a client, in an envelope. */
export function sealedState(state: ProviderState, of: StateOwner): string {
  return of === "call" ? wrapCallState(state) : wrapProviderState(state, of === "wordless-thought");
}

/** The members that return state to its provider; null for state of another dialect. */
export function nativeState(state: ProviderState): JsonObject | null {
  const members = parseJsonText(state.data);
  if (!isObject(members)) return { encrypted_content: state.data };
  return typeof members.encrypted_content === "string" ? members : null;
}

/**
 * Thinking in the history as an item for the server that made it; null for unsigned thinking or that of other
 * providers.
 */
export function replayedItem(block: ThinkingBlock, origin: string): JsonObject | null {
  const { signature } = block;
  const members = signature?.origin === origin ? nativeState(signature) : null;
  return members === null ? null : { type: "reasoning", ...members, summary: summaryOf(block.text) };
}

/** Reads `reasoning`: effort, and whether the client requests a summary, under either of its names. */
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

/** Whether the client requested reasoning; only then is a summary requested. */
function isWanted(reasoning: Reasoning, effort: Effort | undefined): boolean {
  if (reasoning.hint || reasoning.show === false || effort === "none") return false;
  return effort !== undefined || reasoning.adaptive === true || reasoning.show === true;
}

/** The member `reasoning`; undefined when nothing was requested. */
export function renderReasoning(reasoning: Reasoning | undefined, warnings: Warnings): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  const effort = renderEffort(reasoning, warnings);
  // A model that refuses an effort has no summary either.
  const isShown = isWanted(reasoning, effort) && effortsOf(warnings.context)?.length !== 0;
  const fields = omitUndefined({ effort, summary: isShown ? "auto" : undefined });
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Whether state must be requested: for reasoning models, and when reasoning is requested. Other models refuse it. */
export function thinks(query: ModelQuery, reasoning: JsonObject | undefined): boolean {
  if (reasoning !== undefined && Object.keys(reasoning).length > 0) return reasoning.effort !== "none";
  return effortsOf(query)?.[0] !== undefined;
}
