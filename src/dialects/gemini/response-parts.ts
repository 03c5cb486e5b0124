// Blocks of a reply as parts for a client, with the state that each part carries.
import type { ThinkingBlock, ToolCallBlock } from "../../canonical/chat.ts";
import type { JsonObject } from "../../lib/json.ts";
import { argumentObject } from "../shared/arguments.ts";
import { wrapCustomInput } from "../shared/custom-tools.ts";
import { nativeOrigin, type SignedThought, unsignedCall, writeState, writeThoughts } from "./signature.ts";

/** What has been written of one candidate. */
export interface Saying {
  /** Thinking of other providers whose state no part carries yet. */
  pending: SignedThought[];
  /** The part that shows the last of this thinking. */
  shown: JsonObject | null;
  hasCall: boolean;
  /** Number of parts so far; a text in several fragments counts once. */
  count: number;
}

export function newSaying(): Saying {
  return { pending: [], shown: null, hasCall: false, count: 0 };
}

/** Takes the pending state and the part that shows its thinking; null when nothing is pending. */
function takeState(saying: Saying): { readonly state: string; readonly shown: JsonObject | null } | null {
  const [first, ...others] = saying.pending;
  if (first === undefined) return null;
  const { shown } = saying;
  saying.pending = [];
  saying.shown = null;
  return { state: writeThoughts([first, ...others]), shown };
}

/** Parts for state that no other part carries: the part that shows its thinking, otherwise one of its own. */
export function heldParts(saying: Saying): JsonObject[] {
  const taken = takeState(saying);
  if (taken === null) return [];
  if (taken.shown !== null) {
    taken.shown.thoughtSignature = taken.state;
    return [];
  }
  saying.count++;
  return [{ text: "", thoughtSignature: taken.state }];
}

/** The part, with the pending state of thinking that is not shown. */
function carrying(part: JsonObject, saying: Saying): JsonObject {
  const taken = takeState(saying);
  saying.count++;
  if (taken?.shown) taken.shown.thoughtSignature = taken.state;
  return taken === null || taken.shown !== null ? part : { ...part, thoughtSignature: taken.state };
}

/** A text, or its first fragment. */
export function textPart(text: string, saying: Saying): JsonObject {
  return carrying({ text }, saying);
}

/**
 * The media type of raw samples in this dialect. Other dialects do not state the sample rate, which is always this
 * one.
 */
const samplesType = "audio/L16;codec=pcm;rate=24000";

/** A part with the bytes of an image or audio. */
export function mediaPart(mediaType: string, data: string, saying: Saying): JsonObject {
  return carrying({ inlineData: { mimeType: mediaType === "audio/pcm" ? samplesType : mediaType, data } }, saying);
}

/** Thinking: a part if it has text. Pending state is written before other thinking. */
export function thoughtParts(block: ThinkingBlock, saying: Saying): JsonObject[] {
  if (block.text === "") {
    prove(block, null, saying);
    return [];
  }
  const before = heldParts(saying);
  const part: JsonObject = { text: block.text, thought: true };
  saying.count++;
  prove(block, part, saying);
  return [...before, part];
}

/**
 * The state of a complete thinking block whose text ends with the part `shown`. Clients keep it most reliably on the
 * following call.
 */
export function prove(block: ThinkingBlock, shown: JsonObject | null, saying: Saying): void {
  const { signature } = block;
  if (signature === undefined) return;
  if (signature.origin === nativeOrigin && shown !== null) {
    shown.thoughtSignature = signature.data;
    return;
  }
  saying.pending.push({ ...block, signature });
  if (shown !== null) saying.shown = shown;
}

/**
 * A complete call; null when its input is not JSON. The first call of a reply always carries a signature, a dummy if
 * there is none.
 */
export function callParts(
  call: Pick<ToolCallBlock, "id" | "name" | "kind" | "input" | "signature">,
  saying: Saying,
): JsonObject[] | null {
  const args = call.kind === "custom" ? wrapCustomInput(call.input) : argumentObject(call.input);
  if (args === null) return null;
  const before = call.signature === undefined ? [] : heldParts(saying);
  const proof = call.signature === undefined ? takeState(saying)?.state : writeState(call.signature);
  const signature = proof ?? (saying.hasCall ? undefined : unsignedCall);
  saying.count++;
  saying.hasCall = true;
  const part = { functionCall: { id: call.id, name: call.name, args } };
  return [...before, signature === undefined ? part : { ...part, thoughtSignature: signature }];
}
