// The canonical question how many tokens a conversation has, and its answer.
import type { ChatRequest } from "./chat.ts";
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

export interface TokenCountRequest {
  readonly operation: "count";
  readonly model: string;
  readonly stream: false;
  /** What would be asked. */
  readonly chat: ChatRequest;
  readonly unmappedFields: readonly UnmappedField[];
}

export interface TokenCountResponse {
  readonly operation: "count";
  readonly inputTokens: number;
  /** Counting uses none. */
  readonly usage?: Usage;
}
