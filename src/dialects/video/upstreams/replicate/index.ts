// Replicate's predictions as videos: the inputs of a model, and a prediction that ends with addresses.
import type { GatewayError } from "../../../../canonical/error.ts";
import type { VideoLocation, VideoResult } from "../../../../canonical/video.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import type { UpstreamRequest } from "../../../dialect.ts";
import { missing } from "../../../errors.ts";
import { modelRow } from "../../capabilities.ts";
import { faultError, faultFailure, matchErrorCode, type VideoErrorTable } from "../../error-codes.ts";
import { getCall, known, objectOf, requireId, type States, sizeNumber, stateOf, textOf } from "../../json-helpers.ts";
import { pick } from "../../nearest-supported.ts";
import type { UpstreamAnswer, UpstreamTask, VideoProgress, VideoUpstream } from "../../upstream.ts";
import { hostedInput, soundOf } from "../model-host.ts";
import { passed, replicateModels } from "./model-inputs.ts";

const states: States = {
  starting: "queued",
  processing: "in_progress",
  succeeded: "completed",
  failed: "failed",
  canceled: "cancelled",
  cancelled: "cancelled",
  aborted: "cancelled",
};

/** A prediction fails with prose alone, at times with a code behind it. */
const faults: VideoErrorTable = [
  [/E005|sensitive|nsfw|moderation|safety|content policy/i, "content"],
  [/E006|validation|invalid input/i, "input"],
  [/E003|high demand|overloaded/i, "busy"],
  [/E004|timed? ?out/i, "timeout"],
];

/** `owner/name`, `owner/name:version`, or a version alone. */
const modelName = /^(?:[\w-]+\/\w[\w.-]*(?::\w+)?|[0-9a-f]{64})$/i;

function placeOf(model: string): { path: string; version?: string } {
  const [name = "", version] = model.split(":");
  const [owner = "", title] = name.split("/");
  if (version !== undefined || title === undefined) return { path: "predictions", version: version ?? name };
  return { path: `models/${owner}/${title}/predictions` };
}

/** Files that the service keeps itself are given to the credential alone. */
const ownFile = /^https:\/\/api\.replicate\.com\/v1\/(files\/[^\s]+)$/i;

function placeOfResult(url: string): VideoLocation {
  const ref = ownFile.exec(url)?.[1];
  return ref === undefined ? { kind: "url", url } : { kind: "content", ref };
}

function resultsOf(output: Json | undefined): VideoResult[] {
  if (isObject(output)) return resultsOf(output.video ?? output.url);
  const urls = Array.isArray(output) ? output : [output];
  return urls
    .map(textOf)
    .filter((url) => /^https?:\/\//i.test(url))
    .map((url) => ({ place: placeOfResult(url) }));
}

function told(body: JsonObject): VideoProgress {
  const state = stateOf(body.status, states);
  const error = textOf(body.error);
  if (state.state === "failed") return { ...state, failure: faultFailure(matchErrorCode(faults, error), error) };
  if (state.state === "cancelled")
    return { ...state, failure: { code: "cancelled", message: "The task was canceled." } };
  if (state.state !== "completed") return state;
  const seconds = sizeNumber(objectOf(body.metrics).video_output_duration_seconds);
  return { ...state, results: resultsOf(body.output), effect: known({ seconds }) };
}

function progress({ status, body }: UpstreamAnswer): VideoProgress | null {
  if (status === 404) return { isGone: true };
  return status === 200 && isObject(body) && textOf(body.status) !== "" ? told(body) : null;
}

function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const { detail, title } = objectOf(body);
  const message = textOf(detail) || textOf(title) || textOf(body);
  const fault = status === 422 || status === 400 ? (matchErrorCode(faults, message) ?? "input") : undefined;
  return faultError(fault, { status, message, retryAfterMs });
}

const taskPath = ({ upstreamId }: UpstreamTask): string => `predictions/${encodeURIComponent(upstreamId)}`;

/** Only a path below `files`, whatever an upstream has said. */
function contentCall(place: VideoLocation, variant: string): UpstreamRequest | null {
  const ref = place.kind === "content" ? (place.ref ?? "") : "";
  const isFile = /^files\/[\w./?=&%-]+$/.test(ref) && !ref.includes("..");
  return isFile && variant === "video" ? getCall(ref) : null;
}

export const replicateVideos: VideoUpstream = {
  name: "replicate-predictions",
  serves: (model) => modelName.test(model),
  takes: ["url", "data"],
  render(request, context) {
    if (request.prompt === undefined && request.images.length === 0) throw missing(context.fieldPath("prompt"));
    const { row, warnings } = modelRow(replicateModels, context);
    const { input: named, made, warnings: losses } = hostedInput(request, row, context);
    const { path, version } = placeOf(context.model);
    const body = omitUndefined({ version, input: { ...pick(request.metadata, passed), ...named } });
    const effect = known({ seconds: made.seconds, resolution: made.resolution, audio: soundOf(request, row) });
    return { call: { path, body }, warnings: [...warnings, ...losses], effect };
  },
  accepted({ body }) {
    const upstreamId = requireId(body, "id");
    const said = objectOf(body);
    return textOf(said.status) === "" ? { upstreamId } : { upstreamId, progress: told(said) };
  },
  poll: (task) => getCall(taskPath(task)),
  progress,
  cancel: (task) => ({ path: `${taskPath(task)}/cancel`, body: {} }),
  content: (_task, place, variant) => contentCall(place, variant),
  error: { parse: parseError },
  pace: { firstMs: 3_000, mostMs: 3_000 },
  resultSeconds: 3_600,
};
