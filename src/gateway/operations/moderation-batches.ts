// Moderation of several inputs by an upstream that takes one at a time, and the second try that judges get.
import { GatewayError } from "../../canonical/error.ts";
import type { ModerationRequest, ModerationResponse } from "../../canonical/moderation.ts";
import { badValue, invalidUpstreamResponse } from "../../dialects/errors.ts";
import { sumUsage } from "../streaming/stop-sequences.ts";

/** Calls that one request may become. */
const mostCalls = 128;

/** Consecutive parts of an ask, each with at most `size` items. */
export function splitModeration(request: ModerationRequest, size: number): readonly ModerationRequest[] {
  const calls = Math.ceil(request.items.length / size);
  if (calls > mostCalls) throw badValue("input", `This model accepts at most ${mostCalls * size} inputs per request.`);
  if (calls <= 1) return [request];
  return Array.from({ length: calls }, (_, part) => ({
    ...request,
    items: request.items.slice(part * size, (part + 1) * size),
  }));
}

/** Consecutive answers as one. */
export function joinModerationResults(responses: readonly ModerationResponse[]): ModerationResponse {
  const usage = sumUsage(responses.map((response) => response.usage));
  const verdicts = responses.flatMap((response) => response.verdicts);
  const [first] = responses;
  if (first === undefined) throw invalidUpstreamResponse("the response has no moderation result");
  return { ...first, verdicts, ...(usage === undefined ? {} : { usage }) };
}

/** An input without its verdict would pass as harmless. Throws `upstream_protocol_error`. */
export function checkModerationResults({ verdicts }: ModerationResponse, { items }: ModerationRequest): void {
  if (verdicts.length !== items.length)
    throw invalidUpstreamResponse(`expected ${items.length} results, got ${verdicts.length}`);
}

/** The reply made no sense, or the server refused the words of the request. */
function isWorthAgain(thrown: unknown): boolean {
  if (!(thrown instanceof GatewayError)) return false;
  const isRefused = thrown.kind === "upstream_rejected" && (thrown.status === 400 || thrown.status === 422);
  return isRefused || thrown.kind === "upstream_protocol_error";
}

/** Reads the reply to a call, and where the call has other words for itself, once more in those. */
export function readOrAgain<C extends object, T>(read: (call: C) => Promise<T>): (call: C) => Promise<T> {
  return (call) =>
    read(call).catch((thrown: unknown) => {
      const again = "again" in call ? (call.again as C | undefined) : undefined;
      if (again === undefined || !isWorthAgain(thrown)) throw thrown;
      return read(again);
    });
}
