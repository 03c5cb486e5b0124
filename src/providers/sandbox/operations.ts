// The sandbox's operations: one row each.
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import { inSteps } from "../../lib/event-loop-turn.ts";
import type { CanonicalReply } from "../provider.ts";
import { chatReply, inputTokens, lastPrompt } from "./chat.ts";
import type { Directives } from "./directives.ts";
import { embedReply } from "./embed.ts";
import { imageReply } from "./image.ts";
import { textOf as judgedText, moderateReply } from "./moderate.ts";
import { textOf as rankedText, rerankReply } from "./rerank.ts";
import { speakReply, speakStream } from "./speak.ts";
import { paced, wordByWord } from "./stream.ts";
import { transcribeReply, transcribeStream } from "./transcribe.ts";

/** The origin of the opaque state that the sandbox makes. */
export const origin = "sandbox";

type Of<A, Name> = Extract<A, { readonly operation: Name }>;

/** How one operation is answered. */
export interface OperationHandler<
  A extends OperationRequest = OperationRequest,
  R extends OperationResponse = OperationResponse,
> {
  /** The text that may contain directives. */
  prompt(request: A): string;
  answer(request: A): R | Promise<R>;
  /** The reply in fragments. Absent: it is not streamed in fragments. */
  stream?(response: R, directives: Directives, signal: AbortSignal): CanonicalReply;
}

type Table = {
  readonly [Name in OperationRequest["operation"]]?: OperationHandler<
    Of<OperationRequest, Name>,
    Of<OperationResponse, Name>
  >;
};

const table: Table = {
  chat: {
    prompt: lastPrompt,
    answer: (request) => chatReply(request, origin),
    stream: (response, directives, signal) => ({ events: paced(wordByWord(response), directives, signal) }),
  },
  embed: {
    prompt: ({ input }) => (input.kind === "texts" ? input.texts.join(" ") : ""),
    answer: (request) => inSteps(embedReply(request)),
  },
  rerank: { prompt: ({ query }) => rankedText(query), answer: (request) => inSteps(rerankReply(request)) },
  moderate: {
    prompt: ({ items }) => items.map(judgedText).join(" "),
    answer: (request) => inSteps(moderateReply(request)),
  },
  image: { prompt: ({ prompt }) => prompt, answer: imageReply },
  speak: {
    prompt: ({ input }) => input,
    answer: speakReply,
    stream: speakStream,
  },
  transcribe: { prompt: ({ prompt }) => prompt ?? "", answer: transcribeReply, stream: transcribeStream },
  count: {
    prompt: () => "",
    answer: ({ chat }) => ({ operation: "count", inputTokens: inputTokens(chat) }),
  },
};

/** The operations that the sandbox supports. */
export const operations = new Set(Object.keys(table) as OperationRequest["operation"][]);

/** The row of this operation; undefined if the sandbox does not support it. */
export function handlerFor(operation: OperationRequest["operation"]): OperationHandler | undefined {
  return table[operation] as OperationHandler | undefined;
}
