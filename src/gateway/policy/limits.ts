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
  /** What a request reserves of its output before it starts. */
  readonly reserveOutputTokens: number;
  /** What a stream reserves more when it has used that up. */
  readonly extendOutputTokens: number;
  /** What one request may cost its providers. */
  readonly maxAttemptsPerRequest: number;
  readonly requestMs: number;
  readonly maxCallsPerRequest: number;
  readonly maxParallelCalls: number;
  readonly maxEmulatedChoices: number;
  /** What a provider may send back. */
  readonly maxEventBytes: number;
  readonly maxReplyBytes: number;
  readonly maxTaskReplyBytes: number;
  readonly maxInlineVideoBytes: number;
  readonly videoSubmitMs: number;
  readonly videoPollMs: number;
  readonly videoTaskMs: number;
  /** Of images behind URLs. */
  readonly imageFetchBytes: number;
  readonly imageFetchTotalBytes: number;
  readonly imageFetchMs: number;
  readonly maxBackgroundResponses: number;
  readonly maxEventLogChars: number;
  readonly maxEndedEventLogsChars: number;
  /** Of one key. */
  readonly maxStoredResponses: number;
  readonly maxConversationItems: number;
  /** Of replies that are stored for their idempotency keys. */
  readonly idempotencyMs: number;
  readonly idempotencyReplyBytes: number;
  readonly idempotencyTotalBytes: number;
  readonly maxIdempotencyWaiters: number;
}
