// Reads the chunks of an upstream's stream as events.
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { ReadContext, StreamReader } from "../dialect.ts";
import { type ChoiceSide, chunkReader } from "../shared/openai-chunk-reader.ts";
import { findTools, type ToolFinder } from "../shared/tool-names.ts";
import { type ChoiceState, cite, newChoice, readDetails, show, sound, speak, think } from "./choice-reader.ts";
import { parseLogprobs } from "./logprobs.ts";
import { thinkingText } from "./reasoning.ts";
import { splitContent } from "./response.ts";
import { skim } from "./text-peek.ts";
import { closeChoice, readCalls, readFunctionCall } from "./tool-call-reader.ts";
import { namesFor } from "./tools.ts";

const maxChoices = 128;

function readParts(choice: ChoiceState, parts: Json, out: StreamEvent[]): void {
  const { text, thinking, refusal } = splitContent(parts);
  if (thinking !== "") think(choice, thinking, out);
  if (text !== "") speak(choice, "text", text, out);
  if (refusal !== "") speak(choice, "refusal", refusal, out);
}

function readDelta(choice: ChoiceState, delta: JsonObject, out: StreamEvent[]): void {
  const thought = thinkingText(delta);
  if (thought !== undefined) think(choice, thought, out);
  if (delta.reasoning_details) readDetails(choice, delta.reasoning_details, thought !== undefined, out);
  const { content } = delta;
  if (typeof content === "string") {
    if (content !== "") speak(choice, "text", content, out);
  } else if (content) readParts(choice, content, out);
  if (typeof delta.refusal === "string" && delta.refusal !== "") speak(choice, "refusal", delta.refusal, out);
  if (delta.annotations) cite(choice, delta.annotations, out);
  if (delta.images) show(choice, delta.images, out);
  if (delta.audio) sound(choice, delta.audio, out);
  if (delta.tool_calls) readCalls(choice, delta.tool_calls, out);
  else if (delta.function_call) readFunctionCall(choice, delta.function_call, out);
}

function read(choice: ChoiceState, wire: JsonObject, out: StreamEvent[]): void {
  const delta = wire.delta ?? wire.message;
  if (wire.logprobs) choice.likelihoods = parseLogprobs(wire.logprobs);
  if (isObject(delta)) readDelta(choice, delta, out);
  if (choice.likelihoods !== null) speak(choice, "text", "", out);
}

/** The tools are only searched once there is a call. */
function toolsOf(context: ReadContext): ToolFinder {
  let found: ToolFinder | null = null;
  return (name) => {
    found ??= findTools(context, namesFor);
    return found(name);
  };
}

/** A reader for one stream. */
export function reader(context: ReadContext): StreamReader {
  const tools = toolsOf(context);
  const side: ChoiceSide<ChoiceState> = {
    maxChoices,
    begin: (index, replyId, origin) => newChoice(index, replyId, origin, tools),
    read,
    close: closeChoice,
  };
  return { ...chunkReader(context, side), peekText: skim };
}
