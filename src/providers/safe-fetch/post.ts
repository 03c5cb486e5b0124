// A small body to a stranger's URL: judged like every other, sent once, and of the answer only the status counts.
import type { IncomingMessage } from "node:http";
import { readAllowed } from "./allowlist.ts";
import type { PostBody } from "./connect.ts";
import { errorFactory } from "./errors.ts";
import { checkFetchUrl, type FetchJob, pollTaskFor, type SafeFetchOptions } from "./redirects.ts";
import { systemTimer, withTimeout } from "./timeout.ts";

type Options = Omit<SafeFetchOptions, "post" | "range" | "types" | "maxBytes">;

const usualTimeMs = 15_000;
/** Somebody who says more is cut off. */
const mostHeardBytes = 1_024;

export interface PostAnswer {
  readonly status: number;
  /** As the server said it. */
  readonly retryAfter: string | null;
}

async function within<Value>(
  options: Options & { readonly post?: PostBody },
  work: (errand: FetchJob, release: () => void) => Promise<Value>,
): Promise<Value> {
  const blame = errorFactory(options);
  const { timeoutMs = usualTimeMs, setTimer = systemTimer } = options;
  const { signal, release } = withTimeout(options.signal, timeoutMs, setTimer, () => blame("slow", timeoutMs));
  try {
    signal.throwIfAborted();
    return await work({ options, allowed: readAllowed(options.allow ?? []), blame, signal }, release);
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** A server may finish its answer in peace, within bounds; nobody reads it. */
function dismiss(message: IncomingMessage, signal: AbortSignal, release: () => void): void {
  let heard = 0;
  const cut = (): void => void message.destroy();
  message.on("data", (chunk: Uint8Array) => {
    heard += chunk.byteLength;
    if (heard > mostHeardBytes) cut();
  });
  signal.addEventListener("abort", cut, { once: true });
  message.on("error", cut);
  message.once("close", () => {
    signal.removeEventListener("abort", cut);
    release();
  });
}

/** Sends once and follows nothing. Throws as `openGuarded` does; any status is an answer. */
export function safePost(url: string, post: PostBody, options: Options): Promise<PostAnswer> {
  return within({ ...options, post }, async (errand, release) => {
    const message = await pollTaskFor(errand, url);
    const retryAfter = message.headers["retry-after"] ?? null;
    dismiss(message, errand.signal, release);
    return { status: message.statusCode ?? 0, retryAfter };
  });
}

/** Whether a URL may be sent to at all, as far as one can know before. Throws as `openGuarded` does. */
export function checkUrl(url: string, options: Options): Promise<void> {
  return within(options, async (errand, release) => {
    await checkFetchUrl(errand, url);
    release();
  });
}
