// The meter: sees every delta of a reply go by and knows at any moment what has been used.
import type { Delta } from "../canon/delta.ts";
import type { Usage } from "../canon/usage.ts";

const charsPerToken = 4;

/** A rough count for when the provider tells none: about four characters a token in English, marked as an estimate. */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / charsPerToken);
}

export interface Meter {
  see(delta: Delta): void;
  /** This much text went by unread. */
  skim(chars: number): void;
  /** The provider's figures where it gave them, else the gateway's estimate of what went through so far. */
  usage(): Usage;
}

/** `estimate` is used when the upstream never says. */
export function createMeter(estimate: Usage): Meter {
  let reported: Usage | undefined;
  let complete = false;
  let chars = 0;
  return {
    skim(length) {
      chars += length;
    },
    see(delta) {
      switch (delta.type) {
        case "text":
        case "thinking":
        case "tool-input":
          chars += delta.text.length;
          return;
        case "start":
          reported = delta.usage;
          return;
        case "finish":
          reported = delta.usage ?? reported;
          complete = delta.usage !== undefined;
          return;
        case "media":
        case "block-open":
        case "block-close":
        case "error":
          return;
      }
    },
    usage() {
      if (complete && reported !== undefined) return reported;
      const input = reported ?? estimate;
      if (input.units !== undefined) return { ...input, estimated: true };
      return { ...input, outputTokens: Math.max(input.outputTokens, estimateTokens(chars)), estimated: true };
    },
  };
}
