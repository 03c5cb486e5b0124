// The limits that the gateway itself applies, by the names of their rows in src/config/limits.ts.
/** A new limit is a row there and a name here. */
export interface GatewayLimits {
  readonly maxConcurrentRequests: number;
  /** How long a client may read nothing of a stream before it is closed. */
  readonly clientStallMs: number;
  readonly maxPreferredDialects: number;
  readonly preferredDialectMs: number;
  /** How long the first speech request may wait for the list of a provider's voices. */
  readonly voiceListMs: number;
  /** Maximum duration of one stream, whatever its provider sends. */
  readonly streamMs: number;
  readonly streamBytes: number;
  readonly streamOutputTokens: number;
  /** Maximum duration of one download of a completed video from its provider. */
  readonly videoDownloadMs: number;
  readonly videoDownloadBytes: number;
  readonly maxPromptChars: number;
  /** Output that is reserved for a request before it starts. */
  readonly reserveOutputTokens: number;
  /** Output that a stream reserves in addition when that is used up. */
  readonly extendOutputTokens: number;
  /** What one request may cost at its providers. */
  readonly maxAttemptsPerRequest: number;
  readonly requestMs: number;
  readonly maxCallsPerRequest: number;
  readonly maxParallelCalls: number;
  readonly maxEmulatedChoices: number;
  /** What a provider may return. */
  readonly maxEventBytes: number;
  readonly maxReplyBytes: number;
  readonly maxTaskReplyBytes: number;
  readonly maxInlineVideoBytes: number;
  readonly videoSubmitMs: number;
  readonly videoPollMs: number;
  readonly videoTaskMs: number;
  /** For images behind URLs. */
  readonly imageFetchBytes: number;
  readonly imageFetchTotalBytes: number;
  readonly imageFetchMs: number;
  readonly maxBackgroundResponses: number;
  readonly maxEventLogChars: number;
  readonly maxEndedEventLogsChars: number;
  /** Per key. */
  readonly maxStoredResponses: number;
  readonly maxConversationItems: number;
  /** For replies that are stored for their idempotency keys. */
  readonly idempotencyMs: number;
  readonly idempotencyReplyBytes: number;
  readonly idempotencyTotalBytes: number;
  readonly maxIdempotencyWaiters: number;
}
