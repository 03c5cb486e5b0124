// The fields that every request needs, read in one pass over its wire before anything is built: model, stream, tools,
// texts.
import type { ChatRequest, Tool } from "../canonical/chat.ts";
import type { OperationRequest } from "../canonical/operation.ts";
import type { TokenBucket } from "../canonical/usage.ts";
import type { ReadContext } from "./context.ts";
import { mediaOutputOf } from "./cost-fields.ts";
import { type RequestParts, requestParts } from "./tokens/request-parts.ts";

export interface RequestOutline {
  readonly operation: OperationRequest["operation"];
  readonly model: string;
  /** The client sent no model: `model` is the default of its dialect. */
  readonly isUnnamed: boolean;
  readonly stream: boolean;
  readonly choices: number;
  readonly tools: readonly Tool[];
  readonly reasoning?: ChatRequest["reasoning"];
  /** Per choice. */
  readonly maxOutputTokens?: number;
  /** The requested service tier. */
  readonly tier?: ChatRequest["tier"];
  /** The request may contain media, whose URLs have to be checked. */
  readonly mayHoldMedia: boolean;
  /** What the reply may be charged as, apart from text. */
  readonly mediaOutput: readonly TokenBucket[];
  /** The parts that cost tokens. */
  readonly parts: RequestParts;
}

/** The outline of a canonical request. */
export function outlineOf(request: OperationRequest): RequestOutline {
  const isChat = request.operation === "chat";
  return {
    operation: request.operation,
    model: request.model,
    isUnnamed: "unnamed" in request && request.unnamed === true,
    stream: request.stream,
    choices: isChat ? request.choices : 1,
    tools: isChat ? request.tools : [],
    ...(isChat && request.reasoning !== undefined ? { reasoning: request.reasoning } : {}),
    ...(isChat && request.maxOutputTokens !== undefined ? { maxOutputTokens: request.maxOutputTokens } : {}),
    ...(isChat && request.tier !== undefined ? { tier: request.tier } : {}),
    mayHoldMedia: true,
    mediaOutput: isChat ? mediaOutputOf(request) : [],
    parts: requestParts(request),
  };
}

/** What reply readers may use. The canonical request is only built when it is used. */
export function readContextOf(
  built: { readonly request: OperationRequest },
  more: Omit<ReadContext, "request">,
): ReadContext {
  return {
    ...more,
    get request() {
      return built.request;
    },
  };
}
