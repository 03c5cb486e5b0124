// The canonical video request, and the state of its task.
import type { JsonObject } from "../lib/json.ts";

/** The source of an image. `file` ids belong to the provider that issued them. */
export type VideoImageSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "bytes"; readonly mediaType: string; readonly bytes: Uint8Array }
  | { readonly kind: "file"; readonly id: string };

/** The `first` or `last` frame of the video, or a `reference` for its content. */
export interface VideoImage {
  readonly role: "first" | "last" | "reference";
  readonly source: VideoImageSource;
  /** Its position on the client's wire. */
  readonly path: string;
}

/** The request fields in warnings and refusals; a client's dialect has the path of each on its wire. */
export type VideoField =
  | "model"
  | "prompt"
  | "negativePrompt"
  | "seconds"
  | "size"
  | "ratio"
  | "resolution"
  | "fps"
  | "seed"
  | "n"
  | "audio"
  | "watermark"
  | "endUser"
  | "metadata";

export interface VideoRequest {
  readonly operation: "video";
  readonly model: string;
  /** True where the client sent no model; `model` is then the default of its dialect, or empty. */
  readonly unnamed?: true;
  readonly prompt?: string;
  readonly negativePrompt?: string;
  /** In the client's order; at most one `first` and one `last`. */
  readonly images: readonly VideoImage[];
  readonly seconds?: number;
  /** Pixels; one of them may be absent. */
  readonly width?: number;
  readonly height?: number;
  /** As in `16:9`. */
  readonly ratio?: string;
  /** In lower case, as in `720p` or `4k`. */
  readonly resolution?: string;
  readonly fps?: number;
  readonly seed?: number;
  /** The number of videos; 1 by default. */
  readonly n: number;
  readonly audio?: boolean;
  readonly watermark?: boolean;
  readonly endUser?: string;
  /** The client's own name for the task. */
  readonly externalId?: string;
  /** The URL for the webhook at the end. */
  readonly callbackUrl?: string;
  /** The path of that URL on the client's wire. */
  readonly callbackPath?: string;
  /** Other members that the client sent, by the names of its wire; an upstream uses those that it has. */
  readonly metadata: JsonObject;
}

/** States only move forward; the last four are final. */
export const videoStates = ["queued", "in_progress", "completed", "failed", "cancelled", "expired"] as const;
export type VideoState = (typeof videoStates)[number];

/** Whether the state is final. */
export function isFinal(state: VideoState): boolean {
  return state !== "queued" && state !== "in_progress";
}

/** Why a task failed. `code` is one lower-case word that clients may compare; `message` is safe to show. */
export interface VideoFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * Where the bytes of a result are. `url`: a public URL. `content`: behind the upstream's own credential, see
 * `VideoUpstream.content`. `locate`: behind a URL that must be requested each time, see `VideoUpstream.locate`.
 * `inline`: in the reply to a poll, which is repeated when the bytes are requested. `kept`: copied to the gateway's
 * own storage, `bytes` of them under `name`; `source` is the original location.
 */
export type VideoLocation =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "content"; readonly ref?: string }
  | { readonly kind: "locate"; readonly ref: string }
  | { readonly kind: "inline"; readonly base64?: string }
  | {
      readonly kind: "kept";
      readonly where: "folder" | "bucket";
      readonly name: string;
      readonly bytes: number;
      readonly source: VideoLocation;
      /** Unix milliseconds when the source expires. */
      readonly sourceEndsAtMs?: number;
    };

/** One complete video; members that the upstream did not report are absent. */
export interface VideoResult {
  readonly place: VideoLocation;
  readonly mediaType?: string;
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly fps?: number;
  readonly seed?: number;
  /** Unix milliseconds when the bytes expire, if the upstream reported it. */
  readonly expiresAtMs?: number;
}
