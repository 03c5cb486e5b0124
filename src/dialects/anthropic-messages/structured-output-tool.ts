// Structured output for models without schemas: a tool receives the answer, and its input becomes the text.

import type { ChatRequest, ChatResponse, FunctionTool, ToolChoice } from "../../canonical/chat.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import { collectEvents, type StreamEvent, streamEventsOf } from "../../canonical/stream-event.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { isForced } from "./tools.ts";

type SchemaAsk = ChatRequest & { readonly format: { readonly type: "schema"; readonly schema: JsonObject } };

function hasSchema(request: OperationRequest): request is SchemaAsk {
  return request.operation === "chat" && request.format?.type === "schema";
}

/** A tool name that no tool of the client has, before or after cleaning. It depends only on the request. */
function outputToolName(request: ChatRequest): string {
  const taken = new Set(
    request.tools.map((tool) => (tool.kind === "hosted" ? "" : tool.name.replace(/[^A-Za-z0-9_-]/g, "_"))),
  );
  let name = "json_answer";
  while (taken.has(name)) name += "_";
  return name;
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  type === "object" || (type === undefined && isObject(properties));

/** Tool input is always an object. Other values go under `value`, with definitions where references find them. */
function inputSchema(schema: JsonObject): JsonObject {
  if (isObjectSchema(schema)) return schema;
  const { $defs, definitions, ...value } = schema;
  return {
    type: "object",
    properties: { value },
    required: ["value"],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

function outputTool(ask: SchemaAsk): FunctionTool {
  const { schema, description } = ask.format as { schema: JsonObject; description?: string };
  const purpose =
    "Returns the final answer. Call it exactly once, when the answer is complete, and write no other text.";
  return {
    kind: "function",
    name: outputToolName(ask),
    description: description === undefined ? purpose : `${purpose} The answer: ${description}`,
    parameters: inputSchema(schema),
  };
}

/** The client's tool choice plus the output tool. Every reply is a call where the model can be forced to. */
function choiceWith(request: ChatRequest, name: string, canForce: boolean): ToolChoice {
  const choice = request.toolChoice ?? { type: "auto" };
  if (request.tools.length === 0 || choice.type === "none") {
    return canForce ? { type: "tool", name } : { type: "allowed", names: [name], required: false };
  }
  if (choice.type === "tool") return { type: "allowed", names: [choice.name, name], required: true };
  if (choice.type === "allowed") {
    return { type: "allowed", names: [...choice.names, name], required: choice.required || canForce };
  }
  return canForce ? { type: "required" } : choice;
}

/** The request to render in place of the schema, and an additional instruction. */
export interface WithOutputTool {
  readonly ask: ChatRequest;
  readonly instruction: string | null;
}

/**
 * The request with the output tool; null when the model needs none: it supports schemas, no schema was requested, or
 * the client forces a call of its own tools.
 */
export function withOutputTool(
  request: ChatRequest,
  limits: ModelLimits,
  canForce: boolean,
  warnings: Warnings,
): WithOutputTool | null {
  if (!emulatesSchemas(limits) || !hasSchema(request) || (canForce && isForced(request.toolChoice))) return null;
  const tool = outputTool(request);
  warnField(warnings, "emulated", "format");
  return {
    ask: { ...request, tools: [...request.tools, tool], toolChoice: choiceWith(request, tool.name, canForce) },
    instruction: canForce
      ? null
      : `Return your final answer by calling the tool ${tool.name}, and write no other text.`,
  };
}

/** Whether the model supports schemas only through a tool and can be forced to call it. */
export function emulatesSchemas({ outputSchema, forcedTool }: ModelLimits): boolean {
  return !outputSchema && forcedTool;
}

interface State {
  readonly name: string;
  readonly isWrapped: boolean;
  readonly isHolding: boolean;
  /** Text that may be a preamble to the answer, held back. */
  held: StreamEvent[];
  /** Client block numbers by upstream block numbers; null for blocks that are not shown. */
  readonly numbers: Map<number, number | null>;
  told: number;
  output: number | null;
  input: string;
  hasCall: boolean;
}

type InBlock = Extract<StreamEvent, { block: number }>;

function unwrapped(input: string): string {
  const body = parseExactText(input);
  return isObject(body) && body["value"] !== undefined ? JSON.stringify(body["value"]) : input;
}

function renumbered(state: State, delta: InBlock): StreamEvent[] {
  if (delta.type === "block-start") state.numbers.set(delta.block, state.told++);
  const block = state.numbers.get(delta.block);
  return typeof block === "number" ? [{ ...delta, block }] : [];
}

function release(state: State): StreamEvent[] {
  const { held } = state;
  state.held = [];
  return held.flatMap((event) => ("block" in event ? renumbered(state, event) : [event]));
}

function openOutput(state: State, delta: Extract<StreamEvent, { type: "block-start" }>): StreamEvent[] {
  state.held = [];
  if (state.output !== null) return [];
  state.output = delta.block;
  return renumbered(state, { ...delta, open: { kind: "text" } });
}

function open(state: State, delta: Extract<StreamEvent, { type: "block-start" }>): StreamEvent[] {
  if (delta.open.kind === "tool-call" && delta.open.name === state.name) return openOutput(state, delta);
  if (delta.open.kind === "tool-call") state.hasCall = true;
  if (delta.open.kind !== "text" || !state.isHolding) return [...release(state), ...renumbered(state, delta)];
  state.held.push(delta);
  return [];
}

function fillOutput(state: State, delta: InBlock): StreamEvent[] {
  const { choice, block } = delta;
  if (delta.type === "tool-input" && !state.isWrapped)
    return renumbered(state, { type: "text", choice, block, text: delta.text });
  if (delta.type === "tool-input") state.input += delta.text;
  if (delta.type !== "block-end") return [];
  const text = unwrapped(state.input);
  const rest: InBlock[] = state.isWrapped && text !== "" ? [{ type: "text", choice, block, text }] : [];
  return [...rest, { type: "block-end", choice, block } as const].flatMap((each) => renumbered(state, each));
}

function adapt(state: State, event: StreamEvent): StreamEvent[] {
  if (event.type === "start" || event.type === "error") return [event];
  if (event.type === "finish") {
    const isAnswer = state.output !== null && !state.hasCall;
    const stops = event.finishReasons.map((finishReason) =>
      isAnswer && finishReason.kind === "tool-use" ? { ...finishReason, kind: "end" as const } : finishReason,
    );
    return [...release(state), { ...event, finishReasons: stops }];
  }
  if (event.type === "block-start") return open(state, event);
  if (event.block === state.output) return fillOutput(state, event);
  if (state.numbers.has(event.block)) return renumbered(state, event);
  if (state.held.some((each) => "block" in each && each.block === event.block)) state.held.push(event);
  return [];
}

type Adapt = (events: StreamEvent[]) => StreamEvent[];

/**
 * Extracts the answer from the tool, event by event; null where no schema was requested. `isHolding`: text before the
 * answer is held back until it is known whether one follows.
 */
export function outputReader(request: OperationRequest | undefined, isHolding: boolean): Adapt | null {
  if (request === undefined || !hasSchema(request)) return null;
  const state: State = {
    name: outputToolName(request),
    isWrapped: !isObjectSchema(request.format.schema),
    isHolding,
    held: [],
    numbers: new Map(),
    told: 0,
    output: null,
    input: "",
    hasCall: false,
  };
  return (events) => events.flatMap((event) => adapt(state, event));
}

/** The same for a complete reply. */
export function readOutput(response: ChatResponse, request: OperationRequest | undefined): ChatResponse {
  const isAnswered = (name: string) =>
    response.choices.some(({ blocks }) => blocks.some((block) => block.type === "tool-call" && block.name === name));
  if (request === undefined || !hasSchema(request) || !isAnswered(outputToolName(request))) return response;
  const read = outputReader(request, true);
  return (read === null ? null : collectEvents(read([...streamEventsOf(response)]))) ?? response;
}
