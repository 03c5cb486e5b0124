// The token counter with real threads, and the fallback provider for models whose provider has no counter.

import { GatewayError } from "../../canonical/error.ts";
import { type Encoding, type TokenFamily, tokenFamilyOf } from "../../dialects/tokens/families.ts";
import { nonTextTokens, textsOf, tokensOfText } from "../../dialects/tokens/figures.ts";
import { type RequestParts, requestParts, type TextPart } from "../../dialects/tokens/request-parts.ts";
import { workerAddress } from "../../lib/worker.ts";
import type { Provider } from "../provider.ts";
import { type CountThread, createTokenCounter, type TokenCounter } from "./counter.ts";
import type { SliceCount } from "./slices.ts";

export type { TokenCounter };

const workers: { readonly [encoding in Encoding]: string } = {
  o200k_base: "providers/token-counter/worker-o200k.ts",
  cl100k_base: "providers/token-counter/worker-cl100k.ts",
};

function startThread(encoding: Encoding): CountThread {
  const worker = new Worker(workerAddress(workers[encoding], import.meta));
  worker.unref();
  return {
    post: (order) => worker.postMessage(order),
    onCount(listener) {
      worker.onmessage = ({ data }: MessageEvent<SliceCount>) => listener(data);
    },
    onEnd(listener) {
      worker.addEventListener("error", listener);
      worker.addEventListener("close", listener);
    },
    end: () => worker.terminate(),
  };
}

/** By the names of the limits. */
interface CounterLimits {
  readonly maxCountChars: number;
  readonly maxQueuedCountChars: number;
}

/** The limits may change while it runs. */
export const startTokenCounter = (limits: CounterLimits): TokenCounter =>
  createTokenCounter({
    start: startThread,
    get maxChars() {
      return limits.maxCountChars;
    },
    get maxWaitingChars() {
      return limits.maxQueuedCountChars;
    },
  });

async function countTexts(
  counter: TokenCounter,
  texts: readonly TextPart[],
  family: TokenFamily,
  signal?: AbortSignal,
): Promise<number> {
  const { encoding, plain, cjk, singleDigits, perCharacter } = family;
  const split = (plain !== cjk || singleDigits) && { perCharacter };
  return tokensOfText(await counter.count(texts, encoding, split, signal), family);
}

/** Tokens of a text as a family counts them. Rejects as the counter does. */
export function countText(
  counter: TokenCounter,
  text: string,
  family: TokenFamily,
  signal?: AbortSignal,
): Promise<number> {
  return countTexts(counter, [{ text, times: 1 }], family, signal);
}

/** Tokens of a request's input as a family counts them. Rejects as the counter does. */
export async function countInput(
  counter: TokenCounter,
  parts: RequestParts,
  family: TokenFamily,
  signal?: AbortSignal,
): Promise<number> {
  return (await countTexts(counter, textsOf(parts, family), family, signal)) + nonTextTokens(parts, family);
}

/**
 * Counts tokens if the provider of a model has no counter. Its name in `x-turnpike-provider` marks the number as an
 * estimate.
 */
export function estimator(counter: TokenCounter): Provider {
  return {
    kind: { name: "estimate", origin: "estimate", dialects: [] },
    entry: { name: "estimate", models: [], timeouts: {}, options: {} },
    list: {},
    dispatch: {
      form: "canonical",
      operations: new Set(["count"]),
      async answer(request, signal) {
        if (request.operation !== "count")
          throw new GatewayError("internal_error", "The estimator supports token counting only.");
        const family = tokenFamilyOf("", request.model);
        const inputTokens = await countInput(counter, requestParts(request), family, signal);
        return { response: { operation: "count", inputTokens } };
      },
    },
  };
}
