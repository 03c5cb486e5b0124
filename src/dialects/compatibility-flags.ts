// What servers that speak one dialect do differently: switches that a provider's file sets.

/** Deviations of compatible servers that a dialect knows how to serve. */
export interface CompatibilityFlags {
  /** Older servers only know `max_tokens`. */
  readonly legacyMaxTokens?: boolean;
  /** Servers that refuse `stream_options`. */
  readonly noStreamOptions?: boolean;
  /** Servers that give one reply, however many are asked for: each is asked for alone. */
  readonly oneChoice?: boolean;
  /** Servers that take tools of free text; for all others a function stands in. */
  readonly customTools?: boolean;
  /** Servers that want visible thinking back beside the calls that it led to, though nothing proves it. */
  readonly replaysThinking?: boolean;
  /** Servers that leave thinking in the text, between `<think>` tags: the provider tells it apart before anybody reads it. */
  readonly splitsThinking?: boolean;
  /** Servers whose models may answer with pictures, or with speech, where `modalities` ask for them. */
  readonly makesImages?: boolean;
  readonly makesSpeech?: boolean;
  /** Servers that keep the conversation themselves, for an account that belongs to one client. */
  readonly nativeState?: boolean;
  /** How servers embed that do not do it as others do. */
  readonly embeddings?: EmbeddingOptions;
  /** What servers rank that rank more than texts: see `DocumentForm` of the ranking dialects. */
  readonly ranks?: "media" | "content" | "any";
}

export interface EmbeddingOptions {
  /** Items of one call, where others take more. */
  readonly mostItems?: number;
  /** They know no token ids. */
  readonly textsOnly?: boolean;
  /** They give vectors as numbers alone. */
  readonly floatsOnly?: boolean;
  /** What vectors are for can be said in another dialect of theirs, and is ignored in this one. */
  readonly purposeElsewhere?: boolean;
}
