// A whole reply of this dialect into canon and back.
import type { Block, ChatAnswer, Choice } from "../../canon/conversation.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ReadContext, WriteContext } from "../dialect.ts";
import { badReply } from "../reject.ts";
import { argumentObject } from "../shared/arguments.ts";
import { callInput, type ToolFinder } from "../shared/called.ts";
import { charsIn, estimatedUsage } from "../shared/estimate.ts";
import { wrapFreeText } from "../shared/free-text.ts";
import { cleanId } from "../shared/names.ts";
import { toolFinder } from "./calls.ts";
import { citationsForClient, readCitations } from "./citation.ts";
import { parseErrorEvent } from "./error.ts";
import { objectsIn } from "./fields.ts";
import { readOutput } from "./output-tool.ts";
import { readSignature, writeSignature } from "./signature.ts";
import { readStop, writeStop } from "./stop.ts";
import { readUsage, writeUsage } from "./usage.ts";

/** Whose state a reply holds, and what its tools are called. */
export interface Reading {
  readonly origin: string;
  readonly tools: ToolFinder;
}

type BlockReader = (wire: JsonObject, reading: Reading) => Block;

const textOf = (wire: JsonObject, name: string): string => (typeof wire[name] === "string" ? wire[name] : "");

/** Blocks of any other type are work of the server itself, which only its own clients can read. */
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

/** The canonical reply. Throws the error that stands in the body's place, or `upstream_protocol_error`. */
export function parseResponse(wire: unknown, context: ReadContext): ChatAnswer {
  if (!isObject(wire)) throw badReply("it is no JSON object");
  if (wire["type"] === "error" || (isObject(wire["error"]) && wire["content"] === undefined))
    throw parseErrorEvent(wire);
  if (!Array.isArray(wire["content"])) throw badReply("it has no content");
  return readOutput(readMessage(wire, { origin: context.origin, tools: toolFinder(context) }), context.ask);
}

/** The canonical reply of a message; other wires say the same in other words. */
export function readMessage(wire: JsonObject, reading: Reading): ChatAnswer {
  const blocks = objectsIn(wire["content"]).flatMap((block) => readers.get(block["type"])?.(block, reading) ?? []);
  const hasCall = blocks.some((block) => block.type === "tool-call");
  const usage = readUsage(wire["usage"]);
  return {
    operation: "chat",
    id: textOf(wire, "id"),
    model: textOf(wire, "model"),
    choices: [{ index: 0, blocks, stop: readStop(wire, hasCall) }],
    ...(usage ? { usage } : {}),
  };
}

/** A call that the length cut in the middle of its arguments is left out; any other broken call is a bad reply. */
function writeCall(block: Extract<Block, { type: "tool-call" }>, isCut: boolean): JsonObject[] {
  const input = block.kind === "custom" ? wrapFreeText(block.input) : argumentObject(block.input);
  const proof = block.signature ? writeThinking({ type: "thinking", text: "", signature: block.signature }) : [];
  if (input !== null) return [...proof, { type: "tool_use", id: cleanId(block.id), name: block.name, input }];
  if (isCut) return [];
  throw badReply("the arguments of a tool call are no JSON");
}

function writeBlock(block: Block, isCut: boolean): JsonObject[] {
  switch (block.type) {
    case "text": {
      const citations = citationsForClient(block.citations);
      if (block.text === "" && citations.length === 0) return [];
      return [{ type: "text", text: block.text, ...(citations.length > 0 ? { citations } : {}) }];
    }
    case "refusal":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "thinking":
      return writeThinking(block);
    case "tool-call":
      return writeCall(block, isCut);
    case "tool-result":
    case "image":
    case "audio":
    case "document":
    case "foreign":
      return [];
  }
}

function writeThinking(block: Extract<Block, { type: "thinking" }>): JsonObject[] {
  if (block.signature === undefined && (block.redacted || block.text === "")) return [];
  const signature = writeSignature(block.signature);
  return [
    block.redacted
      ? { type: "redacted_thinking", data: signature }
      : { type: "thinking", thinking: block.text, signature },
  ];
}

const isCutShort = (choice: Choice): boolean => choice.stop.kind === "length" || choice.stop.kind === "context-full";

/** The message for the client: the first choice, because this dialect has one. */
export function renderResponse(answer: ChatAnswer, context: WriteContext): JsonObject {
  const choice: Choice = answer.choices[0] ?? { index: 0, blocks: [], stop: { kind: "end" } };
  const { inputEstimate } = context;
  const content = choice.blocks.flatMap((block) => writeBlock(block, isCutShort(choice)));
  const has = {
    call: content.some((block) => block["type"] === "tool_use"),
    refusal: choice.blocks.some((block) => block.type === "refusal"),
  };
  return {
    id: answer.id || context.id,
    type: "message",
    role: "assistant",
    model: answer.model || context.ask.model,
    content,
    ...writeStop(choice.stop, has),
    usage: writeUsage(answer.usage ?? estimatedUsage(inputEstimate, charsIn(choice.blocks)), inputEstimate),
  };
}
