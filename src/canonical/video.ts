// The canonical video request, and what becomes of the task that it starts.
import type { JsonObject } from "../lib/json.ts";

/** Where an image comes from. `file` ids belong to the provider that issued them. */
export type VideoImageSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "bytes"; readonly mediaType: string; readonly bytes: Uint8Array }
  | { readonly kind: "file"; readonly id: string };

/** `first` and `last` frame of the video, or a `reference` for what is to be seen in it. */
export interface VideoImage {
  readonly role: "first" | "last" | "reference";
  readonly source: VideoImageSource;
  /** Where it stood on the client's wire. */
  readonly path: string;
}

/** The request fields that warnings and refusals name; a client's dialect tells where each stands on its wire. */
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
  /** True where the client named none; `model` is then the one of the imitated service, or empty. */
  readonly unnamed?: true;
  readonly prompt?: string;
  readonly negativePrompt?: string;
  /** In the client's order; at most one `first` and one `last`. */
  readonly images: readonly VideoImage[];
  readonly seconds?: number;
  /** Pixels; one of them may be missing. */
  readonly width?: number;
  readonly height?: number;
  /** As in `16:9`. */
  readonly ratio?: string;
  /** In lower case, as in `720p` or `4k`. */
  readonly resolution?: string;
  readonly fps?: number;
  readonly seed?: number;
  /** How many videos; 1 unless the client said more. */
  readonly n: number;
  readonly audio?: boolean;
  readonly watermark?: boolean;
  readonly endUser?: string;
  /** The client's own name for the task. */
  readonly externalId?: string;
  /** Where the client wants to be told of the end. */
  readonly callbackUrl?: string;
  /** Where that stood on the client's wire. */
  readonly callbackPath?: string;
  /** Whatever else the client said, in the names of its own wire; an upstream takes what it knows by name. */
  readonly metadata: JsonObject;
}

/** Only forward; the last four never change again. */
export const videoStates = ["queued", "in_progress", "completed", "failed", "cancelled", "expired"] as const;
export type VideoState = (typeof videoStates)[number];

/** True when nothing will happen to the task any more. */
export function isFinal(state: VideoState): boolean {
  return state !== "queued" && state !== "in_progress";
}

/** Why a task has failed. `code` is one lower-case word that clients may compare; `message` is safe to show. */
export interface VideoFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * Where the bytes of a result are. `url`: at an address that anybody may fetch. `content`: behind the upstream's own
 * credential, see `VideoUpstream.content`. `locate`: behind an address that has to be asked for each time, see
 * `VideoUpstream.locate`. `inline`: inside the answer to a poll, which is asked again when the bytes are wanted. `kept`:
 * copied to a store of the gateway's own, `bytes` of them under `name`; `source` is where they came from.
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
      /** Unix milliseconds when the source is gone. */
      readonly sourceEndsAtMs?: number;
    };

/** One finished video; what the upstream did not tell is missing. */
export interface VideoResult {
  readonly place: VideoLocation;
  readonly mediaType?: string;
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly fps?: number;
  readonly seed?: number;
  /** Unix milliseconds when the bytes are gone, where the upstream told it. */
  readonly expiresAtMs?: number;
}
