// The connections of one gateway to its providers: idle ones are used again, the last one first.
import { Connection } from "./connection.ts";
import { createConnectionWatch } from "./connection-watch.ts";
import { Exchange } from "./exchange.ts";
import { type OutgoingRequest, type ProviderTls, silentPeerCode, TransportError } from "./request.ts";
import { createTargetReader } from "./request-head.ts";
import type { HttpResponse } from "./response.ts";

/** Most servers close an idle connection after 60 s or later. */
const idleMs = 90_000;
const sweepEveryMs = 10_000;
const maxIdlePerAddress = 1_024;

/** Sends a request and returns any response. Rejects with TransportError, InvalidRequest, or the reason of an abort. */
export type Transport = (request: OutgoingRequest) => Promise<HttpResponse>;

type Idle = Map<string, Connection[]>;

/** Connections with different certificates are not exchanged for each other. */
class IdleConnections {
  private readonly byTls = new Map<ProviderTls | undefined, Idle>();
  private sweep: Timer | null = null;

  take(origin: string, tls: ProviderTls | undefined): Connection | undefined {
    return this.byTls.get(tls)?.get(origin)?.pop();
  }

  put(connection: Connection): void {
    const { address, tls } = connection;
    const byOrigin = this.byTls.get(tls) ?? new Map<string, Connection[]>();
    this.byTls.set(tls, byOrigin);
    const idle = byOrigin.get(address.origin) ?? [];
    byOrigin.set(address.origin, idle);
    connection.idleSinceMs = performance.now();
    idle.push(connection);
    if (idle.length > maxIdlePerAddress) idle.shift()?.close();
    this.sweep ??= setInterval(() => this.closeOld(performance.now() - idleMs), sweepEveryMs).unref();
  }

  remove(connection: Connection): void {
    const idle = this.byTls.get(connection.tls)?.get(connection.address.origin);
    const at = idle?.lastIndexOf(connection) ?? -1;
    if (at >= 0) idle?.splice(at, 1);
  }

  /** The oldest are the first of their list. Without any, no timer runs. */
  private closeOld(beforeMs: number): void {
    let left = 0;
    for (const [tls, byOrigin] of this.byTls) {
      for (const [origin, idle] of byOrigin) {
        while (idle[0] !== undefined && idle[0].idleSinceMs < beforeMs) idle.shift()?.close();
        if (idle.length === 0) byOrigin.delete(origin);
        left += idle.length;
      }
      if (byOrigin.size === 0) this.byTls.delete(tls);
    }
    if (left > 0 || this.sweep === null) return;
    clearInterval(this.sweep);
    this.sweep = null;
  }
}

export function createTransport(): Transport {
  const idle = new IdleConnections();
  const targetOf = createTargetReader();
  const watch = createConnectionWatch();
  const connect = (exchange: Exchange): void =>
    new Connection(exchange.target.address, exchange.tls, events).open(exchange);
  const events = {
    free: (connection: Connection): void => idle.put(connection),
    closed(connection: Connection, stale: Exchange | null): void {
      idle.remove(connection);
      if (stale === null) return;
      stale.isLast = true;
      connect(stale);
    },
  };
  /** An idle connection may lead to a peer that is gone without a word. */
  const watched = (exchange: Exchange, connectMs: number): void => {
    const { origin } = exchange.target.address;
    const silent = () =>
      exchange.fail(new TransportError(silentPeerCode, "The peer is silent, and accepts no other connection."));
    const waiting = watch.begin(origin, connectMs, silent);
    exchange.answered.then(
      () => watch.end(waiting, true),
      () => watch.end(waiting, false),
    );
  };
  const start = (request: OutgoingRequest): Exchange => {
    const exchange = new Exchange(request, targetOf(request.url));
    if (exchange.isDone) return exchange;
    const { connectMs, freshConnection } = request;
    const known = freshConnection === true ? undefined : idle.take(exchange.target.address.origin, exchange.tls);
    if (known === undefined) connect(exchange);
    else {
      if (connectMs !== undefined) watched(exchange, connectMs);
      known.start(exchange);
    }
    return exchange;
  };
  return (request) => {
    try {
      return start(request).answered;
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  };
}
