// Moderation of several inputs by an upstream that accepts one at a time, and the retry with other fields for chat
// models.
import { GatewayError } from "../../canonical/error.ts";
import type { ModerationRequest, ModerationResponse } from "../../canonical/moderation.ts";
import { sumUsage } from "../../canonical/usage.ts";
import { badValue, invalidUpstreamResponse } from "../../dialects/errors.ts";
import type { OperationRules } from "./operation.ts";

export const moderation: OperationRules<ModerationRequest, ModerationResponse> = {
  itemCount: () => 1,
  split(request, maxItems, { maxCallsPerRequest }) {
    const calls = Math.ceil(request.items.length / maxItems);
    if (calls > maxCallsPerRequest)
      throw badValue("input", `This model accepts at most ${maxCallsPerRequest * maxItems} inputs per request.`);
    if (calls <= 1) return [request];
    return Array.from({ length: calls }, (_, part) => ({
      ...request,
      items: request.items.slice(part * maxItems, (part + 1) * maxItems),
    }));
  },
  merge(responses) {
    const usage = sumUsage(responses.map((response) => response.usage));
    const verdicts = responses.flatMap((response) => response.verdicts);
    const [first] = responses;
    if (first === undefined) throw invalidUpstreamResponse("the response has no moderation result");
    return { ...first, verdicts, ...(usage === undefined ? {} : { usage }) };
  },
  // An input without a result would pass as harmless.
  check({ verdicts }, { items }) {
    if (verdicts.length !== items.length)
      throw invalidUpstreamResponse(`expected ${items.length} results, got ${verdicts.length}`);
  },
};

/** The reply was invalid, or the server refused fields of the request. */
function isWorthAgain(thrown: unknown): boolean {
  if (!(thrown instanceof GatewayError)) return false;
  const isRefused = thrown.kind === "upstream_rejected" && (thrown.status === 400 || thrown.status === 422);
  return isRefused || thrown.kind === "upstream_protocol_error";
}

/** Reads the reply to a call; if that fails and the call has an alternative form, sends that once. */
export function readOrAgain<C extends object, T>(read: (call: C) => Promise<T>): (call: C) => Promise<T> {
  return (call) =>
    read(call).catch((thrown: unknown) => {
      const again = "again" in call ? (call.again as C | undefined) : undefined;
      if (again === undefined || !isWorthAgain(thrown)) throw thrown;
      return read(again);
    });
}
