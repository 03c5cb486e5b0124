// The only way to a provider: sends one request, classifies failures, and reads the response within limits.

import { closeSync, openSync } from "node:fs";
import { GatewayError } from "../canonical/error.ts";
import type { Cancellation } from "../lib/cancellation.ts";
import { redactorFor } from "./redaction.ts";
import { decoded } from "./transport/decoding.ts";
import { createTransport } from "./transport/pool.ts";
import { createProxied } from "./transport/proxied.ts";
import { type OutgoingRequest, silentPeerCode } from "./transport/request.ts";
import { InvalidRequest } from "./transport/request-head.ts";
import { type HttpResponse, readerOf } from "./transport/response.ts";

export type { OutgoingRequest, ProviderTls } from "./transport/request.ts";
export type { HttpResponse } from "./transport/response.ts";

/**
 * Errors before any byte of the request was sent, so that another provider may be called. The
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
export function transportError(thrown: unknown, signal: Cancellation): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof InvalidRequest)
    return new GatewayError("internal_error", "The request to the provider is not valid HTTP.", { cause: thrown });
  const code = codeOf(thrown);
  if (noDescriptors.has(code) || (nothingSent.has(code) && isOutOfDescriptors()))
    return new GatewayError("overloaded", "The gateway has no free connections. Try again later.", { cause: thrown });
  if (code === silentPeerCode)
    return new GatewayError("upstream_timeout", "The provider does not respond, and accepts no other connection.", {
      cause: thrown,
    });
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
export function replyError(thrown: unknown, signal: Cancellation): unknown {
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

/** Sends a request. Rejects with GatewayError, or with the reason of an abort. */
export type Send = (request: OutgoingRequest) => Promise<HttpResponse>;

/**
 * The way to providers for one gateway: returns any status. Redirects are not followed, because they would forward the
 * credential. A request that was lost on a stale connection is sent once more on a new one. The response must be read,
 * or its request aborted.
 */
export function createSend(): Send {
  const direct = createTransport();
  const proxied = createProxied();
  return (request) => {
    const { proxy, signal } = request;
    const sent = proxy === undefined ? direct(request) : proxied(request, proxy);
    return sent.then(decoded, (thrown: unknown) => {
      throw transportError(thrown, signal);
    });
  };
}

/** Reads at most `maxBytes`; null when there is more. Transport errors become gateway errors. */
export function readBounded(
  response: HttpResponse,
  maxBytes: number,
  signal: Cancellation,
): Promise<Uint8Array | null> {
  const { headers } = response;
  // The length of a compressed reply does not limit its content, and that of a chunked one means nothing.
  const isPlain = !headers.has("content-encoding") && !headers.has("transfer-encoding");
  const declared = Number((isPlain ? headers.get("content-length") : null) ?? Number.NaN);
  if (declared > maxBytes)
    return readerOf(response)
      .cancel()
      .then(() => null);
  const reading: Promise<Uint8Array | null> = declared >= 0 ? response.bytes() : gather(response, maxBytes);
  return reading.then(
    (bytes) => (bytes === null ? null : (redactorFor(response)?.bytes(bytes, !response.ok) ?? bytes)),
    (thrown: unknown) => {
      throw replyError(thrown, signal);
    },
  );
}

async function gather(response: HttpResponse, maxBytes: number): Promise<Uint8Array | null> {
  const reader = readerOf(response);
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    total += read.value.length;
    if (total > maxBytes) {
      await reader.cancel();
      return null;
    }
    chunks.push(read.value);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
