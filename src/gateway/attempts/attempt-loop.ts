// The one attempt loop: candidates are asked in order until one answers; what may be tried again, and how often.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Events, RequestIds } from "../../telemetry/events.ts";
import type { ServedBy } from "../pipeline/exchange.ts";
import type { Candidate } from "../routing/catalog.ts";
import { type Cooldowns, needsOperator } from "../routing/cooldowns.ts";
import type { AttemptLog } from "./attempt-log.ts";
import { clientError } from "./client-error.ts";

/** A request as it will be sent to one candidate. */
export interface PreparedAttempt<T> {
  readonly warnings: readonly Warning[];
  /** Sends it, and reads as much of the response as decides whether it is one. */
  send(): Promise<T>;
}

/** The attempts that one candidate may get, best first. */
export interface CandidateAttempts<T> {
  /** Null when there is none left. A GatewayError says why this one cannot carry the request: it does not count as an attempt. */
  next(): Promise<PreparedAttempt<T> | GatewayError | null>;
  /** The last one failed. True where another one of this candidate may answer all the same. */
  canRecover(failure: GatewayError): boolean;
  /** The last one answered after `canRecover`. */
  recovered(): void;
}

export interface AttemptLoop<T> {
  /** In the order in which they are asked. */
  readonly candidates: readonly Candidate[];
  readonly maxAttemptsPerRequest: number;
  readonly requestedModel: string;
  /** The client's: aborted when it goes away. */
  readonly signal: () => AbortSignal;
  readonly log: AttemptLog;
  readonly events: Events;
  /** `stopped`: why it has to end before its time. */
  readonly ids: RequestIds & { readonly stopped: GatewayError | null };
  readonly cooldowns: Cooldowns;
  attemptsFor(candidate: Candidate): CandidateAttempts<T>;
  /** Whether another candidate may be asked after this failure. */
  mayContinue(failure: GatewayError): boolean;
}

/** What came of all attempts: a value and who gave it, or the failure that speaks for the request and who was asked last. */
export type AttemptResult<T> =
  | { readonly value: T; readonly servedBy: ServedBy }
  | { readonly failure: GatewayError; readonly servedBy: ServedBy | null };

/** What has been tried so far for one exchange. */
interface AttemptState<T> {
  readonly failures: GatewayError[];
  /** The first reason why a candidate could not carry the request. */
  unsupported: GatewayError | null;
  servedBy: ServedBy | null;
  attempts: number;
  answer: { readonly value: T } | null;
}

export const clientClosed = (): GatewayError => new GatewayError("client_closed", "The client closed the connection.");

/** Why the request was withdrawn: the reason of the signal, where it is more than that the client has gone. */
export const withdrawnBy = ({ reason }: AbortSignal): GatewayError =>
  reason instanceof GatewayError ? reason : clientClosed();

/** Failures speak for the whole exchange in this order: the last one that is neither a rate limit nor for the operator, a rate limit, the last one. */
function verdict(failures: readonly GatewayError[]): GatewayError {
  const forCaller = failures.filter((failure) => !needsOperator(failure));
  const last = forCaller.findLast((failure) => failure.kind !== "upstream_rate_limited") ?? forCaller.at(-1);
  const none = () => new GatewayError("no_provider_available", "No provider is available for this model.");
  return last ?? failures.at(-1) ?? none();
}

/** The server has no such path, or no such model on it, which says nothing about the request: the next candidate is another server. */
const isUnknownThere = (failure: GatewayError): boolean =>
  failure.kind === "upstream_rejected" && (failure.status === 404 || failure.status === 405);

/** Asks one candidate. False when nobody else may be asked. */
async function askCandidate<T>(loop: AttemptLoop<T>, candidate: Candidate, state: AttemptState<T>): Promise<boolean> {
  const { log, cooldowns, requestedModel } = loop;
  const attempts = loop.attemptsFor(candidate);
  let refusal: GatewayError | null = null;
  for (let prepared = await attempts.next(); prepared !== null; prepared = await attempts.next()) {
    if (loop.ids.stopped !== null) {
      state.failures.push(loop.ids.stopped);
      return false;
    }
    if (prepared instanceof GatewayError) {
      state.unsupported ??= prepared;
      log.unable(candidate, prepared);
      continue;
    }
    state.servedBy = { candidate, attempts: ++state.attempts, warnings: prepared.warnings, requestedModel };
    log.begin(candidate);
    try {
      state.answer = { value: await prepared.send() };
      if (refusal !== null) attempts.recovered();
      cooldowns.answered(candidate);
      loop.events.attemptAnswered(candidate.provider.entry.name, candidate.model);
      return false;
    } catch (thrown) {
      const failure = loop.signal().aborted
        ? withdrawnBy(loop.signal())
        : clientError(thrown, candidate, requestedModel);
      log.failed(failure);
      loop.events.attemptFailed(candidate.provider.entry.name, candidate.model, failure, loop.ids);
      cooldowns.failed(candidate, failure);
      if (!attempts.canRecover(failure)) {
        state.failures.push(failure);
        return loop.mayContinue(failure);
      }
      refusal ??= failure;
    }
  }
  if (refusal === null) return true;
  state.failures.push(refusal);
  return loop.mayContinue(refusal) || isUnknownThere(refusal);
}

/** Asks one candidate after the other, until one answers or nobody else may be asked. */
export async function attemptCandidates<T>(loop: AttemptLoop<T>): Promise<AttemptResult<T>> {
  const state: AttemptState<T> = { failures: [], unsupported: null, servedBy: null, attempts: 0, answer: null };
  for (const candidate of loop.candidates) {
    if (state.attempts >= loop.maxAttemptsPerRequest) break;
    if (!(await askCandidate(loop, candidate, state))) break;
  }
  const { failures, unsupported, servedBy, answer } = state;
  if (answer !== null && servedBy !== null) return { value: answer.value, servedBy };
  // A path that the server does not have says less than why the request cannot be sent in another way.
  if (unsupported !== null && failures.every(isUnknownThere)) return { failure: unsupported, servedBy };
  const last = failures.at(-1);
  return { failure: last !== undefined && !loop.mayContinue(last) ? last : verdict(failures), servedBy };
}

/** For candidates that get one attempt. `prepare` throws the reason why the candidate cannot carry the request. */
export function singleAttempt<T>(prepare: () => Promise<PreparedAttempt<T>>): CandidateAttempts<T> {
  let isPrepared = false;
  return {
    async next() {
      if (isPrepared) return null;
      isPrepared = true;
      return prepare().catch(toGatewayError);
    },
    canRecover: () => false,
    recovered: () => undefined,
  };
}

/** For operations that cost nothing when they are asked twice: everything but a refusal of the request itself. */
export const unlessRefused = (failure: GatewayError): boolean => failure.retry !== "never";
