// Thinking on this wire: text in `reasoning_content`, opaque state of each block in `reasoning_details`.
import type { ThinkingBlock } from "../../canonical/chat.ts";
import {
  type ProviderState,
  readProviderState,
  unwrapProviderState,
  wrapProviderState,
} from "../../canonical/provider-state.ts";
import { isObject, type Json, type JsonObject, omitUndefined, parseJsonText } from "../../lib/json.ts";

const textEntry = "reasoning.text";
const sealedEntry = "reasoning.encrypted";

function filled(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The visible text of a message or a delta, under either name. */
export function thinkingText(message: JsonObject): string | undefined {
  return filled(message.reasoning_content) ?? filled(message.reasoning);
}

/** The visible text of one entry of `reasoning_details`. */
export function detailText(detail: JsonObject): string {
  return filled(detail.text) ?? filled(detail.summary) ?? "";
}

/** Whether an entry contains only state. */
export function isSealed(detail: JsonObject): boolean {
  return detail.type === sealedEntry || (filled(detail.data) !== undefined && detailText(detail) === "");
}

/** The members other than the text, in a fixed order, so that streams and complete replies give the same state. */
function stateMembers(detail: JsonObject): JsonObject {
  const members: JsonObject = {};
  for (const name of Object.keys(detail).sort()) {
    if (name !== "text" && name !== "summary" && detail[name] !== null) members[name] = detail[name];
  }
  return members;
}

/**
 * The state of an entry. Servers require their entries back with every member, so the state is the entry without its
 * text. For an envelope of the gateway it is the content.
 */
export function detailState(detail: JsonObject, origin: string): ProviderState | undefined {
  const token = filled(detail.signature) ?? filled(detail.data);
  if (token === undefined) return undefined;
  const wrapped = unwrapProviderState(token);
  if (wrapped !== null) return wrapped;
  return readProviderState(JSON.stringify(stateMembers(detail)), origin);
}

function thinkingBlock(detail: JsonObject, origin: string): ThinkingBlock {
  const signature = detailState(detail, origin);
  return {
    type: "thinking",
    text: isSealed(detail) ? "" : detailText(detail),
    ...(signature === undefined ? {} : { signature }),
    ...(isSealed(detail) ? { redacted: true } : {}),
  };
}

function isWorthKeeping(block: ThinkingBlock): boolean {
  return block.text !== "" || block.signature !== undefined;
}

/** The thinking of a complete message, from the history or a reply. `origin` made the state outside envelopes. */
export function parseThinking(message: JsonObject, origin: string): ThinkingBlock[] {
  const text = thinkingText(message);
  const details = Array.isArray(message.reasoning_details) ? message.reasoning_details.filter(isObject) : [];
  const blocks = details.map((detail) => thinkingBlock(detail, origin)).filter(isWorthKeeping);
  if (blocks.some((block) => block.text !== "") || text === undefined) return blocks;
  const [first, ...others] = blocks;
  if (first === undefined || first.redacted) return [{ type: "thinking", text }, ...blocks];
  return [{ ...first, text }, ...others];
}

/** The entry of one block for a client: state is in an envelope, so that it comes back unchanged. */
export function clientDetail(block: ThinkingBlock, index: number): JsonObject {
  const envelope = block.signature === undefined ? undefined : wrapProviderState(block.signature);
  if (block.redacted) return omitUndefined({ type: sealedEntry, data: envelope, index });
  return omitUndefined({ type: textEntry, text: block.text, signature: envelope, index });
}

/** A reply's thinking for a client. Details are included where the text is not enough to restore the blocks. */
export function renderThinking(blocks: readonly ThinkingBlock[]): JsonObject {
  if (blocks.length === 0) return {};
  const text = blocks.map((block) => block.text).join("");
  const isPlain = blocks.length === 1 && blocks[0]?.signature === undefined;
  return omitUndefined({
    reasoning_content: text === "" ? undefined : text,
    reasoning_details: isPlain ? undefined : blocks.map(clientDetail),
  });
}

/** The entry as the server that made the state returned it. */
export function nativeDetail(state: ProviderState, text: string, redacted: boolean): JsonObject {
  const entry = parseJsonText(state.data);
  if (isObject(entry)) {
    if (isSealed(entry)) return entry;
    return { ...entry, [entry.type === "reasoning.summary" ? "summary" : "text"]: text };
  }
  if (redacted) return { type: sealedEntry, data: state.data };
  return { type: textEntry, text, signature: state.data };
}

/**
 * The history's thinking for the server that made it. Thinking signed by others is left out, and so is unsigned
 * thinking unless the server requires it (`keepsUnsigned`).
 */
export function replayThinking(blocks: readonly ThinkingBlock[], origin: string, keepsUnsigned: boolean): JsonObject {
  const details: JsonObject[] = [];
  let visible = "";
  for (const { signature, text, redacted } of blocks) {
    if (signature === undefined ? !keepsUnsigned : signature.origin !== origin) continue;
    if (signature !== undefined) details.push(nativeDetail(signature, text, redacted === true));
    visible += text;
  }
  return omitUndefined({
    reasoning_content: visible === "" ? undefined : visible,
    reasoning_details: details.length === 0 ? undefined : details,
  });
}
