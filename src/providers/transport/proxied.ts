// Requests through a proxy: the runtime's `fetch` speaks its protocol, and so has connections of its own.
import { abortSignalOf } from "../../lib/cancellation.ts";
import { createConnectionWatch } from "./connection-watch.ts";
import { type OutgoingRequest, silentPeerCode, TransportError } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** Below this, a copy costs less than a stream. */
const smallBytes = 256 * 1024;
const chunkBytes = 256 * 1024;

function* chunksOf(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += chunkBytes) yield piece.subarray(at, at + chunkBytes);
}

/** With a length, chunked encoding is not used, which many servers do not accept for forms. */
function bodyOf(pieces: readonly Uint8Array[]): { body: ReadableStream<Uint8Array> | Uint8Array; length: number } {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= smallBytes) return { body: Buffer.concat(pieces), length };
  const chunks = chunksOf(pieces);
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const { done, value } = chunks.next();
    if (done) controller.close();
    else controller.enqueue(value);
  };
  return { body: new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }), length };
}

function optionsOf(request: OutgoingRequest, proxy: string): BunFetchRequestInit {
  const { method, headers, signal, tls, body, freshConnection } = request;
  // The runtime copies a body before it sends it: a large one would block the event loop.
  const pieces = request.pieces ?? (body instanceof Uint8Array && body.length > smallBytes ? [body] : undefined);
  const options: BunFetchRequestInit & { timeout: false } = {
    method,
    headers,
    signal: abortSignalOf(signal),
    // On every request, so that no environment variable can turn it off.
    tls: { ...tls, rejectUnauthorized: true },
    redirect: "manual",
    timeout: false,
    proxy,
  };
  if (pieces === undefined && body !== undefined) options.body = body;
  if (pieces !== undefined) {
    const joined = bodyOf(pieces);
    options.body = joined.body as NonNullable<BunFetchRequestInit["body"]>;
    options.headers = { ...headers, "content-length": String(joined.length) };
  }
  if (freshConnection === true) options.keepalive = false;
  return options;
}

/** `fetch` does not report when it has connected: a proxy that accepts no connections is found by trying one. */
export function createProxied(): (request: OutgoingRequest, proxy: string) => Promise<HttpResponse> {
  const watch = createConnectionWatch();
  return (request, proxy) => {
    const { url, connectMs } = request;
    const answered = fetch(url, optionsOf(request, proxy));
    if (connectMs === undefined) return answered;
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    const silent = (): void => reject(new TransportError(silentPeerCode, "The proxy accepts no connections."));
    const waiting = watch.begin(proxy, connectMs, silent);
    answered.then(
      (response) => {
        watch.end(waiting, true);
        resolve(response);
      },
      (thrown: unknown) => {
        watch.end(waiting, false);
        reject(thrown);
      },
    );
    return promise;
  };
}
