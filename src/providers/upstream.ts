// The only outgoing fetch: sends one request to one upstream, reads its response within limits, and classifies
// failures.
import { closeSync, openSync } from "node:fs";
import { GatewayError } from "../canonical/error.ts";
import { createConnectionWatch, originOf } from "./connection-watch.ts";
import { redactorFor } from "./redaction.ts";

/** The contents of PEM files. */
export interface ProviderTls {
  /** Certificate authorities, in place of the usual ones. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface OutgoingRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Instead of `body`: sent one after the other, and not joined if they are large. */
  readonly pieces?: readonly Uint8Array[];
  readonly signal: AbortSignal;
  readonly tls?: ProviderTls;
  /** Proxy address from the configuration; variables of the environment are removed before the start. */
  readonly proxy?: string;
  /** How long a connection may take. Absent: as long as the signal allows. */
  readonly connectMs?: number;
  /** Opens a new connection, for requests that must not be sent twice and so must not use a stale connection. */
  readonly freshConnection?: true;
}

/**
 * Errors of Bun's fetch before any byte of the request was sent, so that another provider may be called. The
 * certificate codes are OpenSSL's X509 verification results by the names of Node
 * (https://nodejs.org/api/tls.html#x509-certificate-error-codes); EPROTO is a failed handshake: plain HTTP on the TLS
 * port, or a TLS alert.
 */
const certificateRefused: ReadonlySet<string> = new Set([
  "ERR_TLS_CERT_ALTNAME_INVALID",
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "CERT_NOT_YET_VALID", "CERT_HAS_EXPIRED"],
  ...["CERT_SIGNATURE_FAILURE", "CERT_CHAIN_TOO_LONG", "CERT_REVOKED", "CERT_UNTRUSTED", "CERT_REJECTED"],
  ...["INVALID_CA", "INVALID_PURPOSE", "PATH_LENGTH_EXCEEDED", "HOSTNAME_MISMATCH"],
  ...["UNABLE_TO_DECRYPT_CERT_SIGNATURE", "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY", "ERROR_IN_CERT_NOT_BEFORE_FIELD"],
  ...["ERROR_IN_CERT_NOT_AFTER_FIELD", "UNABLE_TO_GET_CRL", "CRL_HAS_EXPIRED", "CRL_NOT_YET_VALID"],
]);
const nothingSent: ReadonlySet<string> = new Set([
  ...["ConnectionRefused", "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "DNSResolveFailed", "FailedToOpenSocket"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "EADDRNOTAVAIL", "EPROTO", ...certificateRefused],
]);

const closed = new Set(["ECONNRESET", "ConnectionClosed", "EPIPE", "ECONNABORTED"]);
const noDescriptors = new Set(["EMFILE", "ENFILE"]);

const codeOf = (thrown: unknown): string =>
  typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "";

/** The provider's certificate was not accepted, which another try does not change. */
export const isCertificateFault = ({ kind, cause }: GatewayError): boolean =>
  kind === "upstream_unreachable" && certificateRefused.has(codeOf(cause));

/**
 * Without a free file descriptor, name lookups fail as if the name did not exist, and `localhost` as if nothing
 * listened.
 */
function isOutOfDescriptors(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return false;
  } catch (thrown) {
    return noDescriptors.has(codeOf(thrown));
  }
}

/** The error for a failed fetch or body read. An abort by the gateway rethrows its reason. */
export function transportError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof GatewayError) return thrown;
  const code = codeOf(thrown);
  if (noDescriptors.has(code) || (nothingSent.has(code) && isOutOfDescriptors()))
    return new GatewayError("overloaded", "The gateway has no free connections. Try again later.", { cause: thrown });
  if (nothingSent.has(code))
    return new GatewayError("upstream_unreachable", "The provider could not be reached.", { cause: thrown });
  if (closed.has(code))
    return new GatewayError("upstream_reset", "The provider closed the connection before it responded.", {
      cause: thrown,
    });
  return new GatewayError("upstream_protocol_error", "Invalid HTTP response from the provider.", {
    cause: thrown,
  });
}

/** As `transportError`, for a reply that has started: a connection that closes early truncated it. */
export function replyError(thrown: unknown, signal: AbortSignal): unknown {
  const error = transportError(thrown, signal);
  if (!(error instanceof GatewayError) || error.kind !== "upstream_reset") return error;
  return new GatewayError(
    "upstream_truncated",
    "The connection to the provider was closed before the response was complete.",
    {
      cause: error.cause,
    },
  );
}

/** Below this, a copy costs less than a stream. */
const smallBytes = 256 * 1024;
const chunkBytes = 256 * 1024;

function* chunksOf(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += chunkBytes) yield piece.subarray(at, at + chunkBytes);
}

/**
 * The pieces as a body, and its length: with a length, chunked encoding is not used, which many servers do not accept
 * for forms.
 */
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

/** Set on every request, so that no environment variable can turn it off. */
const verified = { rejectUnauthorized: true } as const;
/** The runtime copies a body before it sends it: a large one would block the event loop. */
const piecesIn = (body: OutgoingRequest["body"]): readonly Uint8Array[] | undefined =>
  body instanceof Uint8Array && body.length > smallBytes ? [body] : undefined;

function optionsOf(request: OutgoingRequest): BunFetchRequestInit {
  const options: BunFetchRequestInit & { timeout: false } = {
    method: request.method,
    headers: request.headers,
    signal: request.signal,
    tls: request.tls === undefined ? verified : { ...request.tls, ...verified },
    redirect: "manual",
    timeout: false,
  };
  const pieces = request.pieces ?? piecesIn(request.body);
  if (pieces === undefined && request.body !== undefined) options.body = request.body;
  if (pieces !== undefined) {
    const { body, length } = bodyOf(pieces);
    options.body = body as NonNullable<BunFetchRequestInit["body"]>;
    options.headers = { ...request.headers, "content-length": String(length) };
  }
  if (request.proxy !== undefined) options.proxy = request.proxy;
  if (request.freshConnection === true) options.keepalive = false;
  return options;
}

/** Bun keeps an idle connection open for five minutes. */
const pooledMs = 300_000;
/**
 * A reset by a peer that had closed an idle connection arrives within a round trip. Later, the peer has read the
 * request.
 */
const staleMs = 2_000;

/** When each origin last answered on a connection that stayed open. */
type AnsweredAtMs = Map<string, number>;

/** Sends a request. Rejects with GatewayError, or with the reason of an abort. */
export type Send = (request: OutgoingRequest) => Promise<Response>;

/** Whether a request may have gone out on an idle connection: the runtime does not report which one it used. */
function mayBePooled({ url, freshConnection }: OutgoingRequest, sentMs: number, answeredAtMs: AnsweredAtMs): boolean {
  const answeredMs = answeredAtMs.get(originOf(url));
  return freshConnection !== true && answeredMs !== undefined && sentMs - answeredMs < pooledMs;
}

/**
 * Whether a request was most likely lost on an idle connection that its peer had closed: one may have been in the pool,
 * and the reset came at once. A request on a new connection is never repeated, because it may have been processed.
 */
const isStale = (request: OutgoingRequest, error: unknown, sentMs: number, answeredAtMs: AnsweredAtMs): boolean =>
  error instanceof GatewayError &&
  error.kind === "upstream_reset" &&
  mayBePooled(request, sentMs, answeredAtMs) &&
  performance.now() - sentMs < staleMs;

/** On a connection that was made earlier, the request may have arrived. */
const notConnected = (mayHaveArrived: boolean): GatewayError =>
  mayHaveArrived
    ? new GatewayError("upstream_timeout", "The provider does not respond, and accepts no other connection.")
    : new GatewayError("upstream_unreachable", "The connection to the provider could not be made in time.");

/**
 * The only outgoing fetch, for one gateway: returns any status. Redirects are not followed, because they would forward
 * the credential. A request that was lost on a stale connection is sent once more on a new one. After a rejection the
 * caller aborts the signal.
 */
export function createSend(): Send {
  const answeredAtMs: AnsweredAtMs = new Map();
  const watch = createConnectionWatch();
  const fetched = (request: OutgoingRequest): Promise<Response> => {
    const sentMs = performance.now();
    return fetch(request.url, optionsOf(request)).then(
      (response) => {
        if (response.headers.get("connection") !== "close") answeredAtMs.set(originOf(request.url), performance.now());
        return response;
      },
      (thrown: unknown) => {
        const error = transportError(thrown, request.signal);
        if (isStale(request, error, sentMs, answeredAtMs)) return fetched({ ...request, freshConnection: true });
        throw error;
      },
    );
  };
  return (request) => {
    const { url, proxy, connectMs } = request;
    if (connectMs === undefined) return fetched(request);
    const isPooled = mayBePooled(request, performance.now(), answeredAtMs);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const waiting = watch.begin(proxy ?? url, connectMs, () => reject(notConnected(isPooled)));
    fetched(request).then(
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

/** Reads at most `maxBytes`; null when there is more. Transport errors become gateway errors. */
export function readBounded(response: Response, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | null> {
  // The length of a compressed reply does not limit its content.
  const isPlain = !response.headers.has("content-encoding");
  const declared = Number((isPlain ? response.headers.get("content-length") : null) ?? Number.NaN);
  if (declared > maxBytes) return Promise.resolve(null);
  const reading: Promise<Uint8Array | null> = declared >= 0 ? response.bytes() : gather(response, maxBytes);
  return reading.then(
    (bytes) => (bytes === null ? null : (redactorFor(response)?.bytes(bytes, !response.ok) ?? bytes)),
    (thrown: unknown) => {
      throw replyError(thrown, signal);
    },
  );
}

async function gather(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of response.body) {
    total += chunk.length;
    if (total > maxBytes) return null;
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
