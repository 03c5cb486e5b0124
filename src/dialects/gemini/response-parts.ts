// Blocks of a reply as parts for a client, with the state that each part carries.
import type { ThinkingBlock, ToolCallBlock } from "../../canonical/chat.ts";
import type { JsonObject } from "../../lib/json.ts";
import { argumentObject } from "../shared/arguments.ts";
import { wrapCustomInput } from "../shared/custom-tools.ts";
import { nativeOrigin, type SignedThought, unsignedCall, writeState, writeThoughts } from "./signature.ts";

/** What one candidate has said so far. */
export interface Saying {
  /** Thinking of other makers, whose state no part has taken yet. */
  pending: SignedThought[];
  /** The part that shows the last of it. */
  shown: JsonObject | null;
  hasCall: boolean;
  /** Parts so far, a text that comes in pieces counted once. */
  count: number;
}

export function newSaying(): Saying {
  return { pending: [], shown: null, hasCall: false, count: 0 };
}

/** The pending state, and the part that shows its thought; null where nothing is pending. */
function takeState(saying: Saying): { readonly state: string; readonly shown: JsonObject | null } | null {
  const [first, ...others] = saying.pending;
  if (first === undefined) return null;
  const { shown } = saying;
  saying.pending = [];
  saying.shown = null;
  return { state: writeThoughts([first, ...others]), shown };
}

/** State that no part has taken goes on the part that shows its thought, else on one of its own. */
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

/** The part, with the state of thought that nothing shows. */
function carrying(part: JsonObject, saying: Saying): JsonObject {
  const taken = takeState(saying);
  saying.count++;
  if (taken?.shown) taken.shown.thoughtSignature = taken.state;
  return taken === null || taken.shown !== null ? part : { ...part, thoughtSignature: taken.state };
}

/** Text, or the first piece of it. */
export function textPart(text: string, saying: Saying): JsonObject {
  return carrying({ text }, saying);
}

/** Bare samples as this dialect names them: others have no name for the rate, which is the same everywhere. */
const samplesType = "audio/L16;codec=pcm;rate=24000";

/** Bytes of a picture or of speech. */
export function mediaPart(mediaType: string, data: string, saying: Saying): JsonObject {
  return carrying({ inlineData: { mimeType: mediaType === "audio/pcm" ? samplesType : mediaType, data } }, saying);
}

/** Thinking: a part where it has words. State that is pending does not wait for what comes behind other words. */
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

/** The state of a whole thought, whose words end with the part `shown`: clients keep it best on the call that follows. */
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

/** A whole call; null when its input is no JSON. The first call of a reply always carries proof, made up where there is none. */
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
