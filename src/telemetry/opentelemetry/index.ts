// Traces and metrics over OTLP. This module and the SDK are loaded only where an endpoint is set.
import { AsyncLocalStorage } from "node:async_hooks";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { SettledExchange } from "../metrics.ts";
import type { LateExchange, Traces } from "../trace.ts";
import { operationName, usageAttributes } from "./attributes.ts";
import { ExchangeSpans, settledAttributes } from "./exchange-span.ts";
import { meterProvider, type ReportExport, resourceOf, tracerProvider } from "./exporters.ts";
import { createInstruments } from "./instruments.ts";
import { headersOf, linkTo, RequestSpan, SpanClock, type SpanDependencies } from "./request-span.ts";
import type { OpenTelemetrySettings } from "./settings.ts";

/** Probes and scrapes, which come every few seconds. */
const untraced = /\/(?:livez|readyz|metrics)(?:\?|$)/;

/** The span of the current request; in its background work only the link to it. */
type Current = { readonly request: RequestSpan } | { readonly link: string };

interface OpenTelemetryDependencies extends Pick<SpanDependencies, "modelLabel"> {
  readonly version: string;
  readonly report: ReportExport;
}

/** A span for work that has already ended, with a link to the request that has caused it. */
function lateSpan({ tracer }: SpanDependencies, exchange: SettledExchange, ids: LateExchange): void {
  const clock = new SpanClock();
  const { operation, settlement } = exchange;
  const startTime = clock.at(performance.now() - settlement.durationMs);
  const name = `${operationName(operation)} ${settlement.upstreamModel ?? ""}`.trim();
  const options = { kind: SpanKind.INTERNAL, links: linkTo(ids.traceparent), startTime };
  const span = tracer.startSpan(name, options, ROOT_CONTEXT);
  span.setAttributes({ "turnpike.exchange.id": ids.id, "turnpike.request.id": ids.requestId });
  span.setAttributes({ ...settledAttributes(exchange), ...(settlement.charged && usageAttributes(settlement.usage)) });
  if (settlement.state !== "completed")
    span.setAttribute("error.type", settlement.state).setStatus({ code: SpanStatusCode.ERROR });
  span.end(clock.at());
}

/** Resolves after so long, whatever the collector does. */
async function within(withinMs: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** Starts to export. */
export function createTraces(settings: OpenTelemetrySettings, dependencies: OpenTelemetryDependencies): Traces {
  const resource = resourceOf(settings, dependencies.version);
  const tracers = tracerProvider(settings, resource, dependencies.report);
  const meters = meterProvider(settings, resource, dependencies.report);
  const given: SpanDependencies = {
    tracer: tracers.getTracer("turnpike", dependencies.version),
    instruments: createInstruments(meters),
    modelLabel: dependencies.modelLabel,
    propagates: settings.propagates,
  };
  const storage = new AsyncLocalStorage<Current>();
  return {
    async serve(request, answer) {
      if (untraced.test(request.url)) return answer();
      const span = new RequestSpan(given, request);
      const response = await storage.run({ request: span }, answer);
      span.answered(response.status, response.headers.get("idempotency-replayed") === "true");
      return response;
    },
    routed(path, requestId) {
      const current = storage.getStore();
      if (current !== undefined && "request" in current) current.request.routed(path, requestId);
    },
    exchangeStarted(exchange) {
      const current = storage.getStore();
      if (current === undefined) return new ExchangeSpans(given, exchange, null, []);
      if ("link" in current) return new ExchangeSpans(given, exchange, null, linkTo(current.link));
      const { request } = current;
      if (!request.ended) return new ExchangeSpans(given, exchange, request, []);
      return new ExchangeSpans(given, exchange, null, linkTo(headersOf(request.span)["traceparent"]));
    },
    background(work) {
      const current = storage.getStore();
      if (current === undefined || !("request" in current)) return work();
      return storage.run({ link: headersOf(current.request.span)["traceparent"] ?? "" }, work);
    },
    settledLater: (exchange, ids) => lateSpan(given, exchange, ids),
    close: (withinMs) => within(withinMs, Promise.all([tracers.shutdown(), meters.shutdown()])),
  };
}
