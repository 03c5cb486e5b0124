// The contract of a dialect with stored responses: what the gateway needs from its requests, items and responses.
import type { ChatRequest } from "../canonical/chat.ts";
import type { GatewayError } from "../canonical/error.ts";
import type { Usage } from "../canonical/usage.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Frame } from "../lib/sse.ts";
import type { Dialect, Item, ResponseDocument, ResponseFrame, WriteContext } from "./dialect.ts";

/** The parts of a request that the gateway acts on. */
export interface StoredRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly isStored: boolean;
  readonly isBackground: boolean;
  /** The response that the request continues. */
  readonly previousId: string | null;
  /** The request's own items. */
  readonly items: readonly Item[];
  /** The input ended with a request to compact it, which `items` no longer contains. */
  readonly wantsCompaction: boolean;
}

export interface StoredRequests {
  /** Throws `invalid_value` for a compaction request that is not at the end of the input. */
  read(wire: JsonObject): StoredRequest;
  /**
   * The wire for an upstream, with these items replacing its own; null: with its own. Background requests always
   * stream.
   */
  forUpstream(wire: JsonObject, items: readonly Item[] | null): JsonObject;
  /** The same error for a client that did not send the first `offset` items itself. */
  inClientNumbers(error: GatewayError, offset: number): GatewayError;
}

/** Reads one query parameter. */
export type Parameter = (name: string) => string | null;

export interface StoredItems {
  id(item: Item): string | null;
  /** The id that this item refers to; null for a complete item. */
  reference(item: Item): string | null;
  /** The response that contains an item of the gateway; null where its id does not determine it. */
  responseOf(id: string): string | null;
  /** Items as they are stored: each with an id of its own. */
  stored(items: readonly Item[], responseId: string): Item[];
  /** One page of a list. Throws `invalid_value` for an invalid parameter. */
  page(items: readonly Item[], parameter: Parameter): JsonObject;
}

export interface ResponseDocuments {
  /** A response that waits for its background run. */
  queued(write: WriteContext): ResponseDocument;
  started(response: ResponseDocument): ResponseDocument;
  /** The response, ended at this time in Unix seconds. */
  ended(response: ResponseDocument, atSeconds: number): ResponseDocument;
  /** A response that could not be stored. */
  unstored(response: ResponseDocument): ResponseDocument;
  cancelled(response: ResponseDocument, items?: readonly Item[]): ResponseDocument;
  /** A response whose process stopped. */
  abandoned(response: ResponseDocument): ResponseDocument;
  deleted(id: string): JsonObject;
  /** The value of its status. */
  state(response: ResponseDocument): string;
  isBackground(response: ResponseDocument): boolean;
  /** The ids of its output items. */
  itemIds(response: ResponseDocument): string[];
  /** The items with which a conversation continues; `replacesInput`: they replace everything before them. */
  continuation(response: ResponseDocument): { readonly items: readonly Item[]; readonly replacesInput: boolean };
}

/** The state of a stream when it breaks. */
export interface BrokenStream {
  /** The response as of its last event. */
  readonly response: ResponseDocument;
  /** The number of the next event. */
  readonly number: number;
  readonly items: readonly Item[];
}

export interface ResponseFrames {
  /** The frame that opens the stream of a response: number 0. */
  opening(response: ResponseDocument): Frame;
  /** The frame that ends the stream of a response; null while it has not ended, and if it was cancelled. */
  final(response: ResponseDocument, number: number): Frame | null;
  failed(error: GatewayError, write: WriteContext, broken?: BrokenStream): ResponseFrame;
}

/** The errors of features that only stored responses have. */
export interface StoredRefusals {
  previousNotFound(id: string): GatewayError;
  previousNotFinished(): GatewayError;
  conversationTooLong(maxItems: number): GatewayError;
  itemNotFound(index: number): GatewayError;
  backgroundNotStored(): GatewayError;
  backgroundCompaction(): GatewayError;
  notCancellable(): GatewayError;
  notFollowable(): GatewayError;
  /** Another instance of the gateway runs it. */
  runsElsewhere(): GatewayError;
  /** Events before this number are no longer available. */
  eventsGone(first: number): GatewayError;
}

/** Items for an upstream. `pinnedTo`: only one provider can read the item at this path. */
export interface OpenedItems {
  readonly items: readonly Item[];
  readonly pinnedTo?: { readonly origin: string; readonly path: string };
}

/** The inputs for the summary of one piece of a conversation. */
export interface SummaryRequest {
  readonly transcript: string;
  /** The summary of the earlier pieces. */
  readonly soFar?: string;
}

/** A provider's own compaction, or the text of a summary. */
export type CompactionReply = { readonly usage: Usage; readonly model: string } & (
  | { readonly native: readonly Item[] }
  | { readonly summary: string }
);

/** A response whose only item is a compaction. */
export interface CompactedResponse {
  readonly item: Item;
  readonly usage: Usage;
  readonly model: string;
}

export interface Compactions {
  /** Requests a compaction from providers with an endpoint for it, a summary from others. */
  readonly dialect: Dialect;
  /** Requests a summary from any provider. */
  readonly summaryDialect: Dialect;
  /** The prefix of encrypted text. */
  readonly sealedPrefix: string;
  /**
   * Decrypts the gateway's own summaries. Throws `invalid_value` with the path of the item where `open` returns null.
   */
  open(items: readonly Item[], open: (sealed: string) => string | null): OpenedItems;
  /** The items that a summary has to cover: those from the last compaction on. */
  uncovered(items: readonly Item[]): readonly Item[];
  /** The items as plain text, in pieces of at most this size. */
  transcript(items: readonly Item[], maxChars: number): string[];
  /** The request for a summary, in addition with items that only one provider can read. */
  request(wire: JsonObject, summary: SummaryRequest, opened: OpenedItems): ChatRequest;
  read(reply: JsonObject): CompactionReply;
  /** A provider's items for a client: only that provider gets its state back. */
  tagged(items: readonly Item[], origin: string): Item[];
  /** The user's own messages up to this size, and an encrypted summary. */
  output(items: readonly Item[], sealed: string, responseId: string, maxChars: number): Item[];
  /** The item of an encrypted summary. */
  sealedItem(responseId: string, sealed: string): Item;
  /** A provider's own compaction, under an id of this response. */
  nativeItem(responseId: string, items: readonly Item[]): Item;
  /** The response of the endpoint; `createdAt` in Unix seconds. */
  render(reply: { id: string; createdAt: number; output: readonly Item[]; usage: Usage }): JsonObject;
  response(compacted: CompactedResponse, write: WriteContext): ResponseDocument;
  /** The complete stream of that response. */
  frames(compacted: CompactedResponse, write: WriteContext): ResponseFrame[];
}

/** Pure functions between the gateway's model and the wire of one dialect. */
export interface StoredResponses {
  readonly requests: StoredRequests;
  readonly items: StoredItems;
  readonly documents: ResponseDocuments;
  readonly frames: ResponseFrames;
  readonly refusals: StoredRefusals;
  readonly compactions: Compactions;
}
