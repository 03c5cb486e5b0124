// The contract of a video format for clients: parses requests and renders tasks.
import type { TSchema } from "typebox";
import type { VideoFailure, VideoField, VideoRequest, VideoResult, VideoState } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ErrorCodec, RequestMeta } from "../dialect.ts";
import type { EffectiveSettings } from "./upstream.ts";

/** A task as its owner sees it, in any format. */
export interface VideoView {
  readonly id: string;
  readonly state: VideoState;
  /** 0 to 100, never decreasing. */
  readonly percent: number;
  /** The model name that the client sent. */
  readonly model: string;
  readonly prompt?: string;
  /** The requested settings, rounded to what the upstream supports. */
  readonly effect: EffectiveSettings;
  readonly results: readonly VideoResult[];
  /** The URL of each result; empty where it is no longer available. */
  readonly urls: readonly string[];
  /** The gateway's base URL for clients, without a trailing slash. */
  readonly base: string;
  readonly failure?: VideoFailure;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly completedAtMs?: number;
  /** When the first of the results expires. */
  readonly expiresAtMs?: number;
  readonly remixedFrom?: string;
  readonly externalId?: string;
}

export interface VideoWriteContext {
  readonly requestId: string;
  /** The duration of the request so far, in milliseconds. */
  readonly elapsedMs: number;
}

/** One format. */
export interface VideoClient {
  /** Stored with each task and in the ledger, so it must never change. */
  readonly name: string;
  /** The prefix of its ids. */
  readonly idPrefix: string;
  /** True where the body of a create request may be a form. */
  readonly acceptsForm?: true;
  /** The schema of a create request. Strict in types and bounds, open to unknown fields. */
  readonly schema: TSchema;
  parse(wire: JsonObject, envelope: RequestMeta): VideoRequest;
  /** Warnings for fields of the request that this format drops. */
  ignoredFields?(wire: JsonObject, envelope: RequestMeta): readonly Warning[];
  /** Another name of the model, tried if the client's name is unknown. */
  alias?(model: string): string;
  fieldPath(field: VideoField): string;
  /** The response to a create request. */
  renderCreated(view: VideoView, context: VideoWriteContext): JsonObject;
  /** The response to a status request. */
  renderTask(view: VideoView, context: VideoWriteContext): JsonObject;
  readonly error: ErrorCodec;
}

/** Seconds since 1970. */
export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** The settings of the first result as reported, else those that were requested. */
export function resultSettings({ results, effect }: VideoView): Omit<VideoResult, "place"> {
  const { place: _place, ...first } = results[0] ?? { place: null };
  const { seconds, width, height } = effect;
  return {
    ...(seconds === undefined ? {} : { seconds }),
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
    ...first,
  };
}
