// Refusals for what an image shows or a prompt asks: one code for them, whatever the upstream calls it.
import { GatewayError } from "../../canonical/error.ts";
import { isObject } from "../../lib/json.ts";
import type { ErrorCodec } from "../dialect.ts";
import { sanitise } from "../upstream-error.ts";

const words =
  /moderation_blocked|content_policy|content_filter|data_?inspection|sensitive|policy_?violation|risk_?control/i;

/** The refusal of content. `why` are the provider's words. */
export function contentRefused(why: string): GatewayError {
  const message = sanitise(why) || "The provider refused the content of the request.";
  return new GatewayError("upstream_rejected", message, { code: "content_policy_violation" });
}

function codeOf(body: unknown): string {
  if (!isObject(body)) return "";
  const { code } = isObject(body.error) ? body.error : body;
  return typeof code === "string" ? code : "";
}

/** The same errors, with one code for content that was refused. A stream or a reply that began well has no status for it. */
export function withPolicy(errors: ErrorCodec): ErrorCodec {
  return {
    ...errors,
    parse(status, body, retryAfterMs) {
      const error = errors.parse(status, body, retryAfterMs);
      return status < 500 && words.test(codeOf(body)) ? contentRefused(error.message) : error;
    },
  };
}
