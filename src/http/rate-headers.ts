// Rate limit headers of responses.
import type { Caller } from "../gateway/policy/caller.ts";
import { durationText, type RateStatus, type RateStatuses, type Rates } from "../gateway/policy/rates.ts";
import type { Clock } from "../lib/clock.ts";
import type { ErrorFormat } from "./endpoint.ts";

type Unit = keyof RateStatuses;

function writeUsual(headers: Headers, unit: Unit, { limit, remaining, resetMs }: RateStatus): void {
  headers.set(`x-ratelimit-limit-${unit}`, String(limit));
  headers.set(`x-ratelimit-remaining-${unit}`, String(remaining));
  headers.set(`x-ratelimit-reset-${unit}`, durationText(resetMs));
}

/** Protocols with their own headers write the reset as a time in whole seconds. */
function writeOwn(headers: Headers, name: string, status: RateStatus, nowMs: number): void {
  headers.set(`${name}-limit`, String(status.limit));
  headers.set(`${name}-remaining`, String(status.remaining));
  headers.set(`${name}-reset`, `${new Date(nowMs + status.resetMs).toISOString().slice(0, 19)}Z`);
}

/** The response, with headers if the caller has a limit. */
export function withRateHeaders(
  response: Response,
  caller: Caller,
  { rateHeaders }: ErrorFormat,
  { rates, clock }: { readonly rates: Pick<Rates, "status">; readonly clock: Clock },
): Response {
  const statuses = caller.levels.length === 0 ? null : rates.status(caller);
  if (statuses === null) return response;
  for (const unit of ["requests", "tokens"] as const) {
    const status = statuses[unit];
    if (status === null) continue;
    writeUsual(response.headers, unit, status);
    if (rateHeaders !== undefined) writeOwn(response.headers, `${rateHeaders}-${unit}`, status, clock.nowMs());
  }
  return response;
}
