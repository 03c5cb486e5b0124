// The shape of the output for models that have no words for it: a tool takes the answer, and its input is the text.
import type { ChatAnswer, ChatAsk, FunctionTool, ToolChoice } from "../../canonical/chat.ts";
import type { Ask } from "../../canonical/operation.ts";
import { collect, type Delta, replay } from "../../canonical/stream-event.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Losses } from "./field-names.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { isForced } from "./tools.ts";

type SchemaAsk = ChatAsk & { readonly format: { readonly type: "schema"; readonly schema: JsonObject } };

function hasSchema(ask: Ask): ask is SchemaAsk {
  return ask.operation === "chat" && ask.format?.type === "schema";
}

/** A name that no tool of the client has, neither as it is nor once it is cleaned. It follows from the request alone. */
function outputToolName(ask: ChatAsk): string {
  const taken = new Set(
    ask.tools.map((tool) => (tool.kind === "hosted" ? "" : tool.name.replace(/[^A-Za-z0-9_-]/g, "_"))),
  );
  let name = "json_answer";
  while (taken.has(name)) name += "_";
  return name;
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  type === "object" || (type === undefined && isObject(properties));

/** Input is always an object: any other value goes under `value`, with the definitions where references find them. */
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
  const purpose = "Gives the final answer. Call it once, when the answer is known, and write nothing beside it.";
  return {
    kind: "function",
    name: outputToolName(ask),
    description: description === undefined ? purpose : `${purpose} The answer: ${description}`,
    parameters: inputSchema(schema),
  };
}

/** The client's own choice, with the answer among what may be called. Every reply is a call where that can be forced. */
function choiceWith(ask: ChatAsk, name: string, canForce: boolean): ToolChoice {
  const choice = ask.toolChoice ?? { type: "auto" };
  if (ask.tools.length === 0 || choice.type === "none") {
    return canForce ? { type: "tool", name } : { type: "allowed", names: [name], required: false };
  }
  if (choice.type === "tool") return { type: "allowed", names: [choice.name, name], required: true };
  if (choice.type === "allowed") {
    return { type: "allowed", names: [...choice.names, name], required: choice.required || canForce };
  }
  return canForce ? { type: "required" } : choice;
}

/** What is asked in place of a schema, and what has to be said beside it. */
export interface WithOutputTool {
  readonly ask: ChatAsk;
  readonly instruction: string | null;
}

/**
 * The ask with a tool that takes the answer; null where the model needs none: it knows schemas, or nobody asked for one,
 * or the client has every reply be a call of its own tools.
 */
export function withOutputTool(
  ask: ChatAsk,
  limits: ModelLimits,
  canForce: boolean,
  losses: Losses,
): WithOutputTool | null {
  if (!emulatesSchemas(limits) || !hasSchema(ask) || (canForce && isForced(ask.toolChoice))) return null;
  const tool = outputTool(ask);
  losses.add("emulated", "format");
  return {
    ask: { ...ask, tools: [...ask.tools, tool], toolChoice: choiceWith(ask, tool.name, canForce) },
    instruction: canForce
      ? null
      : `Give your final answer by calling the tool ${tool.name}, and write nothing beside the call.`,
  };
}

/** True for models that take a schema as a tool alone, and can be made to call it. */
export function emulatesSchemas({ outputSchema, forcedTool }: ModelLimits): boolean {
  return !outputSchema && forcedTool;
}

interface State {
  readonly name: string;
  readonly isWrapped: boolean;
  readonly holds: (model: string) => boolean;
  isHolding: boolean;
  /** Texts that may be idle words before the answer, as they came. */
  held: Delta[];
  /** Numbers of blocks for the client by their numbers upstream; null for what is not told. */
  readonly numbers: Map<number, number | null>;
  told: number;
  output: number | null;
  input: string;
  hasCall: boolean;
}

type InBlock = Extract<Delta, { block: number }>;

function unwrapped(input: string): string {
  const body = parseExactText(input);
  return isObject(body) && body["value"] !== undefined ? JSON.stringify(body["value"]) : input;
}

function renumbered(state: State, delta: InBlock): Delta[] {
  if (delta.type === "block-open") state.numbers.set(delta.block, state.told++);
  const block = state.numbers.get(delta.block);
  return typeof block === "number" ? [{ ...delta, block }] : [];
}

function release(state: State): Delta[] {
  const { held } = state;
  state.held = [];
  return held.flatMap((delta) => ("block" in delta ? renumbered(state, delta) : [delta]));
}

function openOutput(state: State, delta: Extract<Delta, { type: "block-open" }>): Delta[] {
  state.held = [];
  if (state.output !== null) return [];
  state.output = delta.block;
  return renumbered(state, { ...delta, open: { kind: "text" } });
}

function open(state: State, delta: Extract<Delta, { type: "block-open" }>): Delta[] {
  if (delta.open.kind === "tool-call" && delta.open.name === state.name) return openOutput(state, delta);
  if (delta.open.kind === "tool-call") state.hasCall = true;
  if (delta.open.kind !== "text" || !state.isHolding) return [...release(state), ...renumbered(state, delta)];
  state.held.push(delta);
  return [];
}

function fillOutput(state: State, delta: InBlock): Delta[] {
  const { choice, block } = delta;
  if (delta.type === "tool-input" && !state.isWrapped)
    return renumbered(state, { type: "text", choice, block, text: delta.text });
  if (delta.type === "tool-input") state.input += delta.text;
  if (delta.type !== "block-close") return [];
  const text = unwrapped(state.input);
  const rest: InBlock[] = state.isWrapped && text !== "" ? [{ type: "text", choice, block, text }] : [];
  return [...rest, { type: "block-close", choice, block } as const].flatMap((each) => renumbered(state, each));
}

function adapt(state: State, delta: Delta): Delta[] {
  if (delta.type === "start") {
    state.isHolding = state.holds(delta.model);
    return [delta];
  }
  if (delta.type === "error") return [delta];
  if (delta.type === "finish") {
    const isAnswer = state.output !== null && !state.hasCall;
    const stops = delta.stops.map((stop) =>
      isAnswer && stop.kind === "tool-use" ? { ...stop, kind: "end" as const } : stop,
    );
    return [...release(state), { ...delta, stops }];
  }
  if (delta.type === "block-open") return open(state, delta);
  if (delta.block === state.output) return fillOutput(state, delta);
  if (state.numbers.has(delta.block)) return renumbered(state, delta);
  if (state.held.some((each) => "block" in each && each.block === delta.block)) state.held.push(delta);
  return [];
}

type Adapt = (deltas: Delta[]) => Delta[];

/**
 * The answer out of its tool, delta by delta; null where no schema was asked for. `holds`: whether text before the answer
 * waits until it is known whether one comes, by the model that answers.
 */
export function outputReader(ask: Ask | undefined, holds: (model: string) => boolean): Adapt | null {
  if (ask === undefined || !hasSchema(ask)) return null;
  const state: State = {
    name: outputToolName(ask),
    isWrapped: !isObjectSchema(ask.format.schema),
    holds,
    isHolding: false,
    held: [],
    numbers: new Map(),
    told: 0,
    output: null,
    input: "",
    hasCall: false,
  };
  return (deltas) => deltas.flatMap((delta) => adapt(state, delta));
}

/** The same for a whole reply. */
export function readOutput(answer: ChatAnswer, ask: Ask | undefined): ChatAnswer {
  const isAnswered = (name: string) =>
    answer.choices.some(({ blocks }) => blocks.some((block) => block.type === "tool-call" && block.name === name));
  if (ask === undefined || !hasSchema(ask) || !isAnswered(outputToolName(ask))) return answer;
  const read = outputReader(ask, () => true);
  return (read === null ? null : collect(read([...replay(answer)]))) ?? answer;
}
