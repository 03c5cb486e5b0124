// What became of each attempt of a request, and what replies said that they used: the ledger is told both.
import type { GatewayError } from "../../canonical/error.ts";
import { addUsage, type Usage } from "../../canonical/usage.ts";
import type { Candidate } from "../routing/catalog.ts";

/**
 * What a provider that did not answer may bill. `unsent`: nothing reached it. `refused`: it answered with a 4xx, and bills nothing.
 * `possible`: it had the request, and then failed, fell silent or was given up.
 */
export type AttemptOutcome = "unsent" | "refused" | "possible";

/** An attempt that did not answer. */
export interface FailedAttempt {
  /** Among all attempts of the request, from 1. */
  readonly number: number;
  readonly candidate: Candidate;
  readonly outcome: AttemptOutcome;
  readonly errorCode: string;
  /** Of the provider's answer; null where there was none. */
  readonly httpStatus: number | null;
  /** Counted from the arrival of the request. */
  readonly startedMs: number;
  readonly durationMs: number;
}

export interface AttemptLog {
  /** The next attempt begins. */
  begin(candidate: Candidate): void;
  /** A call of the current attempt leaves. */
  sent(): void;
  /** That call reached nobody. */
  unreachable(): void;
  /** The status of the provider's answer to a call. */
  answered(httpStatus: number): void;
  /** A call's reply was read; `usage` is what the provider reported. */
  read(usage: Usage | undefined): void;
  /** The current attempt did not answer. */
  failed(error: GatewayError): void;
  /** The sum of what was reported, also by replies that came to nothing for the client; undefined where nothing was. */
  reported(): Usage | undefined;
  failures(): readonly FailedAttempt[];
  /** When the last attempt began, counted from the arrival of the request; null before the first one. */
  startedMs(): number | null;
}

interface Current {
  readonly candidate: Candidate;
  readonly startedMs: number;
  sent: number;
  unreachable: number;
  refused: number;
  read: number;
  httpStatus: number | null;
}

function outcomeOf({ sent, unreachable, refused, read }: Current): AttemptOutcome {
  if (sent > unreachable + refused + read) return "possible";
  return sent > unreachable ? "refused" : "unsent";
}

const isRefusal = (httpStatus: number): boolean => httpStatus >= 400 && httpStatus < 500;

/** `arrivedMs` is monotonic: when the request arrived. */
export function createAttemptLog(nowMs: () => number, arrivedMs: number): AttemptLog {
  const failures: FailedAttempt[] = [];
  let number = 0;
  let current: Current | null = null;
  let reported: Usage | undefined;
  let startedMs: number | null = null;
  return {
    begin(candidate) {
      number++;
      startedMs = Math.round(nowMs() - arrivedMs);
      current = { candidate, startedMs, sent: 0, unreachable: 0, refused: 0, read: 0, httpStatus: null };
    },
    sent() {
      if (current !== null) current.sent++;
    },
    unreachable() {
      if (current !== null) current.unreachable++;
    },
    answered(httpStatus) {
      if (current === null) return;
      current.httpStatus = httpStatus;
      if (isRefusal(httpStatus)) current.refused++;
    },
    read(usage) {
      if (usage === undefined) return;
      if (current !== null) current.read++;
      reported = reported === undefined ? usage : addUsage(reported, usage);
    },
    failed({ code }) {
      if (current === null) return;
      const { candidate, httpStatus, startedMs: begunMs } = current;
      const durationMs = Math.round(nowMs() - arrivedMs) - begunMs;
      const attempt = { number, candidate, outcome: outcomeOf(current), errorCode: code, httpStatus };
      failures.push({ ...attempt, startedMs: begunMs, durationMs });
      current = null;
    },
    reported: () => reported,
    failures: () => failures,
    startedMs: () => startedMs,
  };
}
