// The operations of the gateway, with the request and response of each.
import type { ChatRequest, ChatResponse } from "./chat.ts";
import type { EmbeddingRequest, EmbeddingResponse } from "./embedding.ts";
import type { ImageRequest, ImageResponse } from "./image.ts";
import type { ModerationRequest, ModerationResponse } from "./moderation.ts";
import type { RerankRequest, RerankResponse } from "./rerank.ts";
import type { SpeechRequest, SpeechResponse } from "./speech.ts";
import type { TokenCountRequest, TokenCountResponse } from "./token-count.ts";
import type { TranscriptionRequest, TranscriptionResponse } from "./transcription.ts";

/** `video` outlives its request and has its own request and dialects, see canonical/video.ts. */
export type Operation = "chat" | "count" | "embed" | "rerank" | "moderate" | "image" | "speak" | "transcribe" | "video";

/** A canonical request. */
export type OperationRequest =
  | ChatRequest
  | TokenCountRequest
  | EmbeddingRequest
  | RerankRequest
  | ModerationRequest
  | ImageRequest
  | SpeechRequest
  | TranscriptionRequest;
/** A canonical reply. */
export type OperationResponse =
  | ChatResponse
  | TokenCountResponse
  | EmbeddingResponse
  | RerankResponse
  | ModerationResponse
  | ImageResponse
  | SpeechResponse
  | TranscriptionResponse;
