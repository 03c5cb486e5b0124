// The canonical question how many tokens a conversation has, and its answer.
import type { ChatAsk } from "./chat.ts";
import type { Usage } from "./usage.ts";
import type { Extra } from "./warning.ts";

export interface CountAsk {
  readonly operation: "count";
  readonly model: string;
  readonly stream: false;
  /** What would be asked. */
  readonly chat: ChatAsk;
  readonly extras: readonly Extra[];
}

export interface CountAnswer {
  readonly operation: "count";
  readonly inputTokens: number;
  /** Counting uses none. */
  readonly usage?: Usage;
}
