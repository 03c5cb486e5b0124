// What the sandbox does for each operation: one row each.
import type { ChatResponse } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { Dialect, WriteContext } from "../../dialects/dialect.ts";
import { formatFrame } from "../../lib/sse.ts";
import { chatReply, inputTokens, lastPrompt } from "./chat.ts";
import { embedReply } from "./embed.ts";
import { imagePieces, imageReply } from "./image.ts";
import { textOf as judgedText, moderateReply } from "./moderate.ts";
import { textOf as rankedText, rerankReply } from "./rerank.ts";
import { speakPieces, speakReply } from "./speak.ts";
import { wordByWord } from "./stream.ts";
import { transcribePieces, transcribeReply } from "./transcribe.ts";

/** Tag of the opaque state that the sandbox makes. */
export const origin = "sandbox";

type Of<A, Name> = Extract<A, { readonly operation: Name }>;

/** A stream as the upstream would send it: its Content-Type and its pieces. */
export interface Pieces {
  readonly type: string;
  readonly pieces: Iterable<Uint8Array>;
  /** A body that is cut has to break: nothing in it tells its end. */
  readonly breaks?: boolean;
}

/** How one operation is answered. */
export interface StandIn<
  A extends OperationRequest = OperationRequest,
  R extends OperationResponse = OperationResponse,
> {
  /** The text in which directives may stand. */
  prompt(ask: A): string;
  answer(ask: A): R | Promise<R>;
  /** The answer in pieces. Absent: as the dialect tells a whole answer as a stream. */
  pieces?(answer: R, dialect: Dialect, write: WriteContext): Pieces;
}

const encoder = new TextEncoder();
const events = "text/event-stream";

function* chatPieces(response: ChatResponse, dialect: Dialect, write: WriteContext): Generator<Uint8Array> {
  const writer = dialect.stream?.writer(write);
  for (const event of wordByWord(response)) {
    const text = (writer?.write(event) ?? []).map(formatFrame).join("");
    if (text !== "") yield encoder.encode(text);
  }
}

/** Each frame of a told answer by itself. */
export function toldPieces(response: OperationResponse, dialect: Dialect, write: WriteContext): Pieces {
  const frames = dialect.stream?.asStream?.(response, write);
  if (frames === undefined) throw new GatewayError("internal_error", "This operation does not stream.");
  return { type: events, pieces: frames.map((frame) => encoder.encode(formatFrame(frame))) };
}

type Table = {
  readonly [Name in OperationRequest["operation"]]?: StandIn<Of<OperationRequest, Name>, Of<OperationResponse, Name>>;
};

const table: Table = {
  chat: {
    prompt: lastPrompt,
    answer: (request) => chatReply(request, origin),
    pieces: (response, dialect, write) => ({ type: events, pieces: chatPieces(response, dialect, write) }),
  },
  embed: {
    prompt: ({ input }) => (input.kind === "texts" ? input.texts.join(" ") : ""),
    answer: embedReply,
  },
  rerank: { prompt: ({ query }) => rankedText(query), answer: rerankReply },
  moderate: { prompt: ({ items }) => items.map(judgedText).join(" "), answer: moderateReply },
  image: { prompt: ({ prompt }) => prompt, answer: imageReply, pieces: imagePieces },
  speak: {
    prompt: ({ input }) => input,
    answer: speakReply,
    pieces: speakPieces,
  },
  transcribe: { prompt: ({ prompt }) => prompt ?? "", answer: transcribeReply, pieces: transcribePieces },
  count: {
    prompt: () => "",
    answer: ({ chat }) => ({ operation: "count", inputTokens: inputTokens(chat) }),
  },
};

/** The row of this ask; undefined where the sandbox does not do it. */
export function standInFor(operation: OperationRequest["operation"]): StandIn | undefined {
  return table[operation] as StandIn | undefined;
}
