// The stored content of a request: four stages, each up to a limit.
import type { BodyRule } from "../policy/rules.ts";

/** The client's request, the request of each attempt to its provider, its response, and the client's response. */
export type BodyStage = "request" | "upstream_request" | "upstream_response" | "response";

export interface RecordedBody {
  readonly stage: BodyStage;
  /** The attempt, from 1; null for the client's request and response. */
  readonly attempt: number | null;
  readonly provider: string | null;
  readonly bytes: Uint8Array;
  /** The whole size, also if `bytes` is only the first part. */
  readonly size: number;
}

export interface RecordedRequest {
  /** The id of the exchange. */
  readonly id: string;
  readonly atMs: number;
  readonly keyId: string;
  readonly project: string;
  readonly endUser: string | null;
  readonly bodies: readonly RecordedBody[];
}

/** A body for readers. */
export interface StoredBody extends Omit<RecordedBody, "bytes"> {
  /** Binary data is in Base64. */
  readonly encoding: "text" | "base64";
  readonly body: string;
}

/** What is stored, for how long, and up to which size. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxTotalBytes: number;
  readonly retentionMs: number;
}

/** What is removed from bodies in addition to secrets. */
export interface RedactionRules {
  /** Names of JSON members whose values are removed. */
  readonly fields: readonly string[];
  /** Regular expressions. */
  readonly patterns: readonly string[];
}

/** What the configuration sets. */
export interface BodySettings {
  /** For projects without a setting. */
  readonly usual: BodyRule;
  readonly limits: BodyLimits;
  readonly redaction: RedactionRules;
}
