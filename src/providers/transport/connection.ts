// One connection to one address: opened, verified, and used for one exchange after the other.
import type { Exchange } from "./exchange.ts";
import { invalidResponseCode, type ProviderTls, TransportError } from "./request.ts";
import type { RequestWriter } from "./request-body.ts";
import type { Address } from "./request-head.ts";
import { type BodySource, IncomingResponse } from "./response.ts";
import { InvalidResponse, type ResponseHead, ResponseParser } from "./response-parser.ts";

type Socket = Bun.Socket<Connection>;

interface ConnectionEvents {
  /** It is open and verified, or has served its exchange, and can take another one. */
  free(connection: Connection): void;
  /** It is closed. `stale` is an exchange that may be sent once more, on a new connection. */
  closed(connection: Connection, stale: Exchange | null): void;
}

const codeOf = (thrown: unknown): string => String(Object(thrown).code ?? "");

/** The same for all connections: each finds itself in its socket. */
const handlers: Bun.SocketHandler<Connection> = {
  open: (socket) => socket.data.opened(socket),
  handshake: (socket, isVerified, error) => socket.data.verified(isVerified, error),
  data: (socket, bytes) => socket.data.receive(bytes as Buffer),
  drain: (socket) => socket.data.flush(),
  error: (socket, error) => socket.data.lost(error),
  close: (socket, error) => socket.data.lost(error),
  connectError: () => undefined,
};

export class Connection implements BodySource {
  readonly address: Address;
  readonly tls: ProviderTls | undefined;
  /** When it became idle. */
  idleSinceMs = 0;
  private readonly events: ConnectionEvents;
  private readonly parser: ResponseParser;
  private socket: Socket | null = null;
  private exchange: Exchange | null = null;
  private response: IncomingResponse | null = null;
  private writer: RequestWriter | null = null;
  private timer: Timer | null = null;
  private isReady = false;
  private hasServed = false;
  private isClosed = false;
  private isPaused = false;
  /** The response is complete, and its connection may be used again. */
  private isEnded = false;
  private keepsAlive = false;

  constructor(address: Address, tls: ProviderTls | undefined, events: ConnectionEvents) {
    this.address = address;
    this.tls = tls;
    this.events = events;
    this.parser = new ResponseParser({
      head: (head) => this.head(head),
      data: (bytes) => this.response?.push(bytes),
      end: () => {
        this.isEnded = true;
      },
    });
  }

  /** Opens it for a first exchange. The certificate of the peer and its name are always verified. */
  open(exchange: Exchange): void {
    const { connectMs } = exchange;
    this.exchange = exchange;
    exchange.release = () => this.close();
    const { hostname, port, isSecure } = this.address;
    if (connectMs !== undefined)
      this.timer = setTimeout(() => this.lost(new TransportError("ETIMEDOUT", "Connecting took too long.")), connectMs);
    const tls = isSecure ? { ...this.tls, rejectUnauthorized: true } : undefined;
    const failed = (thrown: unknown): void => this.lost(thrown);
    try {
      Bun.connect<Connection>({ hostname, port, data: this, socket: handlers, ...(tls && { tls }) }).catch(failed);
    } catch (thrown) {
      // Certificates and keys that the runtime cannot use.
      failed(new TransportError("EPROTO", "The connection could not be configured.", thrown));
    }
  }

  /** Sends another exchange on an open connection. */
  start(exchange: Exchange): void {
    this.exchange = exchange;
    exchange.release = () => this.close();
    this.writer = exchange.started(this.hasServed);
    this.socket?.ref();
    this.flush();
  }

  pause(): void {
    this.isPaused = true;
    this.socket?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.socket?.resume();
  }

  close(): void {
    this.lost(undefined);
  }

  opened(socket: Socket): void {
    this.socket = socket;
    if (this.isClosed) socket.terminate();
    else if (!this.address.isSecure) this.ready();
  }

  /** Called again for each renegotiation, which TLS 1.2 allows at any time. */
  verified(isVerified: boolean, error: unknown): void {
    if (this.isClosed || (this.isReady && isVerified)) return;
    // After the first handshake, the request may have been sent.
    const code = this.isReady ? "ECONNRESET" : codeOf(error) || "EPROTO";
    if (isVerified) this.ready();
    else this.lost(new TransportError(code, "The TLS handshake failed.", error));
  }

  receive(bytes: Buffer): void {
    const { exchange } = this;
    if (exchange === null) {
      // These bytes belong to no request.
      this.close();
      return;
    }
    exchange.hasAnswer = true;
    try {
      const rest = this.parser.push(bytes);
      if (this.isEnded) this.finish(rest.length === 0);
    } catch (thrown) {
      if (!(thrown instanceof InvalidResponse)) throw thrown;
      this.lost(new TransportError(invalidResponseCode, thrown.message, thrown));
    }
  }

  flush(): void {
    if (this.socket === null || this.isClosed || this.writer === null) return;
    const mayWrite = this.writer.write(this.socket);
    if (this.writer.isDone) this.writer = null;
    else if (mayWrite) setImmediate(() => this.flush());
  }

  /** Once: what comes later has no effect. */
  lost(cause: unknown): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.clearTimer();
    const { exchange } = this;
    this.exchange = null;
    this.socket?.terminate();
    const isStale = this.hasServed && exchange?.isStale === true && !(cause instanceof TransportError);
    if (exchange !== null && !isStale) this.end(exchange, cause);
    this.events.closed(this, isStale ? exchange : null);
  }

  private end(exchange: Exchange, cause: unknown): void {
    // Without a cause the peer has ended the connection in order, which may be the end of the body.
    if (cause === undefined && exchange.hasAnswer && this.parser.close()) exchange.end();
    else if (this.socket === null || cause instanceof TransportError) exchange.fail(cause);
    else exchange.lose(cause);
  }

  private ready(): void {
    this.isReady = true;
    this.clearTimer();
    const { exchange } = this;
    this.exchange = null;
    if (exchange === null || exchange.isDone) this.rest();
    else this.start(exchange);
  }

  private clearTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private head(head: ResponseHead): void {
    const { exchange } = this;
    if (exchange === null) return;
    this.keepsAlive = head.keepsAlive;
    this.response = new IncomingResponse(head, exchange.url, this);
    exchange.respond(this.response);
  }

  /** A response that came before its request was sent leaves a connection on which the rest would be misread. */
  private finish(isClean: boolean): void {
    const { exchange } = this;
    const isReusable = isClean && this.keepsAlive && this.writer === null && exchange?.isLast !== true;
    this.exchange = null;
    this.response = null;
    this.writer = null;
    this.isEnded = false;
    this.hasServed = true;
    if (exchange !== null) {
      exchange.release = () => undefined;
      exchange.end();
    }
    if (this.isClosed) return;
    if (isReusable) this.rest();
    else this.close();
  }

  /** An idle connection does not keep the process alive. */
  private rest(): void {
    if (this.isPaused) this.resume();
    this.socket?.unref();
    this.events.free(this);
  }
}
