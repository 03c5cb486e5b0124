// What every request is asked for, read in one pass over its wire: model, stream, tools and texts, before anything is built from it.
import type { ChatRequest, Tool } from "../canonical/chat.ts";
import type { OperationRequest } from "../canonical/operation.ts";
import type { ReadContext } from "./context.ts";
import { type RequestParts, requestParts } from "./tokens/request-parts.ts";

export interface RequestOutline {
  readonly operation: OperationRequest["operation"];
  readonly model: string;
  /** The client named no model: `model` is the usual one of its dialect. */
  readonly isUnnamed: boolean;
  readonly stream: boolean;
  readonly choices: number;
  readonly tools: readonly Tool[];
  readonly reasoning?: ChatRequest["reasoning"];
  /** Of one choice. */
  readonly maxOutputTokens?: number;
  /** The class of service that was asked for. */
  readonly tier?: ChatRequest["tier"];
  /** Media may be in it, whose addresses have to be checked. */
  readonly mayHoldMedia: boolean;
  /** What costs tokens. */
  readonly parts: RequestParts;
}

/** The outline of a request that has been built. */
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
    parts: requestParts(request),
  };
}

/** What a reader of replies may look up; the request is built if it does. */
export function readContextOf(
  asked: { readonly request: OperationRequest },
  more: Omit<ReadContext, "request">,
): ReadContext {
  return {
    ...more,
    get request() {
      return asked.request;
    },
  };
}
