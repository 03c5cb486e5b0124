// The contract of an upstream that makes videos: submit, poll and fetch, as pure functions between canon and its wire.
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

/** In which forms an upstream takes an image. The engine fetches an address for those that accept none. */
export type ImageForm = "url" | "data" | "base64" | "form" | "file";

/** What an upstream must know to write a submit. */
export interface VideoRenderContext {
  /** The upstream's own name for the model. */
  readonly model: string;
  /** The gateway's id of the task, for upstreams that keep a foreign id. */
  readonly taskId: string;
  /** The rows that the operator declared for this provider's models. */
  readonly declared?: readonly DeclaredModel[];
  /** Where a field is on the client's wire, for warnings and refusals. */
  fieldPath(field: VideoField): string;
}

/** What will be made, after rounding to what the upstream offers; clients see these, and they are what is charged. */
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
  /** What later calls need of the submit, such as its path; merged with the state from `accepted`. */
  readonly upstreamState?: JsonObject;
}

/** A task at the upstream, as later calls know it. */
export interface UpstreamTask {
  /** The gateway's own id. */
  readonly id: string;
  readonly upstreamId: string;
  /** The upstream's own name for the model. */
  readonly model: string;
  /** State for later calls, from `render`, `accepted` and `progress`. */
  readonly upstreamState: JsonObject;
}

/** What an upstream says of a task. */
export interface VideoProgress {
  /** Missing where the upstream's status is unknown: the task is not changed, and is polled again. */
  readonly state?: VideoState;
  /** The unknown status, for the log. */
  readonly unknownStatus?: string;
  /** The upstream says that it has no such task. */
  readonly isGone?: boolean;
  /** 0 to 100. */
  readonly percent?: number;
  /** For `completed`; none at all is a failure. */
  readonly results?: readonly VideoResult[];
  /** For `failed` and `cancelled`. */
  readonly failure?: VideoFailure;
  /** Replaces members of that state. */
  readonly upstreamState?: JsonObject;
  /** What was made, where the upstream reports it. */
  readonly effect?: EffectiveSettings;
}

export interface Accepted {
  readonly upstreamId: string;
  readonly upstreamState?: JsonObject;
  /** Where the answer reports it already. */
  readonly progress?: VideoProgress;
}

/** An upstream's answer: the body as parsed JSON, or as text where it is none. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/**
 * One wire on which videos are asked for. Nothing here does I/O, reads a clock or rolls dice. Paths of calls lie below
 * the provider's base URL; `method` of a call is POST unless it says otherwise.
 */
export interface VideoUpstream {
  /** Stored with each task, so that it is polled on the wire that it was submitted on: never changed. */
  readonly name: string;
  /** False for models that this wire does not serve. Absent: all. */
  serves?(model: string): boolean;
  readonly imageForms: readonly ImageForm[];
  /** True where addresses of images must begin with `https`; others are fetched for it. */
  readonly httpsOnly?: true;
  /** How many videos one task makes at most; 1 where absent. */
  readonly maxVideos?: number;
  /** Throws `unsupported_parameter` for what must not be dropped. */
  render(request: VideoRequest, context: VideoRenderContext): VideoRendered;
  /** A successful answer to a submit. Throws `error.parse`'s error for a refusal in disguise, `upstream_protocol_error` for nonsense. */
  accepted(answer: UpstreamAnswer): Accepted;
  poll(task: UpstreamTask): UpstreamRequest;
  /** What an answer to a poll says of the task, whatever its status; null where it says nothing of it, as with 401 or 503. */
  progress(answer: UpstreamAnswer, task: UpstreamTask): VideoProgress | null;
  /** Ends a task that is not over. Absent where the upstream cannot. */
  cancel?(task: UpstreamTask): UpstreamRequest;
  /** Makes the upstream forget a task that is over. */
  remove?(task: UpstreamTask): UpstreamRequest;
  /** A new submit made from a finished task and another prompt. */
  remix?(task: UpstreamTask, prompt: string): VideoRendered;
  /** For places of kind `content`. `variant` is `video`, or another asset of the same task; null where there is no such. */
  content?(task: UpstreamTask, place: VideoLocation, variant: string): UpstreamRequest | null;
  /** For places of kind `locate`: the call, and the address in its answer; null where there is none. */
  readonly locate?: {
    call(task: UpstreamTask, ref: string): UpstreamRequest;
    read(answer: UpstreamAnswer): string | null;
  };
  readonly error: Pick<ErrorCodec, "parse">;
  /** True where the answer to a poll may contain a video, and is large then. */
  readonly inlineResults?: true;
  /** Waits between polls in milliseconds: the first, and the longest. Default 5 s and 10 s. */
  readonly pace?: { readonly firstMs: number; readonly mostMs: number };
  /** After so many seconds a task that is not over has expired. Default two hours. */
  readonly deadlineSeconds?: number;
  /** How long results live where the upstream does not say, in seconds. */
  readonly resultSeconds?: number;
}
