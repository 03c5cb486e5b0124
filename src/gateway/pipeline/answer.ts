// Answers a request to a model: candidates are attempted, and the reply is complete or a stream.
import { type GatewayError, toGatewayError } from "../../canonical/error.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { Warning } from "../../canonical/warning.ts";
import { outputBoundPath, withOutputBound } from "../../dialects/output-bound.ts";
import type { RequestOutline } from "../../dialects/request-outline.ts";
import { approximateInput, inputBound } from "../../dialects/tokens/figures.ts";
import { settledWithin } from "../../lib/deadline.ts";
import { createAttemptLog } from "../attempts/attempt-log.ts";
import { type AttemptContext, attemptStream, attemptWhole } from "../attempts/model-attempts.ts";
import type { BodyRecorder } from "../bodies/recorder.ts";
import type { LedgerOpening } from "../ledger/types.ts";
import { attemptCount } from "../operations/token-count.ts";
import { modelNamed, type Plan, resolve, resolveUnnamed } from "../routing/resolve.ts";
import { type ClientStreamEnd, clientStream } from "../streaming/client-stream.ts";
import { createMeter, type Meter } from "../streaming/meter.ts";
import type { GatewayDependencies } from "./dependencies.ts";
import { type Exchange, type ExchangeOutcome, type ServedBy, withServedBy } from "./exchange.ts";
import type { AdmittedExchange, Work } from "./exchange-request.ts";
import { ExchangeTimes } from "./exchange-times.ts";
import type { Gateway } from "./gateway.ts";
import type { GatewayRequest } from "./gateway-request.ts";
import { streamEncoderOf } from "./gateway-request.ts";
import { failedOutcome, repliedOutcome, streamedOutcome } from "./outcome.ts";
import type { GatewayReply, RequestContext } from "./request-context.ts";
import { requestSize } from "./request-size.ts";
import { admit, admitInTurn, perform, run } from "./run.ts";
import { settlePending } from "./settle-pending.ts";
import { familyOf } from "./usage-estimate.ts";

/** Builds the pipeline. */
export function createGateway(dependencies: GatewayDependencies): Gateway {
  return {
    ...dependencies,
    // Prices change while the gateway runs: each request reads them once.
    get prices() {
      return dependencies.prices;
    },
    answer: (request, context) => answerRequest(dependencies, request, context),
    admit: (request, context) => admitRequest(dependencies, request, context),
    answerAdmitted: (admitted, request, context) => answerAdmitted(dependencies, admitted, request, context),
    run: (request, work) => run(dependencies, request, work),
    settlePending: (ids, ending) => settlePending(dependencies, ids, ending),
  };
}

/** Answers one request. Throws GatewayError for every failure before the first byte. */
async function answerRequest(
  dependencies: GatewayDependencies,
  gatewayRequest: GatewayRequest,
  context: RequestContext,
): Promise<GatewayReply> {
  const times = new ExchangeTimes(context, dependencies.clock.monotonicMs());
  const admit = (): AdmittedExchange => admitRequest(dependencies, gatewayRequest, context, times);
  const model = modelNamed(dependencies.catalog.current(), gatewayRequest.outline.model, context.caller);
  const admitted = admitInTurn(dependencies, model, context, admit);
  const exchange = admitted instanceof Promise ? await admitted : admitted;
  return answerAdmitted(dependencies, exchange, gatewayRequest, context);
}

/** Only the admission, for work that starts after its request was answered. */
function admitRequest(
  dependencies: GatewayDependencies,
  gatewayRequest: GatewayRequest,
  context: Omit<RequestContext, "signal" | "encoder">,
  times = new ExchangeTimes(context, dependencies.clock.monotonicMs()),
): AdmittedExchange {
  const { outline } = gatewayRequest;
  const { operation } = outline;
  const { caller, requestId, session, arrivedMs } = context;
  const model = modelNamed(dependencies.catalog.current(), outline.model, caller);
  return admit(dependencies, {
    caller,
    operation,
    model,
    requestId,
    session,
    arrivedMs,
    times,
    size: requestSize(gatewayRequest),
    content: () => gatewayRequest.request,
    resolve: () => planFor(dependencies, outline, model),
  });
}

/** The rest, after every policy has admitted it. */
function answerAdmitted(
  dependencies: GatewayDependencies,
  admitted: AdmittedExchange,
  gatewayRequest: GatewayRequest,
  context: RequestContext,
): Promise<GatewayReply> {
  return perform(dependencies, admitted, workOf(dependencies, admitted, gatewayRequest, context));
}

/** The candidates of a request. */
function planFor(
  { catalog, listings, fallbackProvider }: GatewayDependencies,
  { operation, isUnnamed }: RequestOutline,
  model: string,
): Plan {
  if (isUnnamed) return resolveUnnamed(catalog.current(), listings.now, model, operation);
  return resolve(catalog.current(), listings.now, model, operation, fallbackProvider);
}

function workOf(
  dependencies: GatewayDependencies,
  { candidates, reservations, repeats, dueMs }: AdmittedExchange,
  given: GatewayRequest,
  context: RequestContext,
): Work<GatewayReply> {
  const gatewayRequest = affordable(given, reservations.maxOutputTokens());
  const { clock, deadlines, fetchAllow, limits, preferred, voiceLists, estimates, transcoder, ledger } = dependencies;
  const log = createAttemptLog(clock.monotonicMs, context.arrivedMs, context.readMs);
  const booked = { gatewayRequest, log, estimates };
  return {
    async open(admitted) {
      const entry = await ledger.open(openingOf(dependencies, gatewayRequest, admitted));
      context.opened?.();
      return entry;
    },
    perform(exchange) {
      if (exchange.bodies !== null) recordRequest(exchange.bodies, given);
      const attempts: AttemptContext = {
        candidates,
        gatewayRequest,
        signal: () => exchange.signal(context.signal),
        clock,
        watch: deadlines,
        events: dependencies.events,
        ids: exchange,
        fetchAllow,
        limits,
        dns: dependencies.dnsFor(context.caller.keyId),
        voiceLists,
        log,
        estimates,
        transcoder,
        preferred,
        router: dependencies.router,
        repeats,
        dueMs,
        bodies: exchange.bodies,
      };
      return gatewayRequest.outline.stream
        ? streamed(dependencies, attempts, exchange, context)
        : whole(dependencies, attempts, exchange);
    },
    failed: (error) => failedOutcome(booked, null, error),
  };
}

/** The client's request, as it came where its body is still there. */
function recordRequest(bodies: BodyRecorder, { source, write, envelope: { header } }: GatewayRequest): void {
  const keys = ["authorization", "x-api-key", "x-goog-api-key"].map(header);
  bodies.request(
    source?.body !== undefined && source.value === write.wire ? source.body : JSON.stringify(write.wire),
    keys,
  );
}

function openingOf(
  { clock, prices: { costVersion, priceVersion } }: GatewayDependencies,
  { outline, dialect, input }: GatewayRequest,
  { id, candidates, reservations, request: { requestId, caller, session, model } }: AdmittedExchange,
): LedgerOpening {
  const families = candidates.map(familyOf);
  const { organization, project, keyId, endUser } = caller;
  return {
    id,
    atMs: clock.nowMs(),
    requestId,
    organization,
    project,
    keyId,
    endUser,
    session,
    operation: outline.operation,
    dialect: dialect.name,
    model,
    stream: outline.stream,
    // Counting is free.
    inputTokens: outline.operation === "count" ? 0 : approximateInput(input, families[0]),
    inputBound: inputBound(input, families),
    reservedNanoDollars: reservations.reservedNanoDollars(),
    costVersion,
    priceVersion,
  };
}

/** The request with the output limit that its budget pays for, and a warning. */
function affordable(gatewayRequest: GatewayRequest, maxOutputTokens: number | null): GatewayRequest {
  if (maxOutputTokens === null) return gatewayRequest;
  const { dialect, wire, request, outline, adjustments = [] } = gatewayRequest;
  const tokens = Math.max(1, Math.floor(maxOutputTokens / outline.choices));
  const lowered = request.operation === "chat" ? { ...request, maxOutputTokens: tokens } : request;
  const warning: Warning = { code: "approximated", path: outputBoundPath(dialect, wire) };
  return gatewayRequest.with({
    wire: withOutputBound(dialect, wire, tokens),
    request: lowered,
    adjustments: [...adjustments, warning],
  });
}

/** Settles a failure of all candidates, and throws it. */
async function refuse(
  exchange: Exchange,
  context: AttemptContext,
  { failure, servedBy }: { readonly failure: GatewayError; readonly servedBy: ServedBy | null },
): Promise<never> {
  exchange.replyEnded();
  exchange.bodies?.response(
    JSON.stringify(context.gatewayRequest.dialect.error.render(failure, exchange.requestId).body),
  );
  await exchange.settle(await failedOutcome(context, servedBy, failure));
  throw withServedBy(failure, servedBy);
}

async function whole(
  dependencies: GatewayDependencies,
  context: AttemptContext,
  exchange: Exchange,
): Promise<GatewayReply> {
  const { fallbackProvider, missingCounters } = dependencies;
  const isCount = context.gatewayRequest.outline.operation === "count";
  const result = await (isCount
    ? attemptCount(context, fallbackProvider, missingCounters, attemptWhole)
    : attemptWhole(context));
  if ("failure" in result) return refuse(exchange, context, result);
  exchange.firstByte();
  const { value, servedBy } = result;
  const { body, json, type, usage } = value;
  exchange.bodies?.response(json === undefined ? body : JSON.stringify(json));
  await exchange.settle(await repliedOutcome(context, servedBy, usage));
  const isEstimated = usage?.estimated === true || servedBy.candidate.provider === fallbackProvider;
  const price = exchange.settlement?.priceNanoDollars ?? null;
  return {
    body,
    servedBy,
    isEstimated,
    price,
    exchange,
    ...(json && { json }),
    ...(type === undefined ? {} : { type }),
  };
}

/** Once a stream has begun, its request is never sent again: a long one would be held for as long as the stream is open. */
function releaseBody({ source }: GatewayRequest): void {
  if (source !== undefined) source.body = undefined;
}

async function streamed(
  dependencies: GatewayDependencies,
  context: AttemptContext,
  exchange: Exchange,
  { encoder, requestId, signal, drop = (): void => undefined }: RequestContext,
): Promise<GatewayReply> {
  const { streamTimers, drains } = dependencies;
  const { gatewayRequest } = context;
  let meter: Meter | null = null;
  const stream = attemptStream(context, (candidate) => {
    const family = familyOf(candidate);
    const inputTokens = approximateInput(gatewayRequest.input, family);
    meter = createMeter({ ...zeroUsage, inputTokens, estimated: true }, family);
    return meter;
  });
  void stream.then((tried) => "failure" in tried || releaseBody(gatewayRequest));
  // Audio needs its Content-Type before its first byte, and has no heartbeats.
  const early = gatewayRequest.dialect.audio
    ? await stream
    : await settledWithin(stream, streamTimers.heartbeatMs, { ticker: streamTimers.ticker, clock: dependencies.clock });
  if (early !== null && "failure" in early) return refuse(exchange, context, early);
  const outcome = (end: ClientStreamEnd): Promise<ExchangeOutcome> => {
    exchange.replyEnded();
    return end.opened && end.servedBy !== null && meter !== null
      ? streamedOutcome(context, end.servedBy, meter, end)
      : failedOutcome(context, end.servedBy, end.error ?? toGatewayError(new Error("the stream never began")));
  };
  exchange.startStream();
  const body = clientStream({
    stream,
    exchange,
    encoder: encoder ?? streamEncoderOf(gatewayRequest.dialect, requestId),
    signal: signal(),
    drop,
    usage: (): Usage => meter?.approximate() ?? zeroUsage,
    outcome,
    drains,
    pace: streamTimers,
    overdue: early === null,
  });
  const type = early?.value.type ?? null;
  const shown = exchange.bodies?.responseStream(body) ?? body;
  return { body: shown, servedBy: early?.servedBy ?? null, exchange, ...(type === null ? {} : { type }) };
}
