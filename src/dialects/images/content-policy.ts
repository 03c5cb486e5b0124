// Content policy refusals: one error code, whatever the upstream calls it.
import { GatewayError } from "../../canonical/error.ts";
import { isObject } from "../../lib/json.ts";
import type { ErrorCodec } from "../dialect.ts";
import { sanitise } from "../upstream-error.ts";

const words =
  /moderation_blocked|content_policy|content_filter|data_?inspection|sensitive|policy_?violation|risk_?control/i;

/** The error for refused content. `why` is the provider's message. */
export function contentRefused(why: string): GatewayError {
  const message = sanitise(why) || "The provider refused the content of the request.";
  return new GatewayError("upstream_rejected", message, { code: "content_policy_violation" });
}

/** The provider refused the content, and not the form, of the request. */
export const isContentRefusal = ({ kind, code }: GatewayError): boolean =>
  kind === "upstream_rejected" && words.test(code);

function codeOf(body: unknown): string {
  if (!isObject(body)) return "";
  const { code } = isObject(body.error) ? body.error : body;
  return typeof code === "string" ? code : "";
}

/**
 * The same error codec, with one code for refused content. Errors within a stream or a successful reply have no
 * status.
 */
export function withPolicy(errors: ErrorCodec): ErrorCodec {
  return {
    ...errors,
    parse(status, body, retryAfterMs) {
      const error = errors.parse(status, body, retryAfterMs);
      return status < 500 && words.test(codeOf(body)) ? contentRefused(error.message) : error;
    },
  };
}
