// A complete response, to and from the canonical response.
import type { Block, ChatResponse, Choice, ToolCallBlock } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { ReadContext, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { isErrorBody } from "../openai-error.ts";
import { completed, inputText } from "../shared/arguments.ts";
import { parseTokens } from "../shared/openai-logprobs.ts";
import { toolNames } from "../shared/tool-names.ts";
import { charsIn, estimatedUsage } from "../shared/usage-estimate.ts";
import { parseAnnotations } from "./citations.ts";
import { parseFailure } from "./error.ts";
import { type Held, parseStop, renderStop } from "./finish-reason.ts";
import { renderItems } from "./items.ts";
import { parseReasoningItem } from "./reasoning.ts";
import { maxToolNameChars } from "./request.ts";
import { echo, identityOf, responseHead } from "./response-object.ts";
import { namesOf } from "./tool-namespaces.ts";
import { parseUsage, renderUsage } from "./usage.ts";

/** What reading a reply depends on: the origin of its state, and the client's names of its tools. */
export interface Reading {
  readonly origin: string;
  toCanon(name: string): string;
}

/** The tool names depend only on the request, so they match the ones that were sent. */
export function readingOf({ origin, request }: ReadContext): Reading {
  const names = request?.operation === "chat" ? toolNames(request, maxToolNameChars) : null;
  return { origin, toCanon: (name) => names?.toCanon(name) ?? name };
}

/** The kind of call of an item; undefined for other items. */
export const callKinds: ReadonlyMap<unknown, ToolCallBlock["kind"]> = new Map<unknown, ToolCallBlock["kind"]>([
  ["function_call", "function"],
  ["custom_tool_call", "custom"],
]);

/** The id that the result of a call refers to. */
export function callIdOf(item: JsonObject): string {
  const id = [item.call_id, item.id].find((known) => typeof known === "string" && known !== "");
  return typeof id === "string" ? id : "";
}

/** The input of a call so far. */
export function callInputOf(item: JsonObject): string {
  return inputText(item.type === "custom_tool_call" ? item.input : item.arguments);
}

function parseCall(item: JsonObject, kind: ToolCallBlock["kind"], reading: Reading): Block[] {
  if (typeof item.name !== "string" || item.name === "") return [];
  const call: ToolCallBlock = {
    type: "tool-call",
    id: callIdOf(item),
    name: reading.toCanon(item.name),
    kind,
    input: callInputOf(item),
  };
  return [item.status === "incomplete" ? call : completed(call)];
}

function parsePart(part: Json): Block[] {
  if (!isObject(part)) return [];
  if (typeof part.refusal === "string") return part.refusal === "" ? [] : [{ type: "refusal", text: part.refusal }];
  const citations = parseAnnotations(part.annotations);
  const text = typeof part.text === "string" ? part.text : "";
  if (text === "" && citations.length === 0) return [];
  const logprobs = parseTokens(part.logprobs);
  return [
    {
      type: "text",
      text,
      ...(logprobs === null ? {} : { logprobs }),
      ...(citations.length > 0 ? { citations } : {}),
    },
  ];
}

/** The blocks of an item; none for tools that the server ran, which only clients of this dialect can read. */
function parseItem(item: JsonObject, reading: Reading): Block[] {
  const kind = callKinds.get(item.type);
  if (kind !== undefined) return parseCall(item, kind, reading);
  if (item.type === "message") return Array.isArray(item.content) ? item.content.flatMap(parsePart) : [];
  if (item.type !== "reasoning") return [];
  const thinking = parseReasoningItem(item, reading.origin);
  return thinking === null ? [] : [thinking];
}

function heldIn(blocks: readonly Block[]): Held {
  return {
    calls: blocks.some((block) => block.type === "tool-call"),
    refusal: blocks.some((block) => block.type === "refusal"),
  };
}

const ended = new Set<unknown>(["completed", "incomplete", undefined, null]);

/** Parses a body. Throws the upstream's error if the body is one, or the reason why it is not a reply. */
export function parse(wire: unknown, context: ReadContext): ChatResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("expected a JSON object");
  if (wire.status === "failed" || (isErrorBody(wire) && !Array.isArray(wire.output))) throw parseFailure(wire);
  if (!Array.isArray(wire.output)) throw invalidUpstreamResponse("the response has no output");
  if (!ended.has(wire.status)) throw invalidUpstreamResponse("the response is not complete");
  const reading = readingOf(context);
  const blocks = wire.output.filter(isObject).flatMap((item) => parseItem(item, reading));
  const usage = parseUsage(wire.usage);
  return {
    operation: "chat",
    id: typeof wire.id === "string" ? wire.id : "",
    model: typeof wire.model === "string" ? wire.model : "",
    ...(typeof wire.created_at === "number" ? { createdAt: wire.created_at } : {}),
    choices: [{ index: 0, blocks, finishReason: parseStop(wire, heldIn(blocks)) }],
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The response for a client: the first choice, because this dialect has only one. */
export function render(response: ChatResponse, context: WriteContext): JsonObject {
  const choice: Choice = response.choices[0] ?? { index: 0, blocks: [], finishReason: { kind: "end" } };
  const identity = identityOf(context, response);
  const outcome = renderStop(choice.finishReason, heldIn(choice.blocks).refusal);
  const usage = response.usage ?? estimatedUsage(context.inputEstimate, charsIn(choice.blocks));
  const output = renderItems(choice, identity.id, namesOf(context.wire), outcome.status === "incomplete");
  return { ...responseHead(identity, { ...outcome, output, usage: renderUsage(usage) }), ...echo(context) };
}
