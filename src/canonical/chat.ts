// The canonical chat request and reply: ordered messages of ordered blocks.
import type { ExactNumber, Json, JsonObject } from "../lib/json.ts";
import type { ProviderState } from "./provider-state.ts";
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** Bytes or a reference to them. `file` ids belong to the provider that issued them. */
export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "bytes"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly id: string };

/** A breakpoint up to which a provider may cache the prompt. Only its own dialect family understands `wire`. */
export interface CacheHint {
  readonly wire: Json;
}

/**
 * The source of quoted text. `url` sources are understood everywhere, other shapes only by the dialect that made them.
 */
export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  /** Character range in the block's text that the citation supports. */
  readonly start?: number;
  readonly end?: number;
  readonly wire?: Json;
}

/** A token and its log probability. `bytes` are present where they differ from the text: in a part of a character. */
export interface TopLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[];
}

/** A token of the reply; `top` are the likeliest ones at its position. */
export interface TokenLogprob extends TopLogprob {
  readonly top: readonly TopLogprob[];
}

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  /** In replies, if requested. */
  readonly logprobs?: readonly TokenLogprob[];
  readonly citations?: readonly Citation[];
  readonly cache?: CacheHint;
}

interface RefusalBlock {
  readonly type: "refusal";
  readonly text: string;
}

/** Thinking that may be shown, with its signature. `redacted`: there is only the signature. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly text: string;
  readonly signature?: ProviderState;
  readonly redacted?: boolean;
}

export interface ToolCallBlock {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  /** `function`: input is JSON text. `custom`: input is free text. */
  readonly kind: "function" | "custom";
  readonly input: string;
  readonly signature?: ProviderState;
  readonly cache?: CacheHint;
}

/** `path` is the part's position on the client's wire, for errors. */
export interface ImageBlock {
  readonly type: "image";
  readonly source: MediaSource;
  readonly detail?: string;
  readonly cache?: CacheHint;
  readonly path?: string;
}

export interface AudioBlock {
  readonly type: "audio";
  readonly source: MediaSource;
  readonly path?: string;
}

export interface DocumentBlock {
  readonly type: "document";
  readonly source: MediaSource;
  readonly title?: string;
  readonly context?: string;
  readonly citations?: boolean;
  readonly cache?: CacheHint;
  readonly path?: string;
}

/** A part that only the dialect `origin` understands; others refuse it by its `path`. */
export interface ProviderBlock {
  readonly type: "foreign";
  readonly origin: string;
  readonly wire: JsonObject;
  readonly path?: string;
}

export type ResultPart = TextBlock | ImageBlock | DocumentBlock | ProviderBlock;

export interface ToolResultBlock {
  readonly type: "tool-result";
  readonly callId: string;
  readonly content: readonly ResultPart[];
  readonly isError: boolean;
  readonly cache?: CacheHint;
}

export type Block =
  | TextBlock
  | RefusalBlock
  | ThinkingBlock
  | ToolCallBlock
  | ToolResultBlock
  | ImageBlock
  | AudioBlock
  | DocumentBlock
  | ProviderBlock;

/** `tool` messages contain only tool results and follow directly after the assistant message with the calls. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly blocks: readonly Block[];
  /** Participant name, if the client sent one. */
  readonly name?: string;
}

export interface FunctionTool {
  readonly kind: "function";
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the input; absent when the client sent none. */
  readonly parameters?: JsonObject;
  readonly strict?: boolean;
  readonly cache?: CacheHint;
}

/** A tool with free text input. `format` is the grammar as its dialect writes it. */
export interface CustomTool {
  readonly kind: "custom";
  readonly name: string;
  readonly description?: string;
  readonly format?: Json;
  readonly path: string;
}

/** A tool that a provider runs itself: same dialect only. */
export interface HostedTool {
  readonly kind: "hosted";
  readonly origin: string;
  readonly wire: JsonObject;
  readonly path: string;
}

export type Tool = FunctionTool | CustomTool | HostedTool;

export type ToolChoice =
  | { readonly type: "auto" | "required" | "none" }
  | { readonly type: "tool"; readonly name: string }
  | { readonly type: "allowed"; readonly names: readonly string[]; readonly required: boolean };

export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json" }
  | {
      readonly type: "schema";
      readonly name?: string;
      readonly description?: string;
      readonly schema: JsonObject;
      readonly strict?: boolean;
      /** The client's dialect returns only the value of this member. */
      readonly bare?: string;
    };

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/**
 * How much to reason. `budgetTokens`: a limit in tokens; `adaptive`: the model decides; `show`: the client requests
 * the text. `hint`: it was not requested explicitly, so it is dropped without a warning for models that do not support
 * it.
 */
export interface Reasoning {
  readonly effort?: Effort;
  readonly budgetTokens?: number;
  readonly adaptive?: boolean;
  readonly show?: boolean;
  readonly hint?: boolean;
}

export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number | ExactNumber;
  readonly logitBias?: Readonly<Record<string, number>>;
}

/**
 * Fields of a text completion beyond a chat. Its prompt is the only user message: a text, or a provider block that
 * only some upstreams can read.
 */
export interface Completion {
  /** The reply starts with the prompt. */
  readonly echo?: boolean;
  /** Text that follows the generated text. */
  readonly suffix?: string;
  /** How many replies to generate for each returned one. */
  readonly bestOf?: number;
}

/**
 * Output in addition to text, and where the client requested it. Models that do not support it refuse. `voice` is a
 * name that only some models have.
 */
export interface OutputModalities {
  readonly path: string;
  readonly image?: { readonly aspectRatio?: string; readonly size?: string };
  readonly speech?: { readonly voice?: { readonly name: string; readonly path: string } };
}

export interface ChatRequest {
  readonly operation: "chat";
  /** The model name that the client sent. */
  readonly model: string;
  readonly stream: boolean;
  /** For streams: the client requests usage at the end, where its dialect makes that optional. */
  readonly includeUsage?: boolean;
  /** The system prefix. Later system messages stay in `messages`. */
  readonly system: readonly TextBlock[];
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** False: at most one tool call per reply. */
  readonly parallelToolCalls?: boolean;
  readonly maxOutputTokens?: number;
  readonly sampling: Sampling;
  readonly stopSequences: readonly string[];
  /** How many replies to the same request. */
  readonly choices: number;
  /** Requests log probabilities, with this many alternatives. */
  readonly logprobs?: number;
  readonly format?: OutputFormat;
  readonly media?: OutputModalities;
  readonly reasoning?: Reasoning;
  readonly verbosity?: string;
  readonly tier?: "default" | "flex" | "priority" | "fast";
  readonly endUser?: string;
  /** The provider puts a cache marker where the conversation so far ends. */
  readonly cache?: CacheHint;
  /** Present for text completions; other dialects receive its fields as unmapped. */
  readonly completion?: Completion;
  readonly unmappedFields: readonly UnmappedField[];
}

/** Why a reply ended. `sequence` is the matched stop sequence, if it is known. */
export interface FinishReason {
  readonly kind: "end" | "stop-sequence" | "length" | "context-full" | "tool-use" | "refusal" | "filter" | "pause";
  readonly sequence?: string;
  readonly detail?: Json;
}

export interface Choice {
  readonly index: number;
  readonly blocks: readonly Block[];
  readonly finishReason: FinishReason;
}

export interface ChatResponse {
  readonly operation: "chat";
  readonly id: string;
  /** The name that the upstream reported. */
  readonly model: string;
  /** Unix seconds, if the upstream reported it. */
  readonly createdAt?: number;
  readonly choices: readonly Choice[];
  readonly usage?: Usage;
}
