// What the transport sends, and why a request fails.
import type { Cancellation } from "../../lib/cancellation.ts";

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
  readonly signal: Cancellation;
  readonly tls?: ProviderTls;
  /** Proxy address from the configuration; variables of the environment are removed before the start. */
  readonly proxy?: string;
  /** How long a connection may take. Absent: as long as the signal allows. */
  readonly connectMs?: number;
  /** Opens a new connection, for requests that must not be sent twice and so must not use a stale connection. */
  readonly freshConnection?: true;
}

/** Why a request failed; `code` is one of Node's or OpenSSL's, or one of these. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The bytes of the peer are not an HTTP response. */
export const invalidResponseCode = "ERR_INVALID_HTTP_RESPONSE";
/** The peer sends nothing on an open connection, and accepts no other one. */
export const silentPeerCode = "ERR_SILENT_PEER";
