// What is stored of the content of a request: four stages, each up to a bound.

/** The client's request, what each attempt sent to its provider, what came back, and what the client got. */
export type BodyStage = "request" | "upstream_request" | "upstream_response" | "response";

export interface RecordedBody {
  readonly stage: BodyStage;
  /** The attempt, from 1; null for what the client sent and got. */
  readonly attempt: number | null;
  readonly provider: string | null;
  readonly bytes: Uint8Array;
  /** Of all of it, also where `bytes` is only its beginning. */
  readonly size: number;
}

export interface RecordedRequest {
  /** The exchange's. */
  readonly id: string;
  readonly atMs: number;
  readonly keyId: string;
  readonly project: string;
  readonly endUser: string | null;
  readonly bodies: readonly RecordedBody[];
}

/** A body as a reader gets it. */
export interface StoredBody extends Omit<RecordedBody, "bytes"> {
  /** Bytes that are no text are in Base64. */
  readonly encoding: "text" | "base64";
  readonly body: string;
}

/** What is stored, how long, and how much of it. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxTotalBytes: number;
  readonly retentionMs: number;
}

/** What is removed from bodies besides secrets. */
export interface RedactionRules {
  /** Names of JSON members whose values are removed. */
  readonly fields: readonly string[];
  /** Regular expressions. */
  readonly patterns: readonly string[];
}
