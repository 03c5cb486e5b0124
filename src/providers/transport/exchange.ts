// One request and its response: where it is sent, what it resolves to, and how it ends.
import type { Cancellation } from "../../lib/cancellation.ts";
import { type OutgoingRequest, type ProviderTls, TransportError } from "./request.ts";
import { bodyOf, type RequestBody, RequestWriter } from "./request-body.ts";
import { headOf, type Target } from "./request-head.ts";
import type { HttpResponse, IncomingResponse } from "./response.ts";

/** A reset by a peer that had closed an idle connection arrives within a round trip. Later, it has read the request. */
const staleMs = 2_000;

export class Exchange {
  readonly target: Target;
  readonly url: string;
  readonly tls: ProviderTls | undefined;
  readonly connectMs: number | undefined;
  readonly answered: Promise<HttpResponse>;
  /** Until there is a response: up to then, it may have to be sent once more. */
  private head: string | Uint8Array;
  private body: RequestBody | null;
  private readonly signal: Cancellation;
  private readonly onAbort: () => void;
  private resolve!: (response: HttpResponse) => void;
  private reject!: (reason: unknown) => void;
  private response: IncomingResponse | null = null;
  private isOver = false;
  private sentMs = 0;
  private isReused = false;
  /** Whether its connection is closed behind it: one that replaces a stale connection may soon be stale too. */
  isLast: boolean;
  /** Whether a byte of the response has arrived. */
  hasAnswer = false;
  /** Closes the connection that it is on, or the one that is being opened for it. */
  release: () => void = () => undefined;

  /** Throws InvalidRequest. */
  constructor(request: OutgoingRequest, target: Target) {
    const { method, headers, body, pieces, signal } = request;
    this.target = target;
    this.url = request.url;
    this.tls = target.address.isSecure ? request.tls : undefined;
    this.connectMs = request.connectMs;
    this.isLast = request.freshConnection === true;
    this.signal = signal;
    this.body = bodyOf(body, pieces);
    const isPosted = method === "POST" || method === "PUT";
    this.head = headOf(target, { method, headers, bodyBytes: this.body?.bytes ?? (isPosted ? 0 : null) });
    this.answered = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.onAbort = () => this.fail(signal.reason, true);
    signal.addEventListener("abort", this.onAbort);
    if (signal.aborted) this.onAbort();
  }

  get isDone(): boolean {
    return this.isOver;
  }

  /** It goes out now, on a connection that was used before or not. */
  started(isReused: boolean): RequestWriter {
    this.isReused = isReused;
    this.hasAnswer = false;
    this.sentMs = performance.now();
    return new RequestWriter(this.head, this.body);
  }

  /** Whether it was most likely lost on an idle connection that its peer had closed: it may be sent once more. */
  get isStale(): boolean {
    return this.isReused && !this.hasAnswer && !this.isOver && performance.now() - this.sentMs < staleMs;
  }

  respond(response: IncomingResponse): void {
    this.response = response;
    this.head = "";
    this.body = null;
    this.resolve(response);
  }

  /** The response is complete. */
  end(): void {
    this.over();
    this.response?.end();
  }

  /** The response, or the rest of it, will not come. */
  fail(reason: unknown, isAbort = false): void {
    if (this.isOver) return;
    this.over();
    this.reject(reason);
    this.response?.fail(reason, isAbort);
    this.release();
  }

  /** The peer closed the connection. */
  lose(cause?: unknown): void {
    this.fail(new TransportError("ECONNRESET", "The connection was closed before the response was complete.", cause));
  }

  private over(): void {
    this.isOver = true;
    this.signal.removeEventListener("abort", this.onAbort);
  }
}
