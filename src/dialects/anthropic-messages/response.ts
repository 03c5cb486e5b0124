// A complete reply of this dialect, to and from the canonical model.
import type { Block, ChatResponse, Choice, ThinkingBlock } from "../../canonical/chat.ts";
import { type ProviderState, wrapCallState } from "../../canonical/provider-state.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ReadContext, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { argumentObject } from "../shared/arguments.ts";
import { wrapCustomInput } from "../shared/custom-tools.ts";
import { callInput, cleanId, type ToolFinder } from "../shared/tool-names.ts";
import { charsIn, estimatedUsage } from "../shared/usage-estimate.ts";
import { citationsForClient, readCitations } from "./citations.ts";
import { parseErrorEvent } from "./error.ts";
import { readStop, writeStop } from "./finish-reason.ts";
import { expectsThinking } from "./reasoning.ts";
import { callState, readSignature, writeSignature } from "./signature.ts";
import { readOutput } from "./structured-output-tool.ts";
import { toolFinder } from "./tool-names.ts";
import { readUsage, writeUsage } from "./usage.ts";
import { messageMembers, objectsIn, textBlock, toolUseBlock } from "./wire-members.ts";

/** The origin of the state in a reply, and the names of its tools. */
interface Reading {
  readonly origin: string;
  readonly tools: ToolFinder;
}

type BlockReader = (wire: JsonObject, reading: Reading) => Block;

const textOf = (wire: JsonObject, name: string): string => (typeof wire[name] === "string" ? wire[name] : "");

/** Blocks of other types are tools that the server ran, which only clients of this dialect can read. */
const readers = new Map<unknown, BlockReader>([
  ["text", (wire) => ({ type: "text", text: textOf(wire, "text"), ...readCitations(wire["citations"]) })],
  ["thinking", readThinking],
  ["redacted_thinking", readRedacted],
  ["tool_use", readCall],
]);

function readThinking(wire: JsonObject, { origin }: Reading): Block {
  const signature = readSignature(wire["signature"], origin);
  return { type: "thinking", text: textOf(wire, "thinking"), ...(signature ? { signature } : {}) };
}

function readRedacted(wire: JsonObject, { origin }: Reading): Block {
  const signature = readSignature(wire["data"], origin);
  return { type: "thinking", text: "", ...(signature ? { signature } : {}), redacted: true };
}

function readCall(wire: JsonObject, { tools }: Reading): Block {
  const { name, kind } = tools(textOf(wire, "name"));
  const input = callInput(kind, JSON.stringify(wire["input"] ?? {}));
  return { type: "tool-call", id: textOf(wire, "id"), name, kind, input };
}

/** The canonical reply. Throws the error that the body contains, or `upstream_protocol_error`. */
export function parseResponse(wire: unknown, context: ReadContext): ChatResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("expected a JSON object");
  if (wire["type"] === "error" || (isObject(wire["error"]) && wire["content"] === undefined))
    throw parseErrorEvent(wire);
  if (!Array.isArray(wire["content"])) throw invalidUpstreamResponse("the response has no content");
  return readOutput(readMessage(wire, { origin: context.origin, tools: toolFinder(context) }), context.request);
}

/** The blocks in order. A call gets the state that the thinking block before it carried. */
function readBlocks(content: readonly JsonObject[], reading: Reading): Block[] {
  let proof: ProviderState | null = null;
  return content.flatMap((wire) => {
    const block = readers.get(wire["type"])?.(wire, reading);
    proof = callState(wire["signature"]) ?? proof;
    if (block?.type !== "tool-call" || proof === null) return block ?? [];
    const signature = proof;
    proof = null;
    return { ...block, signature };
  });
}

/** The canonical reply of a message. Converse and others convert their replies to this form first. */
export function readMessage(wire: JsonObject, reading: Reading): ChatResponse {
  const blocks = readBlocks(objectsIn(wire["content"]), reading);
  const hasCall = blocks.some((block) => block.type === "tool-call");
  const usage = readUsage(wire["usage"]);
  return {
    operation: "chat",
    id: textOf(wire, "id"),
    model: textOf(wire, "model"),
    choices: [{ index: 0, blocks, finishReason: readStop(wire, hasCall) }],
    ...(usage ? { usage } : {}),
  };
}

/** A call cut off by the output limit is left out; any other malformed call is an error. */
function writeCall(block: Extract<Block, { type: "tool-call" }>, isCut: boolean): JsonObject[] {
  const input = block.kind === "custom" ? wrapCustomInput(block.input) : argumentObject(block.input);
  if (input !== null) return [toolUseBlock(cleanId(block.id), block.name, input)];
  if (isCut) return [];
  throw invalidUpstreamResponse("the arguments of a tool call are not valid JSON");
}

function writeBlock(block: Block, isCut: boolean): JsonObject[] {
  switch (block.type) {
    case "text": {
      const citations = citationsForClient(block.citations);
      if (block.text === "" && citations.length === 0) return [];
      return [textBlock(block.text, citations)];
    }
    case "refusal":
      return block.text === "" ? [] : [textBlock(block.text)];
    case "tool-call":
      return writeCall(block, isCut);
    case "thinking":
    case "tool-result":
    case "image":
    case "audio":
    case "document":
    case "foreign":
      return [];
  }
}

function writeThinking(block: ThinkingBlock, callSignature?: ProviderState): JsonObject[] {
  if (block.signature === undefined && callSignature === undefined && (block.redacted || block.text === "")) return [];
  const signature = callSignature === undefined ? writeSignature(block.signature) : wrapCallState(callSignature);
  return [
    block.redacted
      ? { type: "redacted_thinking", data: signature }
      : { type: "thinking", thinking: block.text, signature },
  ];
}

const wordless: ThinkingBlock = { type: "thinking", text: "" };

/** Thinking with text but without state. */
const isUnsigned = (block: Block | undefined): boolean =>
  block?.type === "thinking" && block.signature === undefined && !block.redacted && block.text !== "";

/**
 * Renders the content. The state of a call goes into the preceding thinking block if that has none, otherwise into a
 * block of its own. Clients that did not request thinking get no block with only state.
 */
function writeContent(blocks: readonly Block[], isCut: boolean, showsState: boolean): JsonObject[] {
  return blocks.flatMap((block, index) => {
    const [before, next] = [blocks[index - 1], blocks[index + 1]];
    if (block.type === "thinking") {
      const carried = isUnsigned(block) && next?.type === "tool-call" ? next.signature : undefined;
      return showsState || block.text !== "" ? writeThinking(block, carried) : [];
    }
    const written = writeBlock(block, isCut);
    if (block.type !== "tool-call" || written.length === 0) return written;
    const needsOwnBlock = block.signature !== undefined && !isUnsigned(before) && showsState;
    return [...(needsOwnBlock ? writeThinking(wordless, block.signature) : []), ...written];
  });
}

const isCutShort = (choice: Choice): boolean =>
  choice.finishReason.kind === "length" || choice.finishReason.kind === "context-full";

/** The message for the client: the first choice, because this dialect has only one. */
export function renderResponse(response: ChatResponse, context: WriteContext): JsonObject {
  const choice: Choice = response.choices[0] ?? { index: 0, blocks: [], finishReason: { kind: "end" } };
  const { inputEstimate } = context;
  const content = writeContent(choice.blocks, isCutShort(choice), expectsThinking(context.request));
  const has = {
    call: content.some((block) => block["type"] === "tool_use"),
    refusal: choice.blocks.some((block) => block.type === "refusal"),
  };
  return {
    id: response.id || context.id,
    type: "message",
    role: "assistant",
    model: response.model || context.request.model,
    ...messageMembers,
    content,
    ...writeStop(choice.finishReason, has),
    usage: writeUsage(response.usage ?? estimatedUsage(inputEstimate, charsIn(choice.blocks)), inputEstimate),
  };
}
