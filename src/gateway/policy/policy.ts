// The contract of a policy: a rule that may refuse an exchange, may reserve for it, and receives its outcome.
import type { Operation, OperationRequest } from "../../canonical/operation.ts";
import type { BilledUnits, TokenBucket, Usage } from "../../canonical/usage.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import type { CacheWrites, PricedTool } from "../../dialects/cost-fields.ts";
import type { MediaTokens } from "../../dialects/tokens/figures.ts";
import type { LedgerAttempt, LedgerSettlement, OpenReservation } from "../ledger/types.ts";
import type { Candidate, RequestNeeds } from "../routing/catalog.ts";
import type { Caller } from "./caller.ts";

/** The size of a request before it is sent. Each figure is computed when it is first needed. */
export interface RequestSize {
  /** Maximum input tokens, for any candidate. */
  inputBound(candidates: readonly Candidate[]): number;
  /** Maximum output tokens that the client allows, of all choices together; null without a limit. */
  outputBound(): number | null;
  /** The lowest useful output limit: the limit is not lowered below it. */
  leastOutput(): number;
  /** Units other than tokens. */
  units(): readonly BilledUnits[];
  readonly isStream: boolean;
  /** True: lowering its output limit would be a loss, which strict mode refuses. */
  readonly isStrict: boolean;
  /** The part of the input that may be charged as audio or as images. */
  mediaInput(candidates: readonly Candidate[]): MediaTokens;
  /** What the output may be charged as, apart from text and reasoning. */
  mediaOutput(): readonly TokenBucket[];
  cacheWrites(): CacheWrites;
  readonly cachePath: string;
  /** The service tier, if it is not the default. */
  tier(): string | null;
  readonly tierPath: string;
  pricedTools(): readonly PricedTool[];
  /** What routes choose by. Absent: nothing. */
  needs?(): RequestNeeds;
}

/** One exchange before its candidates are resolved. */
export interface ExchangeIntent {
  /** The gateway's own id of the exchange, UUIDv7: the key of its row in the ledger. */
  readonly id: string;
  readonly caller: Caller;
  readonly operation: Operation;
  /** The model name that the client sent; empty if it sent none. */
  readonly model: string;
  /** The client's request. Building it is expensive, so only a policy that needs the content calls it. */
  content(): OperationRequest | VideoRequest;
}

/** The same, with its candidates. */
export interface ResolvedIntent extends ExchangeIntent {
  readonly size: RequestSize;
  readonly candidates: readonly Candidate[];
}

/** The reservation of a policy for one admitted exchange. */
export interface Reservation {
  /** The usage so far, called at intervals while a reply is streamed. */
  extend?(usage: Usage): void;
  /** Reserves this many tokens of output before they are forwarded. Returns how many are reserved. */
  cover?(outputTokens: number): number;
  /** The lowered output limit. */
  readonly maxOutputTokens?: number | null;
  readonly reservedNanoDollars?: bigint;
  /** The request is sent to this candidate next. False if that is not possible now: another one is tried. */
  attempt?(candidate: Candidate): boolean;
  /** The outcome of the exchange, and its other attempts. Called once; for a video long after the request was answered. */
  settle?(settlement: LedgerSettlement, others?: readonly LedgerAttempt[]): void;
  /** The work in this process has ended. Called once, after an ordinary settlement, or before a later one. */
  release?(): void;
  /** A later policy has refused: undoes the reservation. Absent: it is released. */
  cancel?(): void;
}

/**
 * One rule over every operation: chat, embeddings, images, audio, video create and remix, background responses,
 * compaction. Both steps refuse by throwing a GatewayError. Policies are applied in the order of their list in the
 * composition root.
 */
export interface Policy {
  readonly name: string;
  /** Checks the caller and the request, before candidates are resolved. */
  authorize?(intent: ExchangeIntent): void;
  /** Whether a candidate may be called. False excludes it from the exchange, also as a fallback. */
  permits?(intent: ExchangeIntent, candidate: Candidate): boolean;
  /** Reserves for the exchange. If a later policy refuses, the reservation is released. */
  admit?(intent: ResolvedIntent): Reservation | undefined;
  /** At the start: the reservation of an earlier process for an exchange that is still pending. */
  restore?(held: OpenReservation): Reservation | undefined;
}
