// The limits that the gateway itself applies, by the names of their rows in src/config/limits.ts.
/** A new limit is a row there and a name here. */
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
