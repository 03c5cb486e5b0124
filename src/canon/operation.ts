// What can be asked of the gateway, and the ask and answer that belong to each operation.
import type { ChatAnswer, ChatAsk } from "./conversation.ts";
import type { CountAnswer, CountAsk } from "./count.ts";
import type { EmbedAnswer, EmbedAsk } from "./embedding.ts";

export type Operation = "chat" | "count" | "embed";

/** A canonical request. */
export type Ask = ChatAsk | CountAsk | EmbedAsk;
/** A canonical reply. */
export type Answer = ChatAnswer | CountAnswer | EmbedAnswer;
