// Ensures that forwarded output has been reserved: checked after so many bytes that it may not have been.
import type { Usage } from "../../canonical/usage.ts";
import type { Exchange } from "../pipeline/exchange.ts";

/** Punctuation, digits and rare scripts have more than one token per byte, but never two. */
const tokensPerByte = 2;

/** One object for each stream, without closures: docs/decisions/0015-state-of-a-request.md. */
export class OutputCover {
  declare private readonly exchange: Pick<Exchange, "cover">;
  declare private readonly usage: () => Usage;
  declare private coveredBytes: number;

  constructor(exchange: Pick<Exchange, "cover">, usage: () => Usage) {
    this.exchange = exchange;
    this.usage = usage;
    this.coveredBytes = 0;
  }

  /**
   * `bytes` of the whole stream, including this chunk. Returns the reserved tokens if they are not enough, otherwise
   * null.
   */
  missing(bytes: number): number | null {
    if (bytes <= this.coveredBytes) return null;
    const { outputTokens } = this.usage();
    const covered = this.exchange.cover(outputTokens);
    if (covered < outputTokens) return covered;
    this.coveredBytes = bytes + (covered - outputTokens) / tokensPerByte;
    return null;
  }
}
