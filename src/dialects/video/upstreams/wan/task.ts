// The tasks of DashScope: one path for all, one vocabulary, and codes that tell what went wrong.
import type { JsonObject } from "../../../../lib/json.ts";
import type { ErrorCodec } from "../../../dialect.ts";
import { faultError, faultFailure, matchErrorCode, type VideoErrorTable } from "../../error-codes.ts";
import { known, objectOf, type States, sizeNumber, stateOf, textOf } from "../../json-helpers.ts";
import { linked } from "../../result-urls.ts";
import type { EffectiveSettings, UpstreamAnswer, VideoProgress } from "../../upstream.ts";

const states: States = {
  pending: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  canceled: "cancelled",
};
/** No such task, or one that is forgotten. */
const unknownTask = "UNKNOWN";

/** https://www.alibabacloud.com/help/en/model-studio/error-code */
const faults: VideoErrorTable = [
  [/DataInspection|IPInfringement|InfringementSuspect/i, "content"],
  [/^Arrearage/i, "funds"],
  [/^InvalidApiKey|AccessDenied|^Unauthorized|Unpurchased/i, "credentials"],
  [/^Throttling|RateLimit|QuotaExceeded/i, "rate"],
  [/Timeout/i, "timeout"],
  [/^ModelUnavailable|^ServiceUnavailable/i, "busy"],
  [/^InvalidParameter|^InvalidURL|^BadRequest|^InvalidFile|^InvalidImage/i, "input"],
  [/^Internal/i, "broken"],
];

/** `{code, message, request_id}`. */
export const parseError: ErrorCodec["parse"] = (status, body, retryAfterMs) => {
  const { code, message } = objectOf(body);
  const fault = matchErrorCode(faults, textOf(code));
  return faultError(fault, { status, message: textOf(message) || textOf(code) || textOf(body), retryAfterMs });
};

function effectTold(usage: JsonObject): EffectiveSettings {
  const size = textOf(usage.size) || textOf(usage.video_ratio);
  const [, width, height] = /^(\d+)\*(\d+)$/.exec(size) ?? [];
  const side = sizeNumber(usage.SR);
  return known({
    seconds: sizeNumber(usage.output_video_duration) ?? sizeNumber(usage.video_duration) ?? sizeNumber(usage.duration),
    width: sizeNumber(width),
    height: sizeNumber(height),
    resolution: side === undefined ? undefined : `${side}p`,
  });
}

const failureOf = ({ code, message }: JsonObject) => faultFailure(matchErrorCode(faults, textOf(code)), message);

export function progress({ status, body }: UpstreamAnswer): VideoProgress | null {
  const { output, usage } = objectOf(body);
  const said = objectOf(output);
  if (status === 404 || said.task_status === unknownTask) return { isGone: true };
  if (status >= 300 || textOf(said.task_status) === "") return null;
  const state = stateOf(said.task_status, states);
  const effect = effectTold(objectOf(usage));
  if (state.state === "failed") return { ...state, failure: failureOf(said) };
  if (state.state === "cancelled")
    return { ...state, failure: { code: "cancelled", message: "The task was canceled." } };
  return state.state === "completed" ? { ...state, results: linked(said.video_url, effect), effect } : state;
}
