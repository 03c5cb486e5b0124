// The only attempt loop: candidates are called in order until one succeeds, within the limits on retries.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { Warning } from "../../canonical/warning.ts";
import { isContentRefusal } from "../../dialects/images/content-policy.ts";
import type { Events, RequestIds } from "../../telemetry/events.ts";
import type { StartedAttempt } from "../../telemetry/trace.ts";
import type { Exchange, ServedBy } from "../pipeline/exchange.ts";
import type { Candidate } from "../routing/catalog.ts";
import { needsOperator } from "../routing/failure-effects.ts";
import { allAtLimits } from "../routing/provider-limits.ts";
import type { Router } from "../routing/router.ts";
import type { AttemptLog } from "./attempt-log.ts";
import { clientError } from "./client-error.ts";
import { blamesCredential, isSameServer, pause, repeatWaitMs } from "./retry.ts";

/** A request as it is sent to one candidate. */
interface PreparedAttempt<T> {
  readonly warnings: readonly Warning[];
  /** Sends it, and reads enough of the response to decide whether it is one. */
  send(): Promise<T>;
}

/** Null when there is none left. A GatewayError is the reason why this one cannot serve the request; it does not count as an attempt. */
export type Preparation<T> = PreparedAttempt<T> | GatewayError | null;

/** The attempts that one candidate may get, best first. */
export interface CandidateAttempts<T> {
  /** The next one, at once where nothing has to be looked up for it. */
  next(): Preparation<T> | Promise<Preparation<T>>;
  /** The last one failed. True where another one of this candidate may answer all the same. */
  canRecover(failure: GatewayError): boolean;
  /** The last one succeeded after `canRecover`. */
  recovered(): void;
}

/** The limits of a route on the attempts of a request. */
export interface AttemptBounds {
  readonly router: Pick<Router, "health" | "random">;
  /** How often a candidate is called again before the next one. */
  readonly repeats: number;
  /**
   * Monotonic time by which there must be a response, or the first event of a stream. Only the first attempt may start
   * later.
   */
  readonly dueMs: number;
}

/** The ids of a request, and the reports of its attempts. `stopped`: why it must end early. */
export type AttemptedExchange = RequestIds & Pick<Exchange, "startAttempt" | "answeredBy" | "stopped">;

interface AttemptLoop<T> extends AttemptBounds {
  /** In the order of the attempts. */
  readonly candidates: readonly Candidate[];
  readonly maxAttemptsPerRequest: number;
  readonly requestedModel: string;
  /** The client's signal: aborted when it disconnects. */
  readonly signal: () => AbortSignal;
  readonly log: AttemptLog;
  readonly events: Events;
  readonly ids: AttemptedExchange;
  readonly isStream: boolean;
  attemptsFor(candidate: Candidate): CandidateAttempts<T>;
  /** Whether another candidate may be called after this failure. */
  mayContinue(failure: GatewayError): boolean;
}

/**
 * The outcome of all attempts: a value and its provider, or the failure for the client and the provider of the last
 * attempt.
 */
export type AttemptResult<T> =
  | { readonly value: T; readonly servedBy: ServedBy }
  | { readonly failure: GatewayError; readonly servedBy: ServedBy | null };

/** The state of the attempts of one exchange. */
interface AttemptState<T> {
  readonly failures: GatewayError[];
  /** The first reason why a candidate could not serve the request. */
  unsupported: GatewayError | null;
  servedBy: ServedBy | null;
  attempts: number;
  answer: { readonly value: T } | null;
  previous: Candidate | null;
}

export const clientClosed = (): GatewayError => new GatewayError("client_closed", "The client closed the connection.");

/** Why the request was aborted: the reason of the signal, if it is more than a disconnected client. */
export const withdrawnBy = ({ reason }: AbortSignal): GatewayError =>
  reason instanceof GatewayError ? reason : clientClosed();

/**
 * The failure of the whole exchange, in this order: the last one that is neither a rate limit nor for the operator, a
 * rate limit, the last one.
 */
function verdict(failures: readonly GatewayError[]): GatewayError {
  const forCaller = failures.filter((failure) => !needsOperator(failure));
  const last = forCaller.findLast((failure) => failure.kind !== "upstream_rate_limited") ?? forCaller.at(-1);
  const none = () => new GatewayError("no_provider_available", "No provider is available for this model.");
  return last ?? failures.at(-1) ?? none();
}

/**
 * The server does not have this path, or not this model, which is independent of the request: the next candidate is
 * another server.
 */
const isUnknownThere = (failure: GatewayError): boolean =>
  failure.kind === "upstream_rejected" && (failure.status === 404 || failure.status === 405);

/** The outcome of one call of a candidate: null if it succeeded, or could not serve the request. */
interface Refusal {
  readonly failure: GatewayError;
  /** Another candidate may be called. */
  readonly mayContinue: boolean;
}

const startedAttempt = ({ provider, model }: Candidate): StartedAttempt => ({
  provider: provider.entry.name,
  kind: provider.kind.name,
  model,
  baseUrl: provider.dispatch.form === "http" ? provider.dispatch.baseUrl : null,
});

/** Calls one candidate, with each of its possible attempts. */
async function askCandidate<T>(
  loop: AttemptLoop<T>,
  candidate: Candidate,
  state: AttemptState<T>,
): Promise<Refusal | null> {
  const { log, requestedModel } = loop;
  const { health } = loop.router;
  const attempts = loop.attemptsFor(candidate);
  let refusal: GatewayError | null = null;
  for (;;) {
    const next = attempts.next();
    const prepared = next instanceof Promise ? await next : next;
    if (prepared === null) break;
    if (loop.ids.stopped !== null) return { failure: loop.ids.stopped, mayContinue: false };
    if (prepared instanceof GatewayError) {
      state.unsupported ??= prepared;
      log.unable(candidate, prepared);
      continue;
    }
    if (!loop.ids.startAttempt(candidate)) {
      // The limit was reached after the candidates were put in order.
      state.unsupported ??= allAtLimits();
      log.unable(candidate, allAtLimits());
      break;
    }
    state.servedBy = { candidate, attempts: ++state.attempts, warnings: prepared.warnings, requestedModel };
    log.begin(candidate);
    if (loop.ids.trace) loop.ids.trace.attemptStarted(startedAttempt(candidate));
    const begunMs = health.begin(candidate);
    try {
      state.answer = { value: await prepared.send() };
      if (refusal !== null) attempts.recovered();
      health.answered(candidate, begunMs, loop.isStream);
      loop.ids.answeredBy(candidate);
      loop.events.attemptAnswered(candidate.provider.entry.name, candidate.model);
      return null;
    } catch (thrown) {
      const failure = loop.signal().aborted
        ? withdrawnBy(loop.signal())
        : clientError(thrown, candidate, requestedModel);
      log.failed(failure);
      loop.ids.trace?.attemptFailed(failure);
      loop.events.attemptFailed(candidate.provider.entry.name, candidate.model, failure, loop.ids);
      health.failed(candidate, begunMs, failure);
      if (!attempts.canRecover(failure)) return { failure, mayContinue: loop.mayContinue(failure) };
      refusal ??= failure;
    }
  }
  if (refusal === null) return null;
  return { failure: refusal, mayContinue: loop.mayContinue(refusal) || isUnknownThere(refusal) };
}

/**
 * Calls one candidate, and repeats it as often as its route allows. False if no other candidate may be called in its
 * turn.
 */
async function askRepeatedly<T>(loop: AttemptLoop<T>, candidate: Candidate, state: AttemptState<T>): Promise<boolean> {
  for (let repeat = 0; ; repeat++) {
    const refusal = await askCandidate(loop, candidate, state);
    if (refusal === null) return true;
    const { failure, mayContinue } = refusal;
    state.failures.push(failure);
    if (!mayContinue) return false;
    if (failure.retry === "ambiguous" && !loop.router.health.takeRetry(candidate)) return false;
    const waitMs = repeat < loop.repeats && isOpen(loop, state) ? repeatWaitMs(failure, repeat, loop) : null;
    if (waitMs === null) return true;
    await pause(waitMs, loop.signal());
    if (loop.signal().aborted) return false;
  }
}

/** Another attempt may start. */
const isOpen = <T>(loop: AttemptLoop<T>, { attempts }: AttemptState<T>): boolean =>
  attempts < loop.maxAttemptsPerRequest && (attempts === 0 || loop.router.health.nowMs() < loop.dueMs);

/** Whether a candidate is called after the failures of those before it. */
function isNext<T>(candidate: Candidate, { failures, previous }: AttemptState<T>, mayContinue: boolean): boolean {
  const last = failures.at(-1);
  if (last === undefined) return candidate.after === undefined || candidate.after === "error";
  if (candidate.after === "context_length") return last.kind === "context_length_exceeded";
  if (candidate.after === "content_refusal") return isContentRefusal(last);
  if (!mayContinue) return false;
  return previous === null || !isSameServer(previous, candidate) || blamesCredential(last);
}

/** Calls one candidate after the other, until one succeeds or no other may be called. */
export async function attemptCandidates<T>(loop: AttemptLoop<T>): Promise<AttemptResult<T>> {
  const state: AttemptState<T> = {
    ...{ failures: [], unsupported: null, servedBy: null, attempts: 0, answer: null, previous: null },
  };
  let mayContinue = true;
  for (const candidate of loop.candidates) {
    if (!isOpen(loop, state)) break;
    if (!isNext(candidate, state, mayContinue)) continue;
    const before = state.failures.length;
    const goesOn = await askRepeatedly(loop, candidate, state);
    if (state.failures.length > before) mayContinue = goesOn;
    if (state.answer !== null || loop.signal().aborted) break;
    state.previous = candidate;
  }
  const { failures, unsupported, servedBy, answer } = state;
  if (answer !== null && servedBy !== null) return { value: answer.value, servedBy };
  // Why the request cannot be sent in another dialect is more informative than a path that the server does not have.
  if (unsupported !== null && failures.every(isUnknownThere)) return { failure: unsupported, servedBy };
  const last = failures.at(-1);
  return { failure: last !== undefined && !loop.mayContinue(last) ? last : verdict(failures), servedBy };
}

/** For candidates with a single attempt. `prepare` throws the reason why the candidate cannot serve the request. */
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

/** For operations that cost nothing when repeated: every failure but a refusal of the request itself. */
export const unlessRefused = (failure: GatewayError): boolean => failure.retry !== "never";
