// A complete reply of this dialect, to and from the canonical model.
import type { Block, ChatResponse, Choice, TokenLogprob } from "../../canonical/chat.ts";
import { collectEvents } from "../../canonical/stream-event.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { ReadContext, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { type CitingText, writeGrounding } from "./citations.ts";
import { bareAnswer } from "./enum-output.ts";
import { isCut, writeBlock, writeStop } from "./finish-reason.ts";
import { writeLogprobs } from "./logprobs.ts";
import { callParts, heldParts, mediaPart, newSaying, type Saying, textPart, thoughtParts } from "./response-parts.ts";
import { endReply, newReply, readChunk } from "./stream-reader.ts";
import { writeUsage } from "./usage.ts";

const partsOf = (candidate: JsonObject): Json[] => {
  const parts = isObject(candidate.content) ? candidate.content.parts : undefined;
  return Array.isArray(parts) ? parts : [];
};

/** Some servers repeat the parts of all other candidates at the end of the first one. */
function withoutRepeats(wire: JsonObject): JsonObject {
  const [first, ...others] = objectsIn(wire.candidates);
  if (first === undefined || others.length === 0) return wire;
  const own = partsOf(first);
  const repeated = others.flatMap(partsOf);
  const ownCount = own.length - repeated.length;
  if (ownCount < 1 || repeated.length === 0) return wire;
  if (JSON.stringify(own.slice(ownCount)) !== JSON.stringify(repeated)) return wire;
  const content = { ...(isObject(first.content) ? first.content : {}), parts: own.slice(0, ownCount) };
  return { ...wire, candidates: [{ ...first, content }, ...others] };
}

/** The canonical reply. Throws the error that the body contains, or `upstream_protocol_error`. */
export function parseResponse(wire: unknown, context: ReadContext): ChatResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("expected a JSON object");
  const state = newReply(context);
  const response = collectEvents([...readChunk(state, withoutRepeats(wire)), ...endReply(state, true)]);
  if (response === null) throw invalidUpstreamResponse("the response has no finish reason");
  return response;
}

interface Writing {
  readonly saying: Saying;
  readonly isCut: boolean;
  readonly texts: CitingText[];
  readonly logprobs: TokenLogprob[];
}

/** A call cut off by the output limit is left out; any other malformed call is an error. */
function renderCall(block: Extract<Block, { type: "tool-call" }>, { saying, isCut }: Writing): JsonObject[] {
  const parts = callParts(block, saying);
  if (parts !== null) return parts;
  if (isCut) return [];
  throw invalidUpstreamResponse("the arguments of a tool call are not valid JSON");
}

function renderText(block: Extract<Block, { type: "text" }>, { saying, texts, logprobs }: Writing): JsonObject[] {
  if (block.text === "") return [];
  if (block.citations) texts.push({ text: block.text, citations: block.citations, partIndex: saying.count });
  logprobs.push(...(block.logprobs ?? []));
  return [textPart(block.text, saying)];
}

function renderBlock(block: Block, writing: Writing): JsonObject[] {
  const { saying } = writing;
  switch (block.type) {
    case "text":
      return renderText(block, writing);
    case "refusal":
      return block.text === "" ? [] : [textPart(block.text, saying)];
    case "thinking":
      return thoughtParts(block, saying);
    case "tool-call":
      return renderCall(block, writing);
    case "image":
    case "audio":
      return block.source.kind === "bytes" ? [mediaPart(block.source.mediaType, block.source.base64, saying)] : [];
    case "tool-result":
    case "document":
    case "foreign":
      return [];
  }
}

function renderChoice(choice: Choice): JsonObject {
  const writing: Writing = { saying: newSaying(), isCut: isCut(choice.finishReason), texts: [], logprobs: [] };
  const parts = choice.blocks.flatMap((block) => renderBlock(block, writing));
  parts.push(...heldParts(writing.saying));
  return omitUndefined({
    content: { parts: parts.length === 0 ? [{ text: "" }] : parts, role: "model" },
    ...writeStop(choice.finishReason),
    index: choice.index,
    groundingMetadata: writeGrounding(writing.texts),
    logprobsResult: writeLogprobs(writing.logprobs),
  });
}

/** The feedback for a blocked prompt; null for any other reply. */
function feedbackOn([choice, ...others]: readonly Choice[]): JsonObject | null {
  return choice !== undefined && others.length === 0 && choice.blocks.length === 0
    ? writeBlock(choice.finishReason)
    : null;
}

/** Unix seconds as a timestamp. */
export function timeOf(createdAt: number | undefined): string | undefined {
  return createdAt === undefined ? undefined : new Date(createdAt * 1000).toISOString();
}

/** The body for a client. Unknown usage is left out, because zeros would be false. */
export function renderResponse(given: ChatResponse, context: WriteContext): JsonObject {
  const response = bareAnswer(given, context.request);
  const promptFeedback = feedbackOn(response.choices);
  return omitUndefined({
    ...(promptFeedback === null ? { candidates: response.choices.map(renderChoice) } : { promptFeedback }),
    usageMetadata: response.usage === undefined ? undefined : writeUsage(response.usage),
    modelVersion: response.model || context.request.model,
    createTime: timeOf(response.createdAt),
    responseId: response.id || context.id,
  });
}
