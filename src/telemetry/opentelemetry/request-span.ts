// The span of a request: from its arrival until it is answered and its stream has ended.
import {
  type Attributes,
  type Context,
  createTraceState,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { type TraceParent, traceHeaders, traceParentOf } from "../../lib/trace-context.ts";
import type { Instruments } from "./instruments.ts";

export interface SpanDependencies {
  readonly tracer: Tracer;
  readonly instruments: Instruments;
  /** The model as a label of metrics, of which there are not too many. */
  readonly modelLabel: (provider: string, model: string, hasAnswered: boolean) => string;
  readonly propagates: boolean;
}

/** Wall times of one request from its monotonic ones, so that a clock that is set does not bend its spans. */
export class SpanClock {
  private readonly offsetMs = Date.now() - performance.now();

  at(monotonicMs = performance.now()): [number, number] {
    const ms = this.offsetMs + monotonicMs;
    const seconds = Math.floor(ms / 1_000);
    return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
  }
}

/** The position of a span, as sent in headers. */
export function headersOf(span: Span): Record<string, string> {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  return traceHeaders({ traceId, spanId, flags: traceFlags, state: traceState?.serialize() ?? "" });
}

const remoteContext = ({ traceId, spanId, flags, state }: TraceParent) => ({
  traceId,
  spanId,
  traceFlags: flags & 1,
  isRemote: true,
  ...(state === "" ? {} : { traceState: createTraceState(state) }),
});

/** A link to the request that has caused the work; none if it is not known. */
export function linkTo(traceparent: string | undefined): Link[] {
  const parent = traceParentOf((name) => (name === "traceparent" ? (traceparent ?? null) : null));
  return parent === null ? [] : [{ context: remoteContext(parent) }];
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export class RequestSpan {
  readonly span: Span;
  readonly context: Context;
  readonly clock = new SpanClock();
  ended = false;
  private readonly given: SpanDependencies;
  private readonly arrivedMs = performance.now();
  private readonly method: string;
  private readonly scheme: string;
  private route: string | undefined;
  private status: number | null = null;
  private failure: string | null = null;
  private openStreams = 0;

  constructor(given: SpanDependencies, request: Request) {
    this.given = given;
    this.method = methods.has(request.method) ? request.method : "_OTHER";
    this.scheme = request.url.startsWith("https:") ? "https" : "http";
    const parent = given.propagates ? traceParentOf((name) => request.headers.get(name)) : null;
    const root = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remoteContext(parent));
    const attributes = { "http.request.method": this.method, "url.scheme": this.scheme };
    const startTime = this.clock.at(this.arrivedMs);
    this.span = given.tracer.startSpan(this.method, { kind: SpanKind.SERVER, attributes, startTime }, root);
    this.context = trace.setSpan(ROOT_CONTEXT, this.span);
  }

  /** The row in place of the path, which may contain ids. */
  routed(path: string, requestId: string): void {
    this.route = path;
    this.span.updateName(`${this.method} ${path}`);
    this.span.setAttributes({ "http.route": path, "url.path": path, "turnpike.request.id": requestId });
  }

  streamStarted(): void {
    this.openStreams++;
  }

  streamEnded(): void {
    this.openStreams--;
    this.endIfDone();
  }

  /** The client has left, or the exchange failed behind its status. */
  failed(code: string): void {
    this.failure = code;
  }

  answered(status: number, isReplay: boolean): void {
    this.status = status;
    if (isReplay) this.span.setAttribute("turnpike.replayed", true);
    this.endIfDone();
  }

  private endIfDone(): void {
    if (this.ended || this.status === null || this.openStreams > 0) return;
    this.ended = true;
    const { status, span, failure } = this;
    const error = failure ?? (status >= 500 ? String(status) : null);
    const outcome: Attributes = {
      "http.response.status_code": status,
      ...(error === null ? {} : { "error.type": error }),
    };
    span.setAttributes(outcome);
    // A status below 500 is not an error of the server; a stream that was cut is one whatever its status was.
    if (error !== null && (status >= 500 || status < 400)) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(this.clock.at());
    const route = this.route === undefined ? {} : { "http.route": this.route };
    const common = { "http.request.method": this.method, "url.scheme": this.scheme, ...route, ...outcome };
    this.given.instruments.request(common, (performance.now() - this.arrivedMs) / 1_000);
  }
}
