// The response of the transport: its status and headers, and its body, which is read once and at the pace of its reader.
import type { HeaderList, ResponseHeaders } from "./headers.ts";
import type { ResponseHead } from "./response-parser.ts";

/** What the gateway uses of a response; the runtime's `Response` has it too. */
export interface HttpResponse {
  readonly status: number;
  readonly ok: boolean;
  /** Where it came from; empty if that is unknown. */
  readonly url: string;
  readonly headers: ResponseHeaders;
  /** Null if the response cannot have a body. */
  readonly body: ReadableStream<Uint8Array> | null;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

type Read = { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value?: undefined };

/** Reads a body part by part. One `read` at a time. */
export interface BodyReader {
  read(): Promise<Read>;
  cancel(reason?: unknown): Promise<void>;
}

/** Receives the next part of a body, or its end, or why there is none. */
export interface BodySink {
  data(bytes: Uint8Array): void;
  end(): void;
  fail(reason: unknown): void;
}

/** Without the promises of a `read`, which cost 1 µs for each event of a stream. */
export interface BodyFeed extends BodyReader {
  /** Calls the sink once, and never before it returns. */
  next(sink: BodySink): void;
}

/** The connection that a body arrives on. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** The rest of the body is not read. */
  close(): void;
}

/** Bytes held of a body that is not read, and how few are left when reading continues. */
const pauseAtBytes = 64 * 1024;
const resumeAtBytes = 16 * 1024;

const ended: Read = { done: true };
const nothing = new Uint8Array();

export class IncomingResponse implements HttpResponse, BodyFeed {
  readonly status: number;
  readonly url: string;
  readonly headers: HeaderList;
  private readonly hasBody: boolean;
  /** Null once the body is complete: the connection serves another request then. */
  private source: BodySource | null;
  private stream: ReadableStream<Uint8Array> | undefined;
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  private isPaused = false;
  private isOver = false;
  private failure: { readonly reason: unknown } | null = null;
  private waiter: BodySink | null = null;
  /** All of the body is wanted at once. */
  private whole: { resolve(bytes: Uint8Array): void; reject(reason: unknown): void } | null = null;

  constructor({ status, headers, hasBody }: ResponseHead, url: string, source: BodySource) {
    this.status = status;
    this.url = url;
    this.headers = headers;
    this.hasBody = hasBody;
    this.source = source;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (!this.hasBody) return null;
    this.stream ??= streamOf(this);
    return this.stream;
  }

  read(): Promise<Read> {
    return new Promise((resolve, reject) => {
      const data = (value: Uint8Array): void => resolve({ done: false, value });
      this.next({ data, end: () => resolve(ended), fail: reject });
    });
  }

  next(sink: BodySink): void {
    const { failure } = this;
    if (this.waiter !== null || this.whole !== null) {
      queueMicrotask(() => sink.fail(new Error("the body is being read")));
      return;
    }
    const value = this.held.shift();
    if (value !== undefined) {
      this.heldBytes -= value.length;
      if (this.isPaused && this.heldBytes <= resumeAtBytes) this.resume();
      // Not at once: a reader that asks for the next part in its sink would be called within itself for each part.
      queueMicrotask(() => sink.data(value));
    } else if (failure !== null) queueMicrotask(() => sink.fail(failure.reason));
    else if (this.isOver) queueMicrotask(() => sink.end());
    else this.waiter = sink;
  }

  cancel(): Promise<void> {
    const { source, waiter } = this;
    this.drop();
    this.waiter = null;
    if (waiter !== null) queueMicrotask(() => waiter.end());
    this.end();
    source?.close();
    return Promise.resolve();
  }

  bytes(): Promise<Uint8Array> {
    if (this.waiter !== null || this.whole !== null) return Promise.reject(new Error("the body is being read"));
    if (this.failure !== null) return Promise.reject(this.failure.reason);
    if (this.isOver) return Promise.resolve(this.take());
    return new Promise((resolve, reject) => {
      this.whole = { resolve, reject };
      if (this.isPaused) this.resume();
    });
  }

  text(): Promise<string> {
    return this.bytes().then((bytes) => new TextDecoder().decode(bytes));
  }

  json(): Promise<unknown> {
    return this.text().then((text): unknown => JSON.parse(text));
  }

  /** Of the connection: the next part of the body. */
  push(bytes: Uint8Array): void {
    const { waiter } = this;
    if (waiter !== null) {
      this.waiter = null;
      waiter.data(bytes);
      return;
    }
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.whole !== null || this.isPaused || this.heldBytes < pauseAtBytes) return;
    this.isPaused = true;
    this.source?.pause();
  }

  /** Of the connection: the body is complete. */
  end(): void {
    if (this.isOver || this.failure !== null) return;
    this.isOver = true;
    this.isPaused = false;
    this.source = null;
    const { waiter } = this;
    this.waiter = null;
    waiter?.end();
    this.whole?.resolve(this.take());
    this.whole = null;
  }

  /** Of the connection: the rest of the body will not come. What has arrived can be read, unless the gateway gave up. */
  fail(reason: unknown, isAbort: boolean): void {
    if (this.isOver || this.failure !== null) return;
    if (isAbort) this.drop();
    this.failure = { reason };
    this.isPaused = false;
    this.source = null;
    const { waiter } = this;
    this.waiter = null;
    // Not at once: the caller of an abort has something to finish first.
    if (waiter !== null) queueMicrotask(() => waiter.fail(reason));
    this.whole?.reject(reason);
    this.whole = null;
  }

  private drop(): void {
    this.held = [];
    this.heldBytes = 0;
  }

  private take(): Uint8Array {
    const { held } = this;
    this.drop();
    return held.length === 1 ? (held[0] ?? nothing) : Buffer.concat(held);
  }

  private resume(): void {
    this.isPaused = false;
    this.source?.resume();
  }
}

export function streamOf(reader: BodyReader): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        reader.read().then(({ done, value }) => {
          if (done) controller.close();
          else controller.enqueue(value);
        }),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Reads a body without a stream around it, where the transport has none. */
export function readerOf(response: HttpResponse): BodyFeed {
  if (response instanceof IncomingResponse) return response;
  const reader = (response.body ?? new Blob().stream()).getReader() as BodyReader;
  return {
    read: () => reader.read(),
    cancel: (reason) => reader.cancel(reason),
    next: (sink) =>
      void reader.read().then(
        ({ done, value }) => (done ? sink.end() : sink.data(value)),
        (thrown: unknown) => sink.fail(thrown),
      ),
  };
}
