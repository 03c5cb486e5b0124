// What can be asked of the gateway, and the ask and answer that belong to each operation.
import type { ChatAnswer, ChatAsk } from "./chat.ts";
import type { EmbedAnswer, EmbedAsk } from "./embedding.ts";
import type { ImageAnswer, ImageAsk } from "./image.ts";
import type { ModerateAnswer, ModerateAsk } from "./moderation.ts";
import type { RerankAnswer, RerankAsk } from "./rerank.ts";
import type { SpeakAnswer, SpeakAsk } from "./speech.ts";
import type { CountAnswer, CountAsk } from "./token-count.ts";
import type { TranscribeAnswer, TranscribeAsk } from "./transcription.ts";

/** `video` outlives its request: it has a room, an ask and dialects of its own, see canon/video.ts. */
export type Operation = "chat" | "count" | "embed" | "rerank" | "moderate" | "image" | "speak" | "transcribe" | "video";

/** A canonical request. */
export type Ask = ChatAsk | CountAsk | EmbedAsk | RerankAsk | ModerateAsk | ImageAsk | SpeakAsk | TranscribeAsk;
/** A canonical reply. */
export type Answer =
  | ChatAnswer
  | CountAnswer
  | EmbedAnswer
  | RerankAnswer
  | ModerateAnswer
  | ImageAnswer
  | SpeakAnswer
  | TranscribeAnswer;
