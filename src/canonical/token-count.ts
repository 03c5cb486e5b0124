// The canonical token count request for a conversation, and its response.
import type { ChatRequest } from "./chat.ts";
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

export interface TokenCountRequest {
  readonly operation: "count";
  readonly model: string;
  readonly stream: false;
  /** The request to count. */
  readonly chat: ChatRequest;
  readonly unmappedFields: readonly UnmappedField[];
}

export interface TokenCountResponse {
  readonly operation: "count";
  readonly inputTokens: number;
  /** Counting is free. */
  readonly usage?: Usage;
}
