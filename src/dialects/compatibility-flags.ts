// Differences between servers of one dialect, as switches that a provider's definition sets.

/** Deviations of compatible servers that a dialect supports. */
export interface CompatibilityFlags {
  /** Older servers support only `max_tokens`. */
  readonly legacyMaxTokens?: boolean;
  /** Servers that refuse `stream_options`. */
  readonly noStreamOptions?: boolean;
  /** Servers that return one reply for any `n`: the gateway sends one request per reply. */
  readonly oneChoice?: boolean;
  /** Servers that support tools with free text input. For others, a function is sent instead. */
  readonly customTools?: boolean;
  /** Servers that require unsigned visible thinking to be sent back with the calls that it led to. */
  readonly replaysThinking?: boolean;
  /**
   * Servers that leave thinking in the text between `<think>` tags. The provider extracts it before the reply is
   * parsed.
   */
  readonly splitsThinking?: boolean;
  /** Servers whose models may return images or audio when `modalities` requests them. */
  readonly makesImages?: boolean;
  readonly makesSpeech?: boolean;
  /** Servers that store the conversation themselves, for an account that belongs to one client. */
  readonly nativeState?: boolean;
  /** Differences of embedding servers. */
  readonly embeddings?: EmbeddingOptions;
  /** What servers rank in addition to texts: see `DocumentForm` of the rerank dialects. */
  readonly ranks?: "media" | "content" | "any";
}

interface EmbeddingOptions {
  /** Maximum items per call, where it is lower than usual. */
  readonly mostItems?: number;
  /** They do not accept token ids. */
  readonly textsOnly?: boolean;
  /** They return vectors only as numbers. */
  readonly floatsOnly?: boolean;
  /** The purpose of vectors is ignored in this dialect and supported in another one of the same server. */
  readonly purposeElsewhere?: boolean;
}
