// The contract of a format in which clients ask for videos: the ask out of a body, a task in the format's own words.
import type { TSchema } from "typebox";
import type { VideoFailure, VideoField, VideoRequest, VideoResult, VideoState } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ErrorCodec, RequestMeta } from "../dialect.ts";
import type { EffectiveSettings } from "./upstream.ts";

/** A task as its owner may see it, in any format. */
export interface VideoView {
  readonly id: string;
  readonly state: VideoState;
  /** 0 to 100, never less than before. */
  readonly percent: number;
  /** As the client named it. */
  readonly model: string;
  readonly prompt?: string;
  /** What was requested, rounded to what the upstream makes. */
  readonly effect: EffectiveSettings;
  readonly results: readonly VideoResult[];
  /** Where each result can be fetched; empty where it is gone. */
  readonly urls: readonly string[];
  /** The gateway's address as its clients know it, without a slash at the end. */
  readonly base: string;
  readonly failure?: VideoFailure;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly completedAtMs?: number;
  /** When the first of the results is gone. */
  readonly expiresAtMs?: number;
  readonly remixedFrom?: string;
  readonly externalId?: string;
}

export interface VideoWriteContext {
  readonly requestId: string;
  /** How long the request took so far, in milliseconds. */
  readonly elapsedMs: number;
}

/** One format. */
export interface VideoClient {
  /** Stored with each task and in the ledger: never changed. */
  readonly name: string;
  /** What the ids that it gives begin with. */
  readonly idPrefix: string;
  /** True where the body of a submit may be a form. */
  readonly acceptsForm?: true;
  /** Of a submit. Strict in types and bounds, open to unknown fields. */
  readonly schema: TSchema;
  parse(wire: JsonObject, envelope: RequestMeta): VideoRequest;
  /** What of the request this format has no place for: it is dropped, with a warning. */
  ignoredFields?(wire: JsonObject, envelope: RequestMeta): readonly Warning[];
  /** A name under which the model may be known where the client's own is not. */
  alias?(model: string): string;
  fieldPath(field: VideoField): string;
  /** The answer to a submit. */
  renderCreated(view: VideoView, context: VideoWriteContext): JsonObject;
  /** The answer to a question. */
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
