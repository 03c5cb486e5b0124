// A small body to a client's URL: checked like every other, sent once; of the response only the status counts.
import type { IncomingMessage } from "node:http";
import { readAllowed } from "./allowlist.ts";
import type { PostBody } from "./connect.ts";
import { errorFactory } from "./errors.ts";
import { checkFetchUrl, type FetchJob, requestFollowing, type SafeFetchOptions } from "./redirects.ts";
import { systemTimer, withTimeout } from "./timeout.ts";

type Options = Omit<SafeFetchOptions, "post" | "range" | "types" | "maxBytes">;

const usualTimeMs = 15_000;
/** Somebody who says more is cut off. */
const maxResponseBytes = 1_024;

export interface PostAnswer {
  readonly status: number;
  /** As the server sent it. */
  readonly retryAfter: string | null;
}

async function within<Value>(
  options: Options & { readonly post?: PostBody },
  work: (job: FetchJob, release: () => void) => Promise<Value>,
): Promise<Value> {
  const errorFor = errorFactory(options);
  const { timeoutMs = usualTimeMs, setTimer = systemTimer } = options;
  const { signal, release } = withTimeout(options.signal, timeoutMs, setTimer, () => errorFor("slow", timeoutMs));
  try {
    signal.throwIfAborted();
    return await work({ options, allowed: readAllowed(options.allow ?? []), errorFor: errorFor, signal }, release);
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** The rest of the response is discarded, within bounds. */
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

/** Sends once and follows nothing. Throws as `openGuarded` does; any status is an answer. */
export function safePost(url: string, post: PostBody, options: Options): Promise<PostAnswer> {
  return within({ ...options, post }, async (job, release) => {
    const message = await requestFollowing(job, url);
    const retryAfter = message.headers["retry-after"] ?? null;
    dismiss(message, job.signal, release);
    return { status: message.statusCode ?? 0, retryAfter };
  });
}

/** Whether a URL may be sent to at all, as far as one can know before. Throws as `openGuarded` does. */
export function checkUrl(url: string, options: Options): Promise<void> {
  return within(options, async (job, release) => {
    await checkFetchUrl(job, url);
    release();
  });
}
