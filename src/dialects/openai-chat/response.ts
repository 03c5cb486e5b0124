// A complete chat completion, to and from the canonical response.
import type {
  Block,
  ChatRequest,
  ChatResponse,
  Choice,
  FinishReason,
  TextBlock,
  TokenLogprob,
  ToolCallBlock,
} from "../../canonical/chat.ts";
import { wrapProviderState } from "../../canonical/provider-state.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { ReadContext, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { completed } from "../shared/arguments.ts";
import { characterCount } from "../shared/json-accessors.ts";
import { type Held, isCut, parseStopReason, renderStopReason } from "../shared/openai-finish-reason.ts";
import { parseReply } from "../shared/openai-reply.ts";
import { renderUsage } from "../shared/openai-usage.ts";
import { findTools } from "../shared/tool-names.ts";
import { parseAnnotations, renderCitations } from "./citations.ts";
import { parseLogprobs, renderLogprobs } from "./logprobs.ts";
import { parseImages, parseSpeech } from "./output-media.ts";
import { parseThinking, renderThinking } from "./reasoning.ts";
import { asRequestedTool, madeId, parseCall, parseFunctionCall, renderCall } from "./tool-calls.ts";
import { namesFor } from "./tools.ts";

/** Whether the client expects the legacy format from before `tools`. */
export function answersLegacy(request: ChatRequest): boolean {
  return request.unmappedFields.some((extra) => extra.path === "functions");
}

/** Splits content: a string, or parts among which some servers put thinking. */
export function splitContent(content: Json | undefined): { text: string; thinking: string; refusal: string } {
  const split = { text: "", thinking: "", refusal: "" };
  if (typeof content === "string") return { ...split, text: content };
  if (!Array.isArray(content)) return split;
  for (const part of content) {
    if (!isObject(part)) continue;
    if (part.type === "thinking") split.thinking += splitContent(part.thinking).text;
    else if (typeof part.refusal === "string") split.refusal += part.refusal;
    else if (typeof part.text === "string") split.text += part.text;
  }
  return split;
}

function callsIn(message: JsonObject, context: ReadContext, replyId: string, choice: number): ToolCallBlock[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const blocks = calls.flatMap((call, ordinal) => {
    if (!isObject(call)) return [];
    return parseCall(call, context.origin, madeId(replyId, choice, ordinal)) ?? [];
  });
  if (blocks.length > 0 || !isObject(message.function_call)) return blocks;
  const legacy = parseFunctionCall(message.function_call, madeId(replyId, choice, 0));
  return legacy === null ? [] : [legacy];
}

function parseCalls(message: JsonObject, context: ReadContext, replyId: string, choice: number): ToolCallBlock[] {
  const calls = callsIn(message, context, replyId, choice);
  if (calls.length === 0) return calls;
  const tools = findTools(context, namesFor);
  return calls.map((call) => asRequestedTool(call, tools));
}

/** Blocks in the only order that this wire has: thinking, text, refusal, images, audio, calls. */
function parseBlocks(
  message: JsonObject,
  context: ReadContext,
  replyId: string,
  choice: number,
  logprobs: TokenLogprob[] | null,
): Block[] {
  const { text, thinking, refusal } = splitContent(message.content);
  const citations = parseAnnotations(message.annotations, 0);
  const refused = typeof message.refusal === "string" && message.refusal !== "" ? message.refusal : refusal;
  const textBlock: TextBlock = {
    type: "text",
    text,
    ...(logprobs === null ? {} : { logprobs }),
    ...(citations.length > 0 ? { citations } : {}),
  };
  return [
    ...parseThinking(message, context.origin),
    ...(thinking === "" ? [] : [{ type: "thinking", text: thinking } as const]),
    ...(text === "" ? [] : [textBlock]),
    ...(refused === "" ? [] : [{ type: "refusal", text: refused } as const]),
    ...parseImages(message.images),
    ...parseSpeech(message.audio, context),
    ...parseCalls(message, context, replyId, choice),
  ];
}

function heldIn(blocks: readonly Block[]): Held {
  return {
    calls: blocks.some((block) => block.type === "tool-call"),
    refusal: blocks.some((block) => block.type === "refusal"),
  };
}

/** Calls without input get an empty object, unless the reply was cut: then the input may be missing. */
function whole(blocks: Block[], finishReason: FinishReason): Block[] {
  if (isCut(finishReason.kind)) return blocks;
  return blocks.map((block) => (block.type === "tool-call" ? completed(block) : block));
}

function parseChoice(choice: JsonObject, index: number, context: ReadContext, replyId: string): Choice {
  if (!isObject(choice.message)) throw invalidUpstreamResponse(`choices[${index}] has no message`);
  const blocks = parseBlocks(choice.message, context, replyId, index, parseLogprobs(choice.logprobs));
  const finishReason = parseStopReason(choice, heldIn(blocks));
  return { index, blocks: whole(blocks, finishReason), finishReason: finishReason };
}

/** Parses a body. Throws the upstream's error if the body is one, or the reason why it is not a reply. */
export function parse(wire: unknown, context: ReadContext): ChatResponse {
  return parseReply(wire, (choice, index, replyId) => parseChoice(choice, index, context, replyId));
}

function renderAnnotations(texts: readonly TextBlock[]): JsonObject[] {
  // Most replies have none, and counting characters takes a pass over the text.
  if (texts.every(({ citations = [] }) => citations.length === 0)) return [];
  let base = 0;
  return texts.flatMap((block) => {
    const length = characterCount(block.text);
    const annotations = renderCitations(block.citations ?? [], base, length);
    base += length;
    return annotations;
  });
}

function ofType<Type extends Block["type"]>(choice: Choice, type: Type): Extract<Block, { type: Type }>[] {
  return choice.blocks.filter((block): block is Extract<Block, { type: Type }> => block.type === type);
}

function renderCalls(choice: Choice, isLegacy: boolean): JsonObject {
  const calls = ofType(choice, "tool-call").map((call) => {
    const signature = call.signature === undefined ? undefined : wrapProviderState(call.signature);
    return renderCall(isCut(choice.finishReason.kind) ? call : completed(call), signature);
  });
  if (calls.length === 0) return {};
  return isLegacy ? { function_call: calls[0]?.function } : { tool_calls: calls };
}

function renderMessage(choice: Choice, isLegacy: boolean, context: WriteContext): JsonObject {
  const texts = ofType(choice, "text");
  const text = texts.map((block) => block.text).join("");
  const refusal = ofType(choice, "refusal").map((block) => block.text);
  const [audio] = ofType(choice, "audio");
  const isElsewhere = text === "" && choice.blocks.some((block) => block.type !== "text" && block.type !== "thinking");
  const speech = audio?.source.kind === "bytes" ? audio.source.base64 : undefined;
  return omitUndefined({
    role: "assistant",
    content: isElsewhere ? null : text,
    refusal: refusal.length === 0 ? null : refusal.join(""),
    annotations: renderAnnotations(texts),
    ...renderThinking(ofType(choice, "thinking")),
    audio:
      speech === undefined
        ? undefined
        : { id: `audio_${context.id}`, data: speech, expires_at: context.createdAt, transcript: "" },
    ...renderCalls(choice, isLegacy),
  });
}

/** The body for a client. Unknown usage is left out, because zeros would be false. */
export function render(response: ChatResponse, context: WriteContext): JsonObject {
  const isLegacy = answersLegacy(context.request as ChatRequest);
  return omitUndefined({
    id: response.id === "" ? context.id : response.id,
    object: "chat.completion",
    created: response.createdAt ?? context.createdAt,
    model: response.model,
    choices: response.choices.map((choice) => {
      const held = {
        calls: choice.blocks.some((block) => block.type === "tool-call"),
        refusal: choice.blocks.some((block) => block.type === "refusal"),
      };
      const message = renderMessage(choice, isLegacy, context);
      return {
        index: choice.index,
        message,
        logprobs: renderLogprobs(ofType(choice, "text").flatMap((block) => block.logprobs ?? [])),
        finish_reason: renderStopReason(choice.finishReason, held, isLegacy),
      };
    }),
    usage: response.usage === undefined ? undefined : renderUsage(response.usage),
  });
}
