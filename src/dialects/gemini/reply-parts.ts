// Blocks of a reply as parts for a client, with the state that each part carries.
import type { ToolCallBlock } from "../../canon/conversation.ts";
import type { Opaque } from "../../canon/opaque.ts";
import type { JsonObject } from "../../lib/json.ts";
import { argumentObject } from "../shared/arguments.ts";
import { wrapFreeText } from "../shared/free-text.ts";
import { unsignedCall, writeState } from "./signature.ts";

/** What one candidate has said so far. `held`: another maker's state, which goes on the next part that is no thought. */
export interface Saying {
  held: string | null;
  hasCall: boolean;
  /** Parts so far, a text that comes in pieces counted once. */
  count: number;
}

export function newSaying(): Saying {
  return { held: null, hasCall: false, count: 0 };
}

/** State for which there was no part. */
export function heldParts(saying: Saying): JsonObject[] {
  const { held } = saying;
  if (held === null) return [];
  saying.held = null;
  saying.count++;
  return [{ text: "", thoughtSignature: held }];
}

function carrying(part: JsonObject, saying: Saying): JsonObject {
  const { held } = saying;
  saying.held = null;
  saying.count++;
  return held === null ? part : { ...part, thoughtSignature: held };
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

/** Thought that may be shown. */
export function thoughtParts(text: string, signature: Opaque | undefined, saying: Saying): JsonObject[] {
  const before = heldParts(saying);
  saying.count++;
  return [
    ...before,
    { text, thought: true, ...(signature === undefined ? {} : { thoughtSignature: writeState(signature) }) },
  ];
}

/** Thought of which there is only the state. */
export function holdState(signature: Opaque | undefined, saying: Saying): JsonObject[] {
  if (signature === undefined) return [];
  const before = heldParts(saying);
  saying.held = writeState(signature);
  return before;
}

/** A whole call; null when its input is no JSON. The first call of a reply always carries proof, made up where there is none. */
export function callParts(
  call: Pick<ToolCallBlock, "id" | "name" | "kind" | "input" | "signature">,
  saying: Saying,
): JsonObject[] | null {
  const args = call.kind === "custom" ? wrapFreeText(call.input) : argumentObject(call.input);
  if (args === null) return null;
  const before = call.signature === undefined ? [] : heldParts(saying);
  const part = carrying({ functionCall: { id: call.id, name: call.name, args } }, saying);
  if (call.signature !== undefined) part.thoughtSignature = writeState(call.signature);
  else if (!saying.hasCall) part.thoughtSignature ??= unsignedCall;
  saying.hasCall = true;
  return [...before, part];
}
