// The limits that the gateway itself applies, by the names of their rows in src/config/limits.ts.
import { GatewayError } from "../../canonical/error.ts";

/** Whoever adds a limit adds its row there and its name here; `start` hands the values down. */
export interface GatewayLimits {
  readonly maxConcurrentRequests: number;
  /** How long a client may read nothing of a stream before it is cut. */
  readonly clientStallMs: number;
  readonly maxPreferredDialects: number;
  readonly preferredDialectMs: number;
  /** How long the first request to speak may wait for the list of a provider's voices. */
  readonly voiceListMs: number;
  /** What one stream may take altogether, whatever its provider sends. */
  readonly streamMs: number;
  readonly streamBytes: number;
  readonly streamOutputTokens: number;
  /** What one download of a finished video from its provider may take. */
  readonly videoDownloadMs: number;
  readonly videoDownloadBytes: number;
  readonly maxPromptChars: number;
  /** Of one key. */
  readonly maxStoredResponses: number;
}

/** Throws `invalid_value` for a prompt of an image or a video that is longer than any model reads. */
export function checkPrompt(prompt: string | undefined, { maxPromptChars }: GatewayLimits): void {
  if (prompt === undefined || prompt.length <= maxPromptChars) return;
  throw new GatewayError("invalid_value", `'prompt' is longer than ${maxPromptChars} characters. Shorten it.`, {
    param: "prompt",
  });
}
