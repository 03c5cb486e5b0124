// fal's queue as videos: a request that is queued, a status that tells no more than its end, and an answer to fetch then.
import type { GatewayError } from "../../../../canonical/error.ts";
import type { VideoResult } from "../../../../canonical/video.ts";
import { isObject, type Json, type JsonObject } from "../../../../lib/json.ts";
import { missing } from "../../../errors.ts";
import { modelRow } from "../../capabilities.ts";
import { faultError, faultFailure, matchErrorCode, type VideoErrorTable } from "../../error-codes.ts";
import {
  getCall,
  known,
  numberOf,
  objectOf,
  requireId,
  type States,
  sizeNumber,
  stateOf,
  textOf,
} from "../../json-helpers.ts";
import { pick } from "../../nearest-supported.ts";
import type { UpstreamAnswer, UpstreamTask, VideoProgress, VideoUpstream } from "../../upstream.ts";
import { hostedInput, soundOf } from "../model-host.ts";
import { falModels, passed } from "./model-inputs.ts";

const states: States = { in_queue: "queued", in_progress: "in_progress", completed: "completed" };

/** https://docs.fal.ai/errors: the type of an error, or its prose. */
const faults: VideoErrorTable = [
  [/content_policy_violation|flagged|nsfw|safety|moderation/i, "content"],
  [/timeout|timed out/i, "timeout"],
  [/exhausted balance|insufficient/i, "funds"],
  [/downstream_service|runner_|internal|generation_error/i, "broken"],
];

/** `owner/app`, with a path within the app where it has several. */
const modelName = /^[\w-]+(?:\/\w[\w.-]*)+$/;

/** Behind the submit the path within the app is gone; the answer says what is left of it. */
function appOf(responseUrl: unknown, model: string): string {
  const told = /^https?:\/\/[^/]+\/(.+)\/requests\/[^/]+\/?$/.exec(textOf(responseUrl))?.[1] ?? "";
  return modelName.test(told) ? told : model.split("/").slice(0, 2).join("/");
}

const requestPath = ({ upstreamId, model, keep }: UpstreamTask): string =>
  `${textOf(keep.app) || appOf("", model)}/requests/${encodeURIComponent(upstreamId)}`;

/** `detail` as a text or as a list of faults, each with a type of its own. */
function saidIn(body: unknown): { word: string; message: string } {
  const { detail, error, error_type: type } = objectOf(body);
  const list: Json[] = Array.isArray(detail) ? detail : [];
  const items = list.filter(isObject).map((item) => ({ type: textOf(item.type), message: textOf(item.msg) }));
  const prose = [
    textOf(detail),
    textOf(error),
    textOf(objectOf(error).message),
    ...items.map(({ message }) => message),
  ];
  const message = prose.filter(Boolean).join("; ") || textOf(body);
  return { word: [textOf(type), ...items.map((item) => item.type), message].join(" "), message };
}

function resultsOf(body: JsonObject): VideoResult[] {
  const video = objectOf(Array.isArray(body.videos) ? body.videos[0] : body.video);
  const url = textOf(video.url);
  if (!/^https?:\/\//i.test(url)) return [];
  const type = textOf(video.content_type);
  return [
    known({
      place: { kind: "url", url } as const,
      mediaType: type.startsWith("video/") ? type : undefined,
      seconds: sizeNumber(video.duration),
      width: sizeNumber(video.width),
      height: sizeNumber(video.height),
      fps: sizeNumber(video.fps),
      seed: numberOf(body.seed),
    }),
  ];
}

function failed(body: unknown, usual?: "input"): VideoProgress {
  const { word, message } = saidIn(body);
  return { state: "failed", failure: faultFailure(matchErrorCode(faults, word) ?? usual, message) };
}

/** The end is told by the status, what it was by the answer that is fetched next. */
function statusTold(body: JsonObject): VideoProgress {
  const state = stateOf(body.status, states);
  if (state.state !== "completed") return state;
  return body.error ? failed(body) : { state: "in_progress", keep: { isDone: true } };
}

function answerTold({ status, body }: UpstreamAnswer): VideoProgress | null {
  if (/still in progress/i.test(saidIn(body).message)) return { state: "in_progress" };
  if (status === 400 || status === 422) return failed(body, "input");
  // What the model's own program answered; the queue itself has other words for its troubles.
  if (status === 500 && isObject(body) && body.detail !== undefined) return failed(body);
  return status === 200 && isObject(body) ? { state: "completed", results: resultsOf(body) } : null;
}

function progress(answer: UpstreamAnswer, { keep }: UpstreamTask): VideoProgress | null {
  const { status, body } = answer;
  if (status === 404) return { isGone: true };
  if (keep.isDone === true) return answerTold(answer);
  // 202 as long as it goes on.
  const isTold = (status === 200 || status === 202) && isObject(body) && textOf(body.status) !== "";
  return isTold ? statusTold(body) : null;
}

function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const { word, message } = saidIn(body);
  const told = status >= 500 || status === 429 ? undefined : matchErrorCode(faults, word);
  return faultError(told ?? (status === 422 ? "input" : undefined), { status, message, retryAfterMs });
}

export const falVideos: VideoUpstream = {
  name: "fal-queue",
  serves: (model) => modelName.test(model),
  takes: ["url", "data"],
  render(request, context) {
    if (request.prompt === undefined && request.images.length === 0) throw missing(context.fieldPath("prompt"));
    const { row, warnings } = modelRow(falModels, context);
    const { input, made, warnings: losses } = hostedInput(request, row, context);
    const body = { ...pick(request.metadata, passed), ...input };
    const { seconds, resolution } = made;
    const effect = known({ seconds, resolution: resolution?.toLowerCase(), audio: soundOf(request, row) });
    const keep = { app: appOf("", context.model) };
    return { call: { path: context.model, body }, warnings: [...warnings, ...losses], effect, keep };
  },
  accepted({ status, body }) {
    if (isObject(body) && body.request_id === undefined && (body.detail ?? body.error) !== undefined)
      throw parseError(status, body);
    const upstreamId = requireId(body, "request_id");
    const { response_url: address } = objectOf(body);
    return textOf(address) === "" ? { upstreamId } : { upstreamId, keep: keptOf(address) };
  },
  poll: (task) => getCall(task.keep.isDone === true ? requestPath(task) : `${requestPath(task)}/status`),
  progress,
  cancel: (task) => ({ method: "PUT", path: `${requestPath(task)}/cancel`, body: {} }),
  error: { parse: parseError },
  pace: { firstMs: 3_000, mostMs: 3_000 },
  resultSeconds: 3 * 86_400,
};

function keptOf(address: Json | undefined): JsonObject {
  const app = appOf(address, "");
  return app === "" ? {} : { app };
}
