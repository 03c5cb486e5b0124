// The only outgoing fetch: one request to one upstream, and what its failures mean.
import { GatewayError } from "../canon/error.ts";

export interface UpstreamRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** In place of `body`: sent one after the other, and never joined where they are large. */
  readonly pieces?: readonly Uint8Array[];
  readonly signal: AbortSignal;
  /** Proxy address from the configuration; variables of the environment are removed before the start. */
  readonly proxy?: string;
}

/** Codes of Bun's fetch for which nothing was sent, so that asking somebody else is safe. */
const nothingSent = new Set([
  "ConnectionRefused",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "DNSResolveFailed",
  "FailedToOpenSocket",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

const closed = new Set(["ECONNRESET", "ConnectionClosed", "EPIPE", "ECONNABORTED"]);

/** What a thrown fetch or body read means. An abort of ours comes back as the reason it was aborted with. */
export function transportError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof GatewayError) return thrown;
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "";
  if (nothingSent.has(code))
    return new GatewayError("upstream_unreachable", "The provider could not be reached.", { cause: thrown });
  if (closed.has(code))
    return new GatewayError("upstream_reset", "The provider closed the connection before it answered.", {
      cause: thrown,
    });
  return new GatewayError("upstream_protocol_error", "The provider's answer broke the rules of HTTP.", {
    cause: thrown,
  });
}

/** Below this, a copy costs less than a stream. */
const smallBytes = 256 * 1024;
const chunkBytes = 256 * 1024;

function* chunksOf(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += chunkBytes) yield piece.subarray(at, at + chunkBytes);
}

/** The pieces as a body, and its length: told, it goes without chunked coding, which many servers of forms do not take. */
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

/** Sends and answers with whatever status came. Redirects are not followed: they would carry the credential along. */
export function send(request: UpstreamRequest): Promise<Response> {
  const options: BunFetchRequestInit & { timeout: false } = {
    method: request.method,
    headers: request.headers,
    signal: request.signal,
    redirect: "manual",
    timeout: false,
  };
  if (request.body !== undefined) options.body = request.body;
  if (request.pieces !== undefined) {
    const { body, length } = bodyOf(request.pieces);
    options.body = body as NonNullable<BunFetchRequestInit["body"]>;
    options.headers = { ...request.headers, "content-length": String(length) };
  }
  if (request.proxy !== undefined) options.proxy = request.proxy;
  return fetch(request.url, options).catch((thrown: unknown) => {
    throw transportError(thrown, request.signal);
  });
}
