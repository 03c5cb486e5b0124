// The outcome of a request: what its caller is charged, and what its failed attempts may have cost. docs/billing.md has
// the rules.
import { type GatewayError, isWithdrawn } from "../../canonical/error.ts";
import { totalInput, type Usage } from "../../canonical/usage.ts";
import type { AttemptLog, FailedAttempt } from "../attempts/attempt-log.ts";
import type { LedgerAttempt, PassedOver } from "../ledger/ledger.ts";
import type { ClientStreamEnd } from "../streaming/client-stream.ts";
import type { Meter } from "../streaming/meter.ts";
import type { ExchangeOutcome, ServedBy } from "./exchange.ts";
import type { GatewayRequest } from "./gateway-request.ts";
import type { UsageEstimates } from "./usage-estimate.ts";

/** What a settlement needs from its request. */
export interface Settled {
  readonly gatewayRequest: GatewayRequest;
  readonly log: AttemptLog;
  readonly estimates: UsageEstimates;
}

function rowOf({ candidate, ...attempt }: FailedAttempt, inputTokens: number): LedgerAttempt {
  const possibleInputTokens = attempt.outcome === "possible" ? inputTokens : 0;
  const { entry, kind } = candidate.provider;
  return {
    ...{ ...attempt, provider: entry.name, providerKind: kind.name, credential: entry.credentialName ?? null },
    ...{ upstreamModel: candidate.model, possibleInputTokens },
  };
}

/** The rows of failed attempts. */
export const attemptRows = (log: AttemptLog, inputTokens: number): LedgerAttempt[] =>
  log.failures().map((attempt) => rowOf(attempt, inputTokens));

/** The candidates that could not serve the request. */
export const unableRows = (log: AttemptLog): PassedOver[] =>
  log.unables().map(({ candidate, error: { code, param } }) => ({
    provider: candidate.provider.entry.name,
    upstreamModel: candidate.model,
    reason: code,
    ...(param === null ? {} : { field: param }),
  }));

/** Failed attempts before the successful one had the same input. */
const answered = (log: AttemptLog, servedBy: ServedBy, usage: Usage, error: GatewayError | null): ExchangeOutcome => ({
  servedBy,
  usage,
  error,
  attemptStartedMs: log.startedMs(),
  waitedMs: log.waitedMs(),
  passedOver: unableRows(log),
  failedAttempts: attemptRows(log, totalInput(usage)),
});

/** A complete reply was returned. */
export async function repliedOutcome(
  { gatewayRequest, log, estimates }: Settled,
  servedBy: ServedBy,
  usage?: Usage,
): Promise<ExchangeOutcome> {
  return answered(log, servedBy, usage ?? (await estimates.input([gatewayRequest.request], servedBy.candidate)), null);
}

const atMost = (usage: Usage, outputTokens: number): Usage =>
  usage.outputTokens <= outputTokens ? usage : { ...usage, outputTokens };

/**
 * A stream started. Charged as reported, otherwise for what was sent and delivered: never more output than was
 * forwarded.
 */
export async function streamedOutcome(
  { gatewayRequest, log, estimates }: Settled,
  servedBy: ServedBy,
  meter: Meter,
  { error, maxOutputTokens = Number.POSITIVE_INFINITY }: Pick<ClientStreamEnd, "error" | "maxOutputTokens">,
): Promise<ExchangeOutcome> {
  const delivered = (): Promise<Usage> =>
    estimates.stream([gatewayRequest.request], meter.delivered(), servedBy.candidate, meter.reportedInput());
  const usage = meter.reported() ?? atMost(await delivered(), maxOutputTokens);
  return answered(log, servedBy, usage, error);
}

/**
 * No reply was returned. Reported usage is charged. If the client disconnected, or its key was revoked, the input of
 * that attempt is charged. Otherwise the input is what the provider may bill, and the caller is not charged.
 */
export async function failedOutcome(
  { gatewayRequest, log, estimates }: Settled,
  servedBy: ServedBy | null,
  error: GatewayError,
): Promise<ExchangeOutcome> {
  const last = log.failures().findLast(({ outcome }) => outcome === "possible");
  const reported = log.reported();
  const passedOver = unableRows(log);
  if (last === undefined) return { servedBy, usage: reported, error, passedOver, failedAttempts: attemptRows(log, 0) };
  const input = await estimates.input([gatewayRequest.request], last.candidate);
  const hasLeft = isWithdrawn(error) && last === log.failures().at(-1);
  return {
    servedBy,
    usage: reported ?? input,
    error,
    charged: reported !== undefined || hasLeft,
    failedAttempts: attemptRows(log, totalInput(input)),
    passedOver,
  };
}
