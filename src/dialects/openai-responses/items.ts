// The output items of a complete reply. A stream ends each of its items with the same object.
import type { Block, Choice, Citation, TokenLogprob, ToolCallBlock } from "../../canonical/chat.ts";
import type { ProviderState } from "../../canonical/provider-state.ts";
import { type JsonObject, omitUndefined } from "../../lib/json.ts";
import { isBlankInput } from "../shared/arguments.ts";
import { renderTokens } from "../shared/openai-logprobs.ts";
import { renderAnnotations } from "./citations.ts";
import { type ItemKind, itemId } from "./ids.ts";
import { ownerOf, type StateOwner, sealedState, summaryOf } from "./reasoning.ts";
import type { NamedTool } from "./tool-namespaces.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** A part of a message. */
export function textPart(
  text: string,
  citations: readonly Citation[] | undefined,
  logprobs: readonly TokenLogprob[] = [],
): JsonObject {
  const annotations = renderAnnotations(citations, text);
  return { type: "output_text", annotations, logprobs: renderTokens(logprobs), text };
}

export function refusalPart(text: string): JsonObject {
  return { type: "refusal", refusal: text };
}

export function messageItem(id: string, status: ItemStatus, content: readonly JsonObject[]): JsonObject {
  return { id, type: "message", status, role: "assistant", content: [...content] };
}

/** The members of a call other than its input. */
export interface Called {
  readonly callId: string;
  readonly tool: NamedTool;
  readonly kind: ToolCallBlock["kind"];
}

/** A call of a function or of a free text tool. Only a cut call may lack its input. */
export function callItem(id: string, status: ItemStatus, called: Called, input: string): JsonObject {
  const { callId, tool, kind } = called;
  const common = { id, status, call_id: callId, name: tool.name, namespace: tool.namespace };
  if (kind === "custom") return omitUndefined({ type: "custom_tool_call", ...common, input });
  const isBlank = status === "completed" && isBlankInput(kind, input);
  return omitUndefined({ type: "function_call", ...common, arguments: isBlank ? "{}" : input });
}

export function callKind(kind: ToolCallBlock["kind"]): ItemKind {
  return kind === "custom" ? "custom_tool_call" : "function_call";
}

/** `sealed` is state in an envelope. */
export function reasoningItem(id: string, status: ItemStatus, text: string, sealed: string | undefined): JsonObject {
  return omitUndefined({ id, type: "reasoning", status, summary: summaryOf(text), encrypted_content: sealed });
}

/** An item without its id and status. */
interface Draft {
  readonly kind: ItemKind;
  readonly parts?: JsonObject[];
  make(id: string, status: ItemStatus): JsonObject;
}

function messageDraft(): Draft & { readonly parts: JsonObject[] } {
  const parts: JsonObject[] = [];
  return { kind: "message", parts, make: (id, status) => messageItem(id, status, parts) };
}

function stateDraft(text: string, state: ProviderState | undefined, of: StateOwner): Draft {
  const sealed = state === undefined ? undefined : sealedState(state, of);
  return { kind: "reasoning", make: (id, status) => reasoningItem(id, status, text, sealed) };
}

function partOf(block: Block): JsonObject | null {
  if (block.type === "refusal") return block.text === "" ? null : refusalPart(block.text);
  if (block.type !== "text" || (block.text === "" && !block.citations?.length)) return null;
  return textPart(block.text, block.citations, block.logprobs);
}

function callDrafts(block: ToolCallBlock, nameOf: (name: string) => NamedTool): Draft[] {
  const called: Called = { callId: block.id, tool: nameOf(block.name), kind: block.kind };
  const call: Draft = {
    kind: callKind(block.kind),
    make: (id, status) => callItem(id, status, called, block.input),
  };
  return block.signature === undefined ? [call] : [call, stateDraft("", block.signature, "call")];
}

/** Adjacent text blocks are the parts of one message. Blocks that this wire does not have are left out. */
function draftsOf(blocks: readonly Block[], nameOf: (name: string) => NamedTool): Draft[] {
  const drafts: Draft[] = [];
  for (const block of blocks) {
    const part = partOf(block);
    if (part !== null) {
      const last = drafts.at(-1)?.parts;
      if (last !== undefined) last.push(part);
      else {
        const message = messageDraft();
        message.parts.push(part);
        drafts.push(message);
      }
    } else if (block.type === "tool-call") drafts.push(...callDrafts(block, nameOf));
    else if (block.type === "thinking" && (block.text !== "" || block.signature !== undefined)) {
      drafts.push(stateDraft(block.text, block.signature, ownerOf(block)));
    }
  }
  return drafts;
}

/** The output of a reply. If it was cut, the last item is incomplete. */
export function renderItems(
  choice: Choice,
  response: string,
  nameOf: (name: string) => NamedTool,
  isCut: boolean,
): JsonObject[] {
  const drafts = draftsOf(choice.blocks, nameOf);
  return drafts.map(({ kind, make }, index) => {
    const status = isCut && index === drafts.length - 1 ? "incomplete" : "completed";
    return make(itemId(kind, response, index), status);
  });
}
