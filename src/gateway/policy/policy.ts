// What a policy is: a rule that may refuse an exchange, may reserve for it, and learns what it came to.
import type { Operation, OperationRequest } from "../../canonical/operation.ts";
import type { BilledUnits, TokenBucket, Usage } from "../../canonical/usage.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import type { CacheWrites, PricedTool } from "../../dialects/cost-fields.ts";
import type { MediaTokens } from "../../dialects/tokens/figures.ts";
import type { LedgerSettlement, OpenReservation } from "../ledger/types.ts";
import type { RequestNeeds } from "../routing/candidate-order.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { Caller } from "./caller.ts";

/** How much a request may use, as far as it is known before it is sent. Each figure is made when it is first needed. */
export interface RequestSize {
  /** Tokens of input at most, whichever candidate answers. */
  inputBound(candidates: readonly Candidate[]): number;
  /** Tokens of output that the client allows, of all choices together; null where it does not say. */
  outputBound(): number | null;
  /** The least output that is of use: a bound is not lowered below it. */
  leastOutput(): number;
  /** What is not paid by the token. */
  units(): readonly BilledUnits[];
  readonly isStream: boolean;
  /** True: a lower bound on its output would be a loss that the client does not accept. */
  readonly isStrict: boolean;
  /** The part of the input that may be charged as audio or as images. */
  mediaInput(candidates: readonly Candidate[]): MediaTokens;
  /** What the output may be charged as, apart from text and reasoning. */
  mediaOutput(): readonly TokenBucket[];
  cacheWrites(): CacheWrites;
  readonly cachePath: string;
  /** The class of service, where it is not the usual one, and where the client asks for it. */
  tier(): string | null;
  readonly tierPath: string;
  pricedTools(): readonly PricedTool[];
  /** What routes choose by. Absent: nothing. */
  needs?(): RequestNeeds;
}

/** One exchange as it comes in: before anybody knows who may answer it. */
export interface ExchangeIntent {
  /** The gateway's own id of the exchange, UUIDv7: the key of its row in the ledger. */
  readonly id: string;
  readonly caller: Caller;
  readonly operation: Operation;
  /** As the client named it; empty where it named none. */
  readonly model: string;
  /** What the client asked for. Building it may cost, so only a policy that looks into content calls it. */
  content(): OperationRequest | VideoRequest;
}

/** The same, with the candidates that may be asked. */
export interface ResolvedIntent extends ExchangeIntent {
  readonly size: RequestSize;
  readonly candidates: readonly Candidate[];
}

/** What a policy holds for one admitted exchange. */
export interface Reservation {
  /** The usage so far: called now and then while a reply is streamed. */
  extend?(usage: Usage): void;
  /** Reserves for so many tokens of output, before they are forwarded. How many are reserved, at most or at least so many. */
  cover?(outputTokens: number): number;
  /** The bound on output to which the request has to be lowered. */
  readonly maxOutputTokens?: number | null;
  readonly reservedNanoDollars?: bigint;
  /** What the exchange came to. Called once; for a video long after the request was answered. */
  settle?(settlement: LedgerSettlement): void;
  /** The work in this process is over. Called once, after an ordinary settlement, or before a later one. */
  release?(): void;
  /** A later policy has refused: as if it had never been reserved. Absent: it is released. */
  cancel?(): void;
}

/**
 * One rule over every operation: chat, embeddings, images, audio, video submit and remix, background responses,
 * compaction. Both steps refuse by throwing a GatewayError. Listed in the composition root, in the order of the list.
 */
export interface Policy {
  readonly name: string;
  /** Looks at the caller and the request, before candidates are looked up. */
  authorize?(intent: ExchangeIntent): void;
  /** Whether a candidate may be asked. False takes it out of the exchange, as a fallback too. */
  permits?(intent: ExchangeIntent, candidate: Candidate): boolean;
  /** Reserves for the exchange. When a later policy refuses, what was reserved is released. */
  admit?(intent: ResolvedIntent): Reservation | undefined;
  /** At the start: what an earlier process held for an exchange that is still pending. */
  restore?(held: OpenReservation): Reservation | undefined;
}
