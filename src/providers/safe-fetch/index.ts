// The guarded fetcher: the only way in which the gateway fetches a URL from a client or from a provider's reply.
import type { IncomingMessage } from "node:http";
import { readAllowed } from "./allowlist.ts";
import type { PostBody } from "./connect.ts";
import { systemTimer, withTimeout } from "./connect.ts";
import { errorFactory } from "./errors.ts";
import { checkFetchUrl, type FetchJob, requestFollowing, type SafeFetchOptions } from "./redirects.ts";
import { accepts, boundedBody, isCompressed, passedHeaders, typeOf } from "./response-policy.ts";

export type { SafeFetchOptions } from "./redirects.ts";

const usualBytes = 20_000_000;
/** For the response to a POST; the rest is cut off. */
const maxResponseBytes = 1_024;
const usualTimeMs = 10_000;

/**
 * A response with any status but a redirect. The body must be read or canceled; it has at most `maxBytes`, or errors.
 */
interface SafeFetchResponse {
  readonly status: number;
  /** Headers about the content. */
  readonly headers: Headers;
  /** In lower case, without parameters. */
  readonly type: string;
  readonly body: ReadableStream<Uint8Array>;
}

export interface Fetched {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In lower case, without parameters. */
  readonly type: string;
}

/** Checks the head, so that an unwanted body is not read. */
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
  const body = boundedBody({ message, maxBytes, signal, errorFor, release });
  return { status: message.statusCode ?? 0, headers: passedHeaders(message), type: typeOf(message), body };
}

/** Runs a step within the timeout of the options. `release` ends the timeout, and is called here on failure. */
async function within<Value>(
  options: SafeFetchOptions,
  work: (job: FetchJob, release: () => void) => Promise<Value>,
): Promise<Value> {
  const errorFor = errorFactory(options);
  const { timeoutMs = usualTimeMs, setTimer = systemTimer } = options;
  const { signal, release } = withTimeout(options.signal, timeoutMs, setTimer, () => errorFor("slow", timeoutMs));
  try {
    signal.throwIfAborted();
    return await work({ options, allowed: readAllowed(options.allow ?? []), errorFor, signal }, release);
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/**
 * Opens a URL for reading. Throws GatewayError: 400 `invalid_value` for a client's URL, 502 or 504 for a provider's,
 * without details about the gateway's network; or the reason of `options.signal`.
 */
export function safeOpen(url: string, options: SafeFetchOptions): Promise<SafeFetchResponse> {
  return within(options, (job, release) => open(job, url, release));
}

/** Fetches the whole content of a URL. Any status but 200 is an error; otherwise as `safeOpen`. */
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

type Options = Omit<SafeFetchOptions, "post" | "range" | "types" | "maxBytes">;

interface PostAnswer {
  readonly status: number;
  /** As the server sent it. */
  readonly retryAfter: string | null;
}

/** Discards the rest of the response, within limits. */
function dismiss(message: IncomingMessage, signal: AbortSignal, release: () => void): void {
  let receivedBytes = 0;
  const cut = (): void => void message.destroy();
  message.on("data", (chunk: Uint8Array) => {
    receivedBytes += chunk.byteLength;
    if (receivedBytes > maxResponseBytes) cut();
  });
  signal.addEventListener("abort", cut, { once: true });
  message.on("error", cut);
  message.once("close", () => {
    signal.removeEventListener("abort", cut);
    release();
  });
}

/** Sends one POST without following redirects. Throws as `safeOpen` does; any status is returned. */
export function safePost(url: string, post: PostBody, options: Options): Promise<PostAnswer> {
  return within({ ...options, post }, async (job, release) => {
    const message = await requestFollowing(job, url);
    const retryAfter = message.headers["retry-after"] ?? null;
    dismiss(message, job.signal, release);
    return { status: message.statusCode ?? 0, retryAfter };
  });
}

/** Checks in advance whether a URL may be called. Throws as `safeOpen` does. */
export function checkUrl(url: string, options: Options): Promise<void> {
  return within(options, async (job, release) => {
    await checkFetchUrl(job, url);
    release();
  });
}
