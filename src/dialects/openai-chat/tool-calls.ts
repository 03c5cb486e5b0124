// Tool calls of a message, in the history and in replies, including the legacy `function_call`.
import { createHash } from "node:crypto";
import type { ToolCallBlock } from "../../canonical/chat.ts";
import { type ProviderState, readProviderState } from "../../canonical/provider-state.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { inputText } from "../shared/arguments.ts";
import { callInput, type ToolFinder } from "../shared/tool-names.ts";

const maxIdChars = 40;
const shortHashChars = 8;

/** An id within the length that servers accept. It depends only on the id, so call and result get the same one. */
export function wireId(id: string): string {
  if (id.length <= maxIdChars) return id;
  const hash = createHash("sha256").update(id).digest("hex").slice(0, shortHashChars);
  return `${id.slice(0, maxIdChars - shortHashChars - 1)}_${hash}`;
}

/** An id for a call without one. It depends only on the reply. */
export function madeId(replyId: string, choice: number, ordinal: number): string {
  return `call_${replyId.replace(/[^A-Za-z0-9_-]/g, "_").slice(-24)}_${choice}_${ordinal}`;
}

/** The signature that Google's compatible endpoint adds to a call. */
export function readSignature(call: JsonObject, origin: string): ProviderState | undefined {
  const extra = call.extra_content;
  const google = isObject(extra) ? extra.google : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  return typeof signature === "string" && signature !== "" ? readProviderState(signature, origin) : undefined;
}

/** The member of a call that carries a signature. */
export function signatureMember(text: string): JsonObject {
  return { extra_content: { google: { thought_signature: text } } };
}

/** One entry of `tool_calls`; null when it has no name. `madeUp` is used as id if it has none. */
export function parseCall(call: JsonObject, origin: string, madeUp: string): ToolCallBlock | null {
  const custom = isObject(call.custom) && call.type !== "function" ? call.custom : undefined;
  const body = custom ?? (isObject(call.function) ? call.function : undefined);
  if (body === undefined || typeof body.name !== "string" || body.name === "") return null;
  const kind = custom === undefined ? "function" : "custom";
  const input = inputText(custom === undefined ? body.arguments : body.input);
  const signature = readSignature(call, origin);
  return {
    type: "tool-call",
    id: typeof call.id === "string" && call.id !== "" ? call.id : madeUp,
    name: body.name,
    kind,
    input,
    ...(signature === undefined ? {} : { signature }),
  };
}

/** A call as the client requested the tool: by its own name, and as free text if a function replaced it. */
export function asRequestedTool(block: ToolCallBlock, tools: ToolFinder): ToolCallBlock {
  const { name, kind } = tools(block.name);
  if (kind === block.kind || block.kind === "custom") return { ...block, name };
  return { ...block, name, kind, input: callInput(kind, block.input) };
}

/** The legacy form of a call. */
export function parseFunctionCall(call: JsonObject, id: string): ToolCallBlock | null {
  return parseCall({ id, function: call }, "", id);
}

/** One entry of `tool_calls`. `signature` is the text for this reader. */
export function renderCall(block: ToolCallBlock, signature?: string): JsonObject {
  const { name, kind, input } = block;
  const body = kind === "custom" ? { custom: { name, input } } : { function: { name, arguments: input } };
  return omitUndefined({
    id: block.id,
    type: kind,
    ...body,
    ...(signature === undefined ? {} : signatureMember(signature)),
  });
}
