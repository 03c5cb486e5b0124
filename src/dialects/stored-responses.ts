// The contract of a dialect whose responses are stored: what the gateway asks about requests, items and responses of its wire.
import type { ChatRequest } from "../canonical/chat.ts";
import type { GatewayError } from "../canonical/error.ts";
import type { Usage } from "../canonical/usage.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Frame } from "../lib/sse.ts";
import type { Dialect, Item, ResponseDocument, ResponseFrame, WriteContext } from "./dialect.ts";

/** What the gateway itself acts on in a request. */
export interface StoredRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly isStored: boolean;
  readonly isBackground: boolean;
  /** The response that the request continues. */
  readonly previousId: string | null;
  /** The items of the request itself. */
  readonly items: readonly Item[];
  /** The input ended with a request to compact it; `items` does not have that any more. */
  readonly wantsCompaction: boolean;
}

export interface StoredRequests {
  /** Throws `invalid_value` for a request to compact that is not at the end of the input. */
  read(wire: JsonObject): StoredRequest;
  /** The wire as an upstream gets it, with these items in place of its own; null: with its own. In the background it streams. */
  forUpstream(wire: JsonObject, items: readonly Item[] | null): JsonObject;
  /** The same error, where the client has not sent the first `offset` items itself. */
  inClientNumbers(error: GatewayError, offset: number): GatewayError;
}

/** Reads one query parameter. */
export type Parameter = (name: string) => string | null;

export interface StoredItems {
  id(item: Item): string | null;
  /** The id of the item that this one refers to; null for an item that is there itself. */
  reference(item: Item): string | null;
  /** The response that an item of the gateway's own belongs to; null where its id does not say. */
  responseOf(id: string): string | null;
  /** Items as they are stored: each with an id of its own. */
  stored(items: readonly Item[], responseId: string): Item[];
  /** One page of a list. Throws `invalid_value` for a parameter that is wrong. */
  page(items: readonly Item[], parameter: Parameter): JsonObject;
}

export interface ResponseDocuments {
  /** A response that waits for its run. */
  queued(write: WriteContext): ResponseDocument;
  started(response: ResponseDocument): ResponseDocument;
  /** Ended at this time, in Unix seconds. */
  ended(response: ResponseDocument, atSeconds: number): ResponseDocument;
  /** One that could not be stored after all. */
  unstored(response: ResponseDocument): ResponseDocument;
  cancelled(response: ResponseDocument, items?: readonly Item[]): ResponseDocument;
  /** One whose process died. */
  abandoned(response: ResponseDocument): ResponseDocument;
  deleted(id: string): JsonObject;
  /** The word for its state. */
  state(response: ResponseDocument): string;
  isBackground(response: ResponseDocument): boolean;
  /** The ids of the items that it has put out. */
  itemIds(response: ResponseDocument): string[];
  /** The items with which a conversation continues; `replacesInput`: they stand for everything before them. */
  continuation(response: ResponseDocument): { readonly items: readonly Item[]; readonly replacesInput: boolean };
}

/** Where a stream is when it breaks. */
export interface BrokenStream {
  /** The response as its last event had it. */
  readonly response: ResponseDocument;
  /** The number of the next event. */
  readonly number: number;
  readonly items: readonly Item[];
}

export interface ResponseFrames {
  /** The frame that opens the stream of a response: number 0. */
  opening(response: ResponseDocument): Frame;
  /** The frame that ends the stream of a response; null while it has not ended, and where it was cancelled. */
  final(response: ResponseDocument, number: number): Frame | null;
  failed(error: GatewayError, write: WriteContext, broken?: BrokenStream): ResponseFrame;
}

/** Why something that only stored responses have is refused. */
export interface StoredRefusals {
  previousNotFound(id: string): GatewayError;
  previousNotFinished(): GatewayError;
  conversationTooLong(maxItems: number): GatewayError;
  itemNotFound(index: number): GatewayError;
  backgroundNotStored(): GatewayError;
  backgroundCompaction(): GatewayError;
  notCancellable(): GatewayError;
  notFollowable(): GatewayError;
  /** Another instance of the gateway works on it. */
  runsElsewhere(): GatewayError;
  /** Events before this number are gone. */
  eventsGone(first: number): GatewayError;
}

/** Items as an upstream may see them. `pinnedTo`: they hold what only one provider can read, at this path. */
export interface OpenedItems {
  readonly items: readonly Item[];
  readonly pinnedTo?: { readonly origin: string; readonly path: string };
}

/** What one piece of a conversation is summarized with. */
export interface SummaryRequest {
  readonly transcript: string;
  /** The summary of the pieces before this one. */
  readonly soFar?: string;
}

/** A compaction by a provider of its own, or the text of a summary. */
export type CompactionReply = { readonly usage: Usage; readonly model: string } & (
  | { readonly native: readonly Item[] }
  | { readonly summary: string }
);

/** The one item of a response that compacts. */
export interface CompactedResponse {
  readonly item: Item;
  readonly usage: Usage;
  readonly model: string;
}

export interface Compactions {
  /** Asks for a compaction where a provider has an endpoint for it, for a summary elsewhere. */
  readonly dialect: Dialect;
  /** Asks every provider for a summary. */
  readonly summaryDialect: Dialect;
  /** How text begins that the gateway has encrypted. */
  readonly sealedPrefix: string;
  /** Opens the gateway's own summaries. Throws `invalid_value` where `open` gives null, naming the item. */
  open(items: readonly Item[], open: (sealed: string) => string | null): OpenedItems;
  /** What a summary has to cover: the items from the last compaction on. */
  uncovered(items: readonly Item[]): readonly Item[];
  /** The items as plain text, in pieces of at most this size. */
  transcript(items: readonly Item[], maxChars: number): string[];
  /** The request for a summary, with what only one provider can read beside it. */
  request(wire: JsonObject, summary: SummaryRequest, opened: OpenedItems): ChatRequest;
  read(reply: JsonObject): CompactionReply;
  /** A provider's items for a client: only that provider gets its state back. */
  tagged(items: readonly Item[], origin: string): Item[];
  /** The user's own messages up to this size, and an encrypted summary. */
  output(items: readonly Item[], sealed: string, responseId: string, maxChars: number): Item[];
  /** The item of an encrypted summary. */
  sealedItem(responseId: string, sealed: string): Item;
  /** A provider's own, under an id of this response. */
  nativeItem(responseId: string, items: readonly Item[]): Item;
  /** The reply of the endpoint; `createdAt` in Unix seconds. */
  render(reply: { id: string; createdAt: number; output: readonly Item[]; usage: Usage }): JsonObject;
  response(compacted: CompactedResponse, write: WriteContext): ResponseDocument;
  /** The whole stream of that response. */
  frames(compacted: CompactedResponse, write: WriteContext): ResponseFrame[];
}

/** Pure functions between the gateway's terms and the wire of one dialect. */
export interface StoredResponses {
  readonly requests: StoredRequests;
  readonly items: StoredItems;
  readonly documents: ResponseDocuments;
  readonly frames: ResponseFrames;
  readonly refusals: StoredRefusals;
  readonly compactions: Compactions;
}
