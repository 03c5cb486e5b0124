// What can be asked of the gateway, and the ask and answer that belong to each operation.
import type { ChatAnswer, ChatAsk } from "./conversation.ts";
import type { EmbedAnswer, EmbedAsk } from "./embedding.ts";

export type Operation = "chat" | "embed";

/** A canonical request. */
export type Ask = ChatAsk | EmbedAsk;
/** A canonical reply. */
export type Answer = ChatAnswer | EmbedAnswer;
