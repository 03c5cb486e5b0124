// The spans of one exchange: one for each attempt, below the span of the request, or below one of its own.
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { GatewayError } from "../../canonical/error.ts";
import type { SettledExchange } from "../metrics.ts";
import type { ExchangeTrace, StartedAttempt, StartedExchange } from "../trace.ts";
import { attemptAttributes, operationName, timeAttributes, usageAttributes } from "./attributes.ts";
import { headersOf, type RequestSpan, SpanClock, type SpanDependencies } from "./request-span.ts";

const nanoDollarsPerDollar = 1e9;

/** The result of an exchange, as in the ledger. */
export function settledAttributes({ operation, settlement, isStream }: SettledExchange): Attributes {
  const { state, provider, upstreamModel, costNanoDollars, timings } = settlement;
  return {
    "gen_ai.operation.name": operationName(operation),
    "turnpike.state": state,
    "turnpike.stream": isStream,
    ...(provider === null ? {} : { "turnpike.provider": provider }),
    ...(upstreamModel === null ? {} : { "turnpike.upstream_model": upstreamModel }),
    ...(costNanoDollars === null ? {} : { "turnpike.cost": Number(costNanoDollars) / nanoDollarsPerDollar }),
    ...timeAttributes(timings),
  };
}

/** An attempt that has not ended. */
interface OpenAttempt {
  readonly span: Span;
  readonly attempt: StartedAttempt;
  readonly startedMs: number;
  firstByteMs: number | null;
}

/** Its own span where no request waits for it: then with a link to the request that has caused it. */
export class ExchangeSpans implements ExchangeTrace {
  private readonly given: SpanDependencies;
  private readonly exchange: StartedExchange;
  private readonly request: RequestSpan | null;
  private readonly clock: SpanClock;
  private readonly own: Span | null;
  private readonly span: Span;
  private readonly context: Context;
  private current: OpenAttempt | null = null;
  private attempts = 0;
  private isStream = false;

  constructor(given: SpanDependencies, exchange: StartedExchange, request: RequestSpan | null, links: Link[]) {
    this.given = given;
    this.exchange = exchange;
    this.request = request;
    this.clock = request?.clock ?? new SpanClock();
    const { id, requestId, operation, model } = exchange;
    const name = `${operationName(operation)} ${model}`;
    this.own =
      request === null
        ? given.tracer.startSpan(name, { kind: SpanKind.INTERNAL, links, startTime: this.clock.at() }, ROOT_CONTEXT)
        : null;
    this.span = this.own ?? request?.span ?? trace.wrapSpanContext({ traceId: "", spanId: "", traceFlags: 0 });
    this.context = request?.context ?? trace.setSpan(ROOT_CONTEXT, this.span);
    this.span.setAttributes({
      "turnpike.exchange.id": id,
      "turnpike.request.id": requestId,
      "turnpike.model": model,
    });
  }

  attemptStarted(attempt: StartedAttempt): void {
    const attributes = attemptAttributes(this.exchange.operation, attempt);
    const startedMs = performance.now();
    const name = `${operationName(this.exchange.operation)} ${attempt.model}`;
    const options = { kind: SpanKind.CLIENT, attributes, startTime: this.clock.at(startedMs) };
    const span = this.given.tracer.startSpan(name, options, this.context);
    span.setAttributes({ "turnpike.provider": attempt.provider, "turnpike.attempt": ++this.attempts });
    this.current = { span, attempt, startedMs, firstByteMs: null };
  }

  attemptFailed(error: GatewayError): void {
    this.endAttempt(error.kind);
  }

  headers(): Readonly<Record<string, string>> {
    return this.given.propagates ? headersOf(this.current?.span ?? this.span) : {};
  }

  firstByte(): void {
    if (this.current !== null) this.current.firstByteMs ??= performance.now();
  }

  streamStarted(): void {
    this.isStream = true;
    this.request?.streamStarted();
  }

  leftPending(): void {
    this.endAttempt(null);
    this.own?.end(this.clock.at());
  }

  settled(exchange: SettledExchange, error: GatewayError | null): void {
    const { settlement } = exchange;
    this.span.setAttributes({ ...settledAttributes(exchange), "turnpike.attempts": this.attempts });
    this.endAttempt(error?.kind ?? null, exchange);
    if (error !== null) {
      this.request?.failed(error.kind);
      this.own?.setAttribute("error.type", error.kind).setStatus({ code: SpanStatusCode.ERROR });
    }
    if (this.own !== null && settlement.charged) this.own.setAttributes(usageAttributes(settlement.usage));
    this.own?.end(this.clock.at());
    if (this.isStream) this.request?.streamEnded();
  }

  private endAttempt(error: string | null, exchange?: SettledExchange): void {
    if (this.current === null) return;
    const { span, attempt, startedMs, firstByteMs } = this.current;
    this.current = null;
    if (error !== null) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
    const endedMs = performance.now();
    const { instruments, modelLabel } = this.given;
    const common = {
      ...attemptAttributes(this.exchange.operation, attempt),
      "gen_ai.request.model": modelLabel(attempt.provider, attempt.model, error === null),
      "turnpike.provider": attempt.provider,
    };
    instruments.attempt(error === null ? common : { ...common, "error.type": error }, (endedMs - startedMs) / 1_000);
    if (this.isStream && firstByteMs !== null) {
      const seconds = (firstByteMs - startedMs) / 1_000;
      span.setAttributes({ "gen_ai.request.stream": true, "gen_ai.response.time_to_first_chunk": seconds });
      instruments.firstChunk(common, seconds);
    }
    if (exchange?.settlement.charged === true) {
      span.setAttributes(usageAttributes(exchange.settlement.usage));
      instruments.usage(common, exchange.settlement.usage);
    }
    span.end(this.clock.at(endedMs));
  }
}
