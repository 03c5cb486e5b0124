// The contract of a video upstream: submit, poll and fetch, as pure functions between the canonical model and its wire.
import type {
  VideoFailure,
  VideoField,
  VideoLocation,
  VideoRequest,
  VideoResult,
  VideoState,
} from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ErrorCodec, UpstreamRequest } from "../dialect.ts";
import type { DeclaredModel } from "../shared/model-table.ts";

/** The forms in which an upstream accepts an image. The engine downloads URLs for those that do not accept them. */
export type ImageForm = "url" | "data" | "base64" | "form" | "file";

/** What rendering a submit depends on. */
export interface VideoRenderContext {
  /** The upstream's own name for the model. */
  readonly model: string;
  /** The gateway's id of the task, for upstreams that accept an id of the caller. */
  readonly taskId: string;
  /** The rows that the operator declared for this provider's models. */
  readonly declared?: readonly DeclaredModel[];
  /** The path of a field on the client's wire, for warnings and refusals. */
  fieldPath(field: VideoField): string;
}

/**
 * The expected result, after rounding to what the upstream supports. Clients see these values, and they are charged.
 */
export interface EffectiveSettings {
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly resolution?: string;
  readonly audio?: boolean;
}

export interface VideoRendered {
  readonly call: UpstreamRequest;
  readonly warnings: readonly Warning[];
  readonly effect: EffectiveSettings;
  /** What later calls need from the submit, such as its path; merged with the state from `accepted`. */
  readonly upstreamState?: JsonObject;
}

/** A task at the upstream, as later calls need it. */
export interface UpstreamTask {
  /** The gateway's id. */
  readonly id: string;
  readonly upstreamId: string;
  /** The upstream's own name for the model. */
  readonly model: string;
  /** State for later calls, from `render`, `accepted` and `progress`. */
  readonly upstreamState: JsonObject;
}

/** The progress of a task as reported by an upstream. */
export interface VideoProgress {
  /** Absent where the upstream's status is unknown: the task is unchanged and is polled again. */
  readonly state?: VideoState;
  /** The unknown status, for the log. */
  readonly unknownStatus?: string;
  /** The upstream has no such task. */
  readonly isGone?: boolean;
  /** 0 to 100. */
  readonly percent?: number;
  /** For `completed`; an empty list is a failure. */
  readonly results?: readonly VideoResult[];
  /** For `failed` and `cancelled`. */
  readonly failure?: VideoFailure;
  /** Replaces members of the stored state. */
  readonly upstreamState?: JsonObject;
  /** The settings of the result, where the upstream reports them. */
  readonly effect?: EffectiveSettings;
}

export interface Accepted {
  readonly upstreamId: string;
  readonly upstreamState?: JsonObject;
  /** Where the reply already reports it. */
  readonly progress?: VideoProgress;
}

/** An upstream's reply: the body as parsed JSON, or as text if it is not JSON. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Pick<Headers, "get">;
}

/**
 * One wire for videos. Its functions do no I/O and use neither a clock nor random numbers. Paths are relative to the
 * provider's base URL; `method` of a call is POST by default.
 */
export interface VideoUpstream {
  /** Stored with each task, which is polled on the wire that it was submitted on, so it must never change. */
  readonly name: string;
  /** False for models that this wire does not serve. Absent: all. */
  serves?(model: string): boolean;
  readonly imageForms: readonly ImageForm[];
  /** True where image URLs must use `https`; the gateway downloads others. */
  readonly httpsOnly?: true;
  /** Maximum videos per task; 1 where absent. */
  readonly maxVideos?: number;
  /** Throws `unsupported_parameter` for what must not be dropped. */
  render(request: VideoRequest, context: VideoRenderContext): VideoRendered;
  /**
   * A successful reply to a submit. Throws `error.parse`'s error for a refusal with a success status,
   * `upstream_protocol_error` for an invalid reply.
   */
  accepted(answer: UpstreamAnswer): Accepted;
  poll(task: UpstreamTask): UpstreamRequest;
  /**
   * What a poll reply reports about the task, whatever its status; null where it reports nothing, as with 401 or 503.
   */
  progress(answer: UpstreamAnswer, task: UpstreamTask): VideoProgress | null;
  /** Cancels a running task. Absent where the upstream cannot. */
  cancel?(task: UpstreamTask): UpstreamRequest;
  /** Deletes a finished task at the upstream. */
  remove?(task: UpstreamTask): UpstreamRequest;
  /** A new submit from a finished task and another prompt. */
  remix?(task: UpstreamTask, prompt: string): VideoRendered;
  /**
   * For locations of kind `content`. `variant` is `video`, or another asset of the same task; null where it does not
   * exist.
   */
  content?(task: UpstreamTask, place: VideoLocation, variant: string): UpstreamRequest | null;
  /** For locations of kind `locate`: the call, and the URL in its reply; null if there is none. */
  readonly locate?: {
    call(task: UpstreamTask, ref: string): UpstreamRequest;
    read(answer: UpstreamAnswer): string | null;
  };
  readonly error: Pick<ErrorCodec, "parse">;
  /** True where a poll reply may contain a video, and so be large. */
  readonly inlineResults?: true;
  /** Waits between polls in milliseconds: the first, and the longest. Default 5 s and 10 s. */
  readonly pace?: { readonly firstMs: number; readonly mostMs: number };
  /** After so many seconds an unfinished task expires. Default two hours. */
  readonly deadlineSeconds?: number;
  /** How long results are available where the upstream does not report it, in seconds. */
  readonly resultSeconds?: number;
}
