// Reads one item of an upstream's stream: its deltas first, then the complete item, which has precedence.
import type { TokenLogprob } from "../../canonical/chat.ts";
import type { OpenBlock, StreamEvent } from "../../canonical/stream-event.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { isBlankInput } from "../shared/arguments.ts";
import { parseTokens } from "../shared/openai-logprobs.ts";
import { parseAnnotations } from "./citations.ts";
import { isRedacted, itemState, partBreak, reasoningText } from "./reasoning.ts";
import { callIdOf, callInputOf, callKinds, type Reading } from "./response.ts";

/** A block and the text emitted for it. */
interface BlockState {
  readonly kind: OpenBlock["kind"];
  readonly number: number;
  emitted: string;
  /** Its text had log probabilities. */
  weighed: boolean;
  closed: boolean;
}

/** The state of one item. */
interface ItemState {
  /** The parts of a message by index; the only block of a call or of thinking has index 0. */
  readonly blocks: (BlockState | undefined)[];
  /** The index of the current summary part. */
  summary: number;
  done: boolean;
}

/** The state of the output. */
export interface OutputState extends Reading {
  readonly items: Map<number | string, ItemState>;
  /** Ids of completed items, so that the final response does not repeat them. */
  readonly ids: Set<string>;
  blocks: number;
  hasCalls: boolean;
  hasRefusal: boolean;
  /** Text was forwarded without being read, so the complete item contains nothing new. */
  skimmed: boolean;
}

/** The item of an event: by its index, otherwise by its id. */
function itemAt(state: OutputState, event: JsonObject): ItemState {
  const { output_index: index, item } = event;
  const id = event.item_id ?? (isObject(item) ? item.id : undefined);
  const key = typeof index === "number" ? index : typeof id === "string" ? id : 0;
  const known = state.items.get(key);
  if (known !== undefined) return known;
  const fresh: ItemState = { blocks: [], summary: 0, done: false };
  state.items.set(key, fresh);
  return fresh;
}

function openBlock(state: OutputState, item: ItemState, at: number, open: OpenBlock, out: StreamEvent[]): BlockState {
  const block: BlockState = { kind: open.kind, number: state.blocks++, emitted: "", weighed: false, closed: false };
  item.blocks[at] = block;
  out.push({ type: "block-start", choice: 0, block: block.number, open });
  return block;
}

function closeBlock(
  block: BlockState,
  more: Partial<Extract<StreamEvent, { type: "block-end" }>>,
  out: StreamEvent[],
): void {
  if (block.closed) return;
  block.closed = true;
  out.push({ type: "block-end", choice: 0, block: block.number, ...more });
}

/** The part index of a message; an impossible index counts as the first. */
function partIndex(index: Json | undefined): number {
  return typeof index === "number" && Number.isInteger(index) && index >= 0 && index < 4096 ? index : 0;
}

/** More text of a part of a message. */
export function speak(
  state: OutputState,
  event: JsonObject,
  kind: "text" | "refusal",
  text: string,
  out: StreamEvent[],
  logprobs: TokenLogprob[] | null = null,
): void {
  const item = itemAt(state, event);
  const at = partIndex(event.content_index);
  if (item.done) return;
  if (kind === "refusal") state.hasRefusal = true;
  const block = item.blocks[at] ?? openBlock(state, item, at, { kind }, out);
  if (block.closed || block.kind !== kind) return;
  block.emitted += text;
  const delta = { type: "text", choice: 0, block: block.number, text } as const;
  if (logprobs !== null) block.weighed = true;
  out.push(logprobs === null ? delta : { ...delta, logprobs });
}

/** The rest of the complete text after its deltas. Text that differs from the deltas cannot be corrected any more. */
function missingText(state: OutputState, whole: string, emitted: string): string {
  if (emitted !== "") return whole.startsWith(emitted) ? whole.slice(emitted.length) : "";
  return state.skimmed ? "" : whole;
}

/** The end of a part, from the complete part. */
export function endPart(state: OutputState, event: JsonObject, part: JsonObject, out: StreamEvent[]): void {
  const kind = typeof part.refusal === "string" ? "refusal" : "text";
  const whole = kind === "refusal" ? part.refusal : part.text;
  const item = itemAt(state, event);
  const at = partIndex(event.content_index);
  const citations = kind === "text" ? parseAnnotations(part.annotations) : [];
  const rest = missingText(state, typeof whole === "string" ? whole : "", item.blocks[at]?.emitted ?? "");
  const logprobs = kind === "text" && !item.blocks[at]?.weighed ? parseTokens(part.logprobs) : null;
  if (rest !== "" || (logprobs !== null && whole !== "")) speak(state, event, kind, rest, out, logprobs);
  else if (citations.length > 0 && item.blocks[at] === undefined) openBlock(state, item, at, { kind }, out);
  const block = item.blocks[at];
  if (block !== undefined) closeBlock(block, citations.length > 0 ? { citations } : {}, out);
}

/** More thinking text. The parts of a summary become one text. */
export function think(state: OutputState, event: JsonObject, text: string, out: StreamEvent[]): void {
  const item = itemAt(state, event);
  if (item.done) return;
  const part = partIndex(event.summary_index ?? event.content_index);
  const block = item.blocks[0] ?? openBlock(state, item, 0, { kind: "thinking" }, out);
  if (block.kind !== "thinking" || block.closed) return;
  const addition = part > item.summary && block.emitted !== "" ? `${partBreak}${text}` : text;
  item.summary = Math.max(part, item.summary);
  block.emitted += addition;
  out.push({ type: "thinking", choice: 0, block: block.number, text: addition });
}

/** Opens a call once its name is known. */
export function beginCall(state: OutputState, event: JsonObject, wire: JsonObject, out: StreamEvent[]): void {
  const tool = callKinds.get(wire.type);
  const item = itemAt(state, event);
  if (tool === undefined || item.blocks[0] !== undefined) return;
  if (typeof wire.name !== "string" || wire.name === "") return;
  state.hasCalls = true;
  const open: OpenBlock = { kind: "tool-call", id: callIdOf(wire), name: state.toCanon(wire.name), tool };
  openBlock(state, item, 0, open, out);
}

/** More of a call's input. Input before the name is known is repeated in the complete item. */
export function fill(state: OutputState, event: JsonObject, text: string, out: StreamEvent[]): void {
  const block = itemAt(state, event).blocks[0];
  if (block === undefined || block.closed || block.kind !== "tool-call" || text === "") return;
  block.emitted += text;
  out.push({ type: "tool-input", choice: 0, block: block.number, text });
}

function endCall(state: OutputState, event: JsonObject, wire: JsonObject, out: StreamEvent[]): void {
  beginCall(state, event, wire, out);
  const block = itemAt(state, event).blocks[0];
  if (block === undefined) return;
  fill(state, event, missingText(state, callInputOf(wire), block.emitted), out);
  const kind = callKinds.get(wire.type) ?? "function";
  if (wire.status !== "incomplete" && !state.skimmed && isBlankInput(kind, block.emitted))
    fill(state, event, "{}", out);
  closeBlock(block, {}, out);
}

function endMessage(state: OutputState, event: JsonObject, wire: JsonObject, out: StreamEvent[]): void {
  const parts = Array.isArray(wire.content) ? wire.content : [];
  parts.forEach((part, index) => {
    if (isObject(part)) endPart(state, { ...event, content_index: index }, part, out);
  });
  closeAll(itemAt(state, event), out);
}

function endThought(state: OutputState, event: JsonObject, wire: JsonObject, out: StreamEvent[]): void {
  const item = itemAt(state, event);
  const signature = itemState(wire, state.origin);
  const rest = missingText(state, reasoningText(wire), item.blocks[0]?.emitted ?? "");
  item.summary = Number.MAX_SAFE_INTEGER;
  if (rest !== "") think(state, event, rest, out);
  if (item.blocks[0] === undefined && signature !== undefined) {
    openBlock(state, item, 0, isRedacted(wire) ? { kind: "thinking", redacted: true } : { kind: "thinking" }, out);
  }
  const block = item.blocks[0];
  if (block !== undefined) closeBlock(block, signature === undefined ? {} : { signature }, out);
}

const ends: ReadonlyMap<unknown, typeof endCall> = new Map<unknown, typeof endCall>([
  ["message", endMessage],
  ["reasoning", endThought],
  ["function_call", endCall],
  ["custom_tool_call", endCall],
]);

/** The complete item: emits what its deltas left out. */
export function endItem(state: OutputState, event: JsonObject, wire: JsonObject, out: StreamEvent[]): void {
  const item = itemAt(state, event);
  if (item.done) return;
  ends.get(wire.type)?.(state, event, wire, out);
  closeAll(item, out);
  item.done = true;
  if (typeof wire.id === "string") state.ids.add(wire.id);
}

/** Closes what an item left open. */
export function closeAll(item: ItemState, out: StreamEvent[]): void {
  for (const block of item.blocks) if (block !== undefined) closeBlock(block, {}, out);
}
