// Limits that a user can meet and the file cannot set: those of a format or a vendor, and sizes of buffers. The document takes their values from the source.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constantsOf } from "./constants.ts";

export interface FixedLimit {
  /** The constant, as `path name`. */
  readonly constant: string;
  readonly unit: string;
  /** What a client gets beyond it; null where there is no error, and `meaning` says what happens. */
  readonly error: string | null;
  readonly meaning: string;
}

type Row = readonly [constant: string, unit: string, error: string | null, meaning: string];

const invalid = "400 `invalid_value`";
const broken = "502 `upstream_protocol_error`";
const unsupported = "400 `unsupported_parameter`";

const requests: readonly Row[] = [
  ["src/gateway/policy/keys.ts maxKeyChars", "characters", "401 `invalid_api_key`", "Length of a key."],
  ["src/lib/hops.ts maxHops", "hops", "508 `loop_detected`", "Gateways that a request may pass."],
  ["src/lib/multipart.ts mostPadding", "bytes", invalid, "White space after a boundary of a form."],
  ["src/lib/multipart.ts mostLineEnds", "line ends", invalid, "Empty lines before the first part of a form."],
  ["src/lib/form-fields.ts maxKeys", "names", invalid, "Levels of brackets in the name of a form field."],
  ["src/providers/safe-fetch/url-policy.ts longestGiven", "characters", invalid, "Length of a URL in a request."],
  ["src/providers/safe-fetch/redirects.ts maxRedirects", "redirects", invalid, "Redirects of a URL in a request."],
  [
    "src/gateway/attempts/media-addresses.ts deepest",
    "levels",
    null,
    "Depth to which provider-specific fields are searched for URLs that must not be sent.",
  ],
  ["src/http/openai-videos.ts mostListed", "videos", invalid, "Page of the list of videos (OpenAI)."],
  ["src/dialects/openai-responses/stored-items.ts maxLimit", "items", invalid, "Page of input items (OpenAI)."],
  ["src/dialects/embeddings/fields.ts maxItems", "inputs", invalid, "Inputs of an embeddings request (OpenAI)."],
  [
    "src/dialects/openai-completions/prompt.ts maxPrompts",
    "prompts",
    invalid,
    "Prompts of a completions request (OpenAI).",
  ],
  ["src/dialects/speech/openai.ts maxCharacters", "characters", invalid, "Text of a speech request (OpenAI)."],
  [
    "src/dialects/transcription/audio-input.ts maxRecordingBytes",
    "bytes",
    "413 `request_too_large`",
    "Audio of a transcription request (OpenAI).",
  ],
  ["src/dialects/images/input-images.ts mostImages", "images", invalid, "Input images of an image request (OpenAI)."],
  ["src/dialects/images/sizes.ts leastSide", "pixels", invalid, "Smallest side of a requested image."],
  ["src/dialects/images/sizes.ts mostSide", "pixels", invalid, "Largest side of a requested image."],
  ["src/dialects/images/sizes.ts mostPixels", "pixels", invalid, "Area of a requested image."],
  [
    "src/gateway/responses/compaction.ts maxUserChars",
    "characters",
    null,
    "User messages that a compacted conversation repeats; older ones are only in the summary.",
  ],
  [
    "src/store/response-items.ts mostItems",
    "items",
    null,
    "Items of one stored response that can be referenced by id.",
  ],
  [
    "src/dialects/gemini/openapi-schema.ts maxOpened",
    "references",
    null,
    "References (`$ref`) that are resolved in a JSON Schema for Gemini; further ones become objects of any shape.",
  ],
  [
    "src/dialects/openai-responses/fields.ts minOutputTokens",
    "tokens",
    null,
    "Smallest `max_output_tokens` that is sent to the Responses API (OpenAI).",
  ],
];

const vendors: readonly Row[] = [
  [
    "src/dialects/openai-chat/fields.ts maxStops",
    "sequences",
    null,
    "Stop sequences that are sent in a chat request (OpenAI); the gateway watches for the others.",
  ],
  [
    "src/dialects/embeddings/cohere.ts maxTexts",
    "inputs",
    null,
    "Inputs per embeddings call of Cohere. More are sent in several calls, as for the next five.",
  ],
  ["src/dialects/embeddings/dashscope.ts maxTexts", "inputs", null, "Inputs per embeddings call of DashScope."],
  ["src/dialects/embeddings/gemini.ts mostRequests", "inputs", null, "Inputs per embeddings call of Gemini."],
  ["src/dialects/embeddings/jina-voyage.ts maxVoyageTexts", "inputs", null, "Inputs per embeddings call of Voyage."],
  [
    "src/dialects/embeddings/ollama-tei.ts maxTeiTexts",
    "inputs",
    null,
    "Inputs per embeddings call of Text Embeddings Inference.",
  ],
  ["src/dialects/embeddings/vertex.ts maxInstances", "inputs", null, "Inputs per embeddings call of Vertex AI."],
  [
    "src/dialects/rerank/servers.ts maxVoyageDocuments",
    "documents",
    unsupported,
    "Documents of a rerank request to Voyage.",
  ],
  [
    "src/dialects/gemini/fields.ts maxStops",
    "sequences",
    invalid,
    "Stop sequences of a request in Gemini's format. To Gemini, the gateway watches for further ones of other formats.",
  ],
  [
    "src/dialects/transcription/gemini.ts maxBytes",
    "bytes",
    unsupported,
    "Audio of a transcription request to Gemini.",
  ],
  [
    "src/dialects/images/dashscope.ts mostPromptChars",
    "characters",
    null,
    "Prompt of an image request to DashScope; a longer one gives a warning, because the provider cuts it.",
  ],
  [
    "src/dialects/images/dashscope.ts mostNegativeChars",
    "characters",
    null,
    "Negative prompt of such a request, likewise.",
  ],
  [
    "src/dialects/video/upstreams/kling.ts mostReferences",
    "images",
    unsupported,
    "Reference images of a video of Kling.",
  ],
  [
    "src/dialects/anthropic-messages/reasoning.ts minBudgetTokens",
    "tokens",
    null,
    "Smallest thinking budget that is sent to Claude.",
  ],
  [
    "src/dialects/shared/openai-fields.ts maxUserChars",
    "characters",
    null,
    "Longest `user` that is sent to OpenAI; a longer one is sent as its hash.",
  ],
  [
    "src/dialects/anthropic-messages/fields.ts maxUserIdChars",
    "characters",
    null,
    "Longest `metadata.user_id` that is sent to Claude; a longer one is sent as its hash.",
  ],
];

const upstreams: readonly Row[] = [
  [
    "src/gateway/streaming/buffered-response.ts maxErrorBytes",
    "bytes",
    null,
    "Error of a provider; a longer one is replaced by a general message.",
  ],
  [
    "src/dialects/upstream-error.ts maxMessageChars",
    "characters",
    null,
    "Message of a provider's error; the rest is cut.",
  ],
  ["src/dialects/openai-chat/stream-reader.ts maxChoices", "choices", broken, "Choices in a chat stream."],
  ["src/dialects/gemini/stream-reader.ts maxCandidates", "candidates", broken, "Candidates in a stream of Gemini."],
  [
    "src/dialects/openai-completions/stream-reader.ts maxChoices",
    "choices",
    broken,
    "Choices in a completions stream.",
  ],
  [
    "src/gateway/streaming/transcoder.ts mostHeldFrames",
    "events",
    null,
    "Events after the finish of a stream that are held until usage is known; after that, usage is estimated.",
  ],
  [
    "src/providers/bedrock/event-stream.ts maxMessageBytes",
    "bytes",
    broken,
    "Event of a stream of Amazon Bedrock, whatever `limits.max_event_bytes` is.",
  ],
  [
    "src/providers/response-patcher.ts maxFrameBytes",
    "bytes",
    broken,
    "Event of a provider whose responses are normalized (presets, `splits_thinking`).",
  ],
  [
    "src/providers/response-patcher.ts maxReplyBytes",
    "bytes",
    broken,
    "Response of such a provider that is not streamed.",
  ],
  [
    "src/dialects/speech/audio-readers.ts maxHeldBytes",
    "bytes",
    broken,
    "Speech that a provider returns inside of JSON.",
  ],
  [
    "src/dialects/speech/json-audio.ts maxFrameBytes",
    "bytes",
    broken,
    "Event of a provider's stream of speech in JSON.",
  ],
  [
    "src/dialects/speech/openai-reader.ts maxFrameBytes",
    "bytes",
    broken,
    "Event of a speech stream in OpenAI's format.",
  ],
  ["src/dialects/speech/pcm-wav.ts maxHeaderBytes", "bytes", broken, "Header of a WAV response."],
  [
    "src/dialects/shared/audio-duration.ts mostSteps",
    "frames",
    null,
    "Frames of an audio file that are read for its length; the rest is extrapolated.",
  ],
  [
    "src/canonical/usage.ts maxTokenCount",
    "tokens",
    null,
    "Token count that a provider may report; a larger one is replaced by an estimate.",
  ],
  [
    "src/providers/http-provider.ts maxListBytes",
    "bytes",
    null,
    "A provider's list of models or voices; a larger one is ignored.",
  ],
  [
    "src/dialects/gemini/error.ts maxRetryAfterMs",
    "milliseconds",
    null,
    "Longest wait that is taken from an error of Gemini; a longer one counts as this.",
  ],
  ["src/lib/retry-after.ts maxRetryAfterMs", "milliseconds", null, "Longest `Retry-After` that is returned."],
];

const tasks: readonly Row[] = [
  ["src/providers/task-polling.ts maxReplyBytes", "bytes", broken, "State of an image task."],
  [
    "src/providers/task-polling.ts mostFailures",
    "failures",
    "the last one's",
    "Failed polls in a row that end an image task.",
  ],
  ["src/gateway/tasks/poller.ts maxRunning", "polls", null, "Polls of video tasks at once."],
  ["src/gateway/tasks/poller.ts maxPerProvider", "polls", null, "Polls of video tasks at once at one provider."],
  [
    "src/gateway/tasks/provider-content.ts headTimeoutMs",
    "milliseconds",
    "504 `upstream_timeout`",
    "Time until the first byte of a video's content.",
  ],
  ["src/gateway/tasks/provider-content.ts maxRedirects", "redirects", broken, "Redirects of a provider's video URL."],
  ["src/gateway/tasks/archive.ts maxTries", "attempts", null, "Attempts to store a copy of a video."],
  ["src/gateway/tasks/archive.ts timeoutMs", "milliseconds", null, "Duration of one such attempt."],
  ["src/gateway/tasks/transfer.ts silenceMs", "milliseconds", null, "Silence after which such an attempt ends."],
  ["src/gateway/tasks/webhook.ts maxTries", "attempts", null, "Attempts to deliver a webhook."],
  ["src/gateway/tasks/webhook.ts timeoutMs", "milliseconds", null, "Duration of one such attempt."],
  [
    "src/gateway/tasks/webhook.ts checkTimeoutMs",
    "milliseconds",
    invalid,
    "Time for checking a webhook's URL when a video is requested.",
  ],
];

const process: readonly Row[] = [
  [
    "src/store/store.ts maxPending",
    "statements",
    "503 `store_busy`",
    "Statements of the database in progress or waiting.",
  ],
  [
    "src/store/connect.ts statementTimeoutMs",
    "milliseconds",
    "503 `store_unavailable`",
    "Duration of one statement of PostgreSQL.",
  ],
  [
    "src/gateway/ledger/ledger.ts defaultSettleWaitMs",
    "milliseconds",
    "503 `ledger_unavailable`",
    "How long a response waits for its row in the ledger.",
  ],
  [
    "src/gateway/responses/background-runs.ts rememberedMs",
    "milliseconds",
    null,
    "How long the events of an ended background response can be followed.",
  ],
  [
    "src/gateway/operations/image-transfer.ts atOnce",
    "downloads",
    null,
    "Images of one request that are downloaded at once.",
  ],
];

const sandbox: readonly Row[] = [
  [
    "src/providers/sandbox/limits.ts contextTokens",
    "tokens",
    "400 `context_length_exceeded`",
    "Sandbox: context of its chat models.",
  ],
  ["src/providers/sandbox/limits.ts mostTokens", "tokens", invalid, "Sandbox: tokens of one input of embeddings."],
  [
    "src/providers/sandbox/limits.ts mostTokensInAll",
    "tokens",
    invalid,
    "Sandbox: tokens of all inputs of embeddings.",
  ],
  ["src/providers/sandbox/embed.ts mostDimensions", "dimensions", invalid, "Sandbox: dimensions of an embedding."],
  ["src/providers/sandbox/embed.ts mostNumbers", "numbers", invalid, "Sandbox: numbers of all embeddings of one call."],
  ["src/providers/sandbox/moderate.ts mostItems", "inputs", invalid, "Sandbox: inputs of a moderation."],
  ["src/providers/sandbox/rerank.ts mostDocuments", "documents", invalid, "Sandbox: documents of a rerank request."],
  [
    "src/providers/sandbox/image.ts mostSide",
    "pixels",
    null,
    "Sandbox: side of an image; a larger one is made smaller.",
  ],
  [
    "src/providers/sandbox/chat.ts maxRepeatedChars",
    "characters",
    null,
    "Sandbox: characters of a prompt that are repeated.",
  ],
  [
    "src/providers/sandbox/directives.ts maxMs",
    "milliseconds",
    null,
    "Sandbox: delay of a directive; a longer one counts as this.",
  ],
];

/** In the order of the document. */
export const fixedLimits: readonly FixedLimit[] = [requests, vendors, upstreams, tasks, process, sandbox]
  .flat()
  .map(([constant, unit, error, meaning]) => ({ constant, unit, error, meaning }));

const root = join(import.meta.dir, "..");

/** The value of a constant in the source. */
export function fixedValue(constant: string): number {
  const [path = "", name] = constant.split(" ");
  const found = constantsOf(path, readFileSync(join(root, path), "utf8")).find((each) => each.name === name);
  if (found === undefined) throw new Error(`${path} has no numeric constant ${name}: see scripts/fixed-limits.ts`);
  return found.value;
}
