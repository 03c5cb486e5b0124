// The guarded fetcher: the only way that a URL from a client, or from a provider's answer, is ever fetched.
import type { IncomingMessage } from "node:http";
import { readAllowed } from "./allowlist.ts";
import { errorFactory } from "./errors.ts";
import { type FetchJob, requestFollowing, type SafeFetchOptions } from "./redirects.ts";
import { accepts, boundedBody, isCompressed, passedHeaders, typeOf } from "./response-policy.ts";
import { systemTimer, withTimeout } from "./timeout.ts";

export type { SafeFetchOptions } from "./redirects.ts";

const usualBytes = 20_000_000;
const usualTimeMs = 10_000;

/** Whatever status came but a redirect. The body has to be read or cancelled; it holds at most `maxBytes`, or errors. */
export interface SafeFetchResponse {
  readonly status: number;
  /** Those that describe the content. */
  readonly headers: Headers;
  /** In small letters, without parameters. */
  readonly type: string;
  readonly body: ReadableStream<Uint8Array>;
}

export interface Fetched {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In small letters, without parameters. */
  readonly type: string;
}

/** What the head says already: a body that is not wanted is not begun. */
function checkHead({ options, errorFor }: FetchJob, message: IncomingMessage): void {
  const { maxBytes = usualBytes, types } = options;
  if (isCompressed(message)) throw errorFor("compressed");
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw errorFor("tooLarge", maxBytes);
  const isContent = message.statusCode === 200 || message.statusCode === 206;
  if (isContent && types !== undefined && !accepts(types, typeOf(message))) throw errorFor("type");
}

async function open(job: FetchJob, text: string, release: () => void): Promise<SafeFetchResponse> {
  const message = await requestFollowing(job, text);
  try {
    checkHead(job, message);
  } catch (thrown) {
    message.destroy();
    throw thrown;
  }
  const { options, errorFor, signal } = job;
  const { maxBytes = usualBytes } = options;
  const body = boundedBody({ message, maxBytes, signal, errorFor: errorFor, release });
  return { status: message.statusCode ?? 0, headers: passedHeaders(message), type: typeOf(message), body };
}

/**
 * Opens a URL for reading. Throws GatewayError: 400 `invalid_value` for a client's URL, 502 or 504 for a provider's,
 * neither of which says what lies in the gateway's network; or the reason with which `options.signal` was aborted.
 */
export async function safeOpen(url: string, options: SafeFetchOptions): Promise<SafeFetchResponse> {
  const errorFor = errorFactory(options);
  const { timeoutMs = usualTimeMs, setTimer = systemTimer } = options;
  const { signal, release } = withTimeout(options.signal, timeoutMs, setTimer, () => errorFor("slow", timeoutMs));
  try {
    signal.throwIfAborted();
    return await open({ options, allowed: readAllowed(options.allow ?? []), errorFor: errorFor, signal }, url, release);
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** Fetches the whole content of a URL. Any status but 200 is a fault; the rest is as `openGuarded` says. */
export async function safeFetch(url: string, options: SafeFetchOptions): Promise<Fetched> {
  const { status, type, body } = await safeOpen(url, options);
  if (status !== 200) {
    await body.cancel();
    throw errorFactory(options)("status", status);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { bytes: Bun.concatArrayBuffers(chunks, Number.POSITIVE_INFINITY, true), type };
}
