// Builds a video upstream from a vendor's table: submit, poll, cancel, and replies read as progress, ids and errors.
import type { GatewayError } from "../../canonical/error.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { UpstreamRequest } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { lookUpModel } from "../shared/model-table.ts";
import { faultError, faultFailure, matchErrorCode } from "./error-codes.ts";
import { at, firstAt, known, requireId, stateOf, textOf } from "./json-helpers.ts";
import { fieldsOf, renderSubmit } from "./render-submit.ts";
import type { UpstreamAnswer, UpstreamTask, VideoProgress, VideoRenderContext, VideoUpstream } from "./upstream.ts";
import type { TableUpstream, TaskCall, TaskReading, VideoRow, VideoVendor } from "./vendor.ts";

/** The request with the ids inserted. */
function callOf(call: TaskCall, task: UpstreamTask, ref = ""): UpstreamRequest {
  if (typeof call === "function") return call(task);
  const [method = "", template = ""] = call.split(" ");
  const path = template
    .replace("{id}", () => encodeURIComponent(task.upstreamId))
    .replace("{ref}", () => encodeURIComponent(ref));
  return method === "POST" ? { path, body: {} } : { method: method as "GET", path, body: {} };
}

function progressOf<Row extends VideoRow>(
  { states, errorCodes }: VideoVendor<Row>,
  reading: TaskReading,
): VideoProgress | null {
  const { status, code, reason, failure, results, percent, effect } = reading;
  if (textOf(status) === "") return null;
  const state = stateOf(status, states);
  switch (state.state) {
    case "completed":
      return known({ ...state, percent, results: results ?? [], effect });
    case "failed":
      return known({
        ...state,
        percent,
        effect,
        failure: failure ?? faultFailure(matchErrorCode(errorCodes, code), reason),
      });
    case "cancelled":
      return known({ ...state, percent, failure: { code: "cancelled", message: "The task was canceled." } });
    default:
      return known({ ...state, percent, effect });
  }
}

function readTask<Row extends VideoRow>(
  vendor: VideoVendor<Row>,
  body: JsonObject,
  task: UpstreamTask,
): VideoProgress | null {
  const reading = vendor.read(body, task);
  return reading !== null && "status" in reading ? progressOf(vendor, reading) : reading;
}

function progress<Row extends VideoRow>(
  vendor: VideoVendor<Row>,
  answer: UpstreamAnswer,
  task: UpstreamTask,
): VideoProgress | null {
  const read = vendor.readStatus?.(answer, task);
  if (read !== undefined) return read;
  if (answer.status === 404) return { isGone: true };
  return answer.status < 300 && isObject(answer.body) ? readTask(vendor, answer.body, task) : null;
}

function errorOf<Row extends VideoRow>({ error, errorCodes }: VideoVendor<Row>): VideoUpstream["error"]["parse"] {
  if (typeof error === "function") return error;
  return (status, body, retryAfterMs): GatewayError => {
    const code = firstAt(body, error.code);
    const message = textOf(firstAt(body, error.message)) || textOf(code) || textOf(body);
    return faultError(matchErrorCode(errorCodes, code), { status, message, retryAfterMs });
  };
}

/** A new task, whose state may be in the reply to its submit. */
const newTask = (upstreamId: string): UpstreamTask => ({ id: "", upstreamId, model: "", upstreamState: {} });

const anyRequest: VideoRequest = { operation: "video", model: "", images: [], n: 1, metadata: {} };
const anyContext = (model: string): VideoRenderContext => ({ model, taskId: "", fieldPath: (field) => field });

/** The upstream for a vendor's table. */
export function videoUpstream<Row extends VideoRow>(vendor: VideoVendor<Row>): TableUpstream {
  const {
    name,
    serves,
    imageForms,
    httpsOnly,
    maxVideos,
    remix,
    content,
    inlineResults,
    pace,
    deadlineSeconds,
    resultSeconds,
  } = vendor;
  const { cancel, remove, locate } = vendor;
  const parse = errorOf(vendor);
  return known<TableUpstream>({
    ...{
      name,
      serves,
      imageForms,
      httpsOnly,
      maxVideos,
      remix,
      content,
      inlineResults,
      pace,
      deadlineSeconds,
      resultSeconds,
    },
    fieldsOf(model) {
      const table = typeof vendor.models === "function" ? vendor.models(anyRequest, anyContext(model)) : vendor.models;
      return fieldsOf(vendor, lookUpModel(table, { model }).row);
    },
    render: (request, context) => renderSubmit(vendor, request, context),
    accepted({ status, body }) {
      if (!isObject(body)) throw invalidUpstreamResponse("expected a JSON object");
      if (vendor.isRefusal?.(body)) throw parse(status, body);
      const upstreamId = requireId(at(body, vendor.id));
      const upstreamState = vendor.upstreamStateOf?.(body);
      const progress = vendor.readsSubmit ? readTask(vendor, body, newTask(upstreamId)) : null;
      return { upstreamId, ...(upstreamState && { upstreamState }), ...(progress && { progress }) };
    },
    poll: (task) => callOf(vendor.poll, task),
    progress: (answer, task) => progress(vendor, answer, task),
    cancel: cancel === undefined ? undefined : (task) => callOf(cancel, task),
    remove: remove === undefined ? undefined : (task) => callOf(remove, task),
    locate: locate && {
      call: (task, ref) => callOf(locate.call, task, ref),
      read({ status, body }) {
        const isAnswered = status === 200 && isObject(body) && !vendor.isRefusal?.(body);
        return (isAnswered && textOf(at(body, locate.url))) || null;
      },
    },
    error: { parse },
  });
}
