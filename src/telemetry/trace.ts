// Traces as the gateway reports to them: a span for a request, one for each attempt. Null where no endpoint is set.
import type { GatewayError } from "../canonical/error.ts";
import type { SettledExchange } from "./metrics.ts";

/** An exchange that was admitted. */
export interface StartedExchange {
  readonly id: string;
  readonly requestId: string;
  readonly operation: string;
  /** The model name that the client sent. */
  readonly model: string;
}

/** An attempt at a provider. */
export interface StartedAttempt {
  readonly provider: string;
  readonly kind: string;
  /** The provider's own name for the model. */
  readonly model: string;
  /** Null for a provider inside the process. */
  readonly baseUrl: string | null;
}

/** The spans of one exchange. */
export interface ExchangeTrace {
  attemptStarted(attempt: StartedAttempt): void;
  attemptFailed(error: GatewayError): void;
  /** `traceparent` and `tracestate` of the current attempt, or of the request before the first one. */
  headers(): Readonly<Record<string, string>>;
  /** The first byte of the reply was ready. */
  firstByte(): void;
  /** The reply is a stream: the request lasts until the settlement. */
  streamStarted(): void;
  /** The request is answered and its work continues elsewhere. */
  leftPending(): void;
  settled(exchange: SettledExchange, error: GatewayError | null): void;
}

/** A request that ended long after it was answered; `traceparent` is that of the request. */
export interface LateExchange {
  readonly id: string;
  readonly requestId: string;
  readonly traceparent?: string | undefined;
}

export interface Traces {
  /** Answers a request inside a span. */
  serve(request: Request, answer: () => Promise<Response>): Promise<Response>;
  /** The row that the current request matched, such as `/v1/models/{id}`. */
  routed(path: string, requestId: string): void;
  exchangeStarted(exchange: StartedExchange): ExchangeTrace;
  /** Work that a request starts and does not wait for: its exchanges have traces of their own, with a link. */
  background<T>(work: () => T): T;
  settledLater(exchange: SettledExchange, ids: LateExchange): void;
  /** Sends what is left, for so long at most. */
  close(withinMs: number): Promise<void>;
}
