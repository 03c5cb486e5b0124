// Replies that only state that the provider refused the content are failures on a route with a fallback for it, as long as the client has received nothing.
import type { FinishReason } from "../../canonical/chat.ts";
import { contentRefused } from "../../dialects/images/content-policy.ts";
import { readContextOf } from "../../dialects/request-outline.ts";
import { parseJsonText } from "../../lib/json.ts";
import { originOf } from "../../providers/provider.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Candidate } from "../routing/catalog.ts";
import { parsedResponse } from "../streaming/buffered-response.ts";
import type { Meter } from "../streaming/meter.ts";
import { bothOf, type Chunk } from "../streaming/transcoder.ts";
import { firstOf, type UpstreamStream } from "../streaming/upstream-stream.ts";
import type { AttemptLog } from "./attempt-log.ts";
import type { ReadResponse, UpstreamPlan } from "./upstream-plan.ts";

interface RefusalContext {
  readonly candidates: readonly Candidate[];
  readonly gatewayRequest: GatewayRequest;
  readonly log: AttemptLog;
}

/** Chunks of a stream that are held back until it has content. */
const maxHeldChunks = 16;

/** Another candidate is configured for refused content, and this one is not it. */
const hasFallback = ({ candidates, gatewayRequest }: RefusalContext, { after }: Candidate): boolean =>
  after !== "content_refusal" &&
  gatewayRequest.outline.operation === "chat" &&
  candidates.some((each) => each.after === "content_refusal");

const isRefused = (reasons: readonly FinishReason[]): boolean =>
  reasons.length > 0 && reasons.every(({ kind }) => kind === "refusal" || kind === "filter");

/** The provider bills the reply, although it is not used. */
function refuse({ log }: RefusalContext): never {
  log.discard();
  throw contentRefused("");
}

/** Throws `content_policy_violation` for a complete reply that ended because its content was refused. */
export function checkRefusal(
  context: RefusalContext,
  replies: readonly ReadResponse[],
  plan: UpstreamPlan,
  candidate: Candidate,
): void {
  if (!hasFallback(context, candidate)) return;
  const reading = readContextOf(context.gatewayRequest, { origin: originOf(candidate.provider, candidate.model) });
  const reasons = replies.flatMap((read) => {
    const response = parsedResponse(withBody(read), plan, reading);
    return response.operation === "chat" ? response.choices.map(({ finishReason }) => finishReason) : [];
  });
  if (isRefused(reasons)) refuse(context);
}

/** With its JSON, where forwarding it did not need it. */
function withBody(read: ReadResponse): ReadResponse {
  if (read.answer !== null || read.type !== undefined || Object.keys(read.body).length > 0) return read;
  return { ...read, body: Object(parseJsonText(new TextDecoder().decode(read.bytes))) };
}

/** The beginning of a stream: its first chunk, or all until its content begins where a refusal is followed by another candidate. */
interface StreamBeginning {
  readonly meter: Meter;
  first(flow: UpstreamStream): Promise<Chunk>;
}

/** `meter` sees the events of the stream. */
export function streamBeginning(context: RefusalContext, candidate: Candidate, meter: Meter): StreamBeginning {
  if (!hasFallback(context, candidate)) return { meter, first: firstOf };
  let reasons: readonly FinishReason[] = [];
  const see: Meter["see"] = (event) => {
    if (event.type === "finish") reasons = event.finishReasons;
    meter.see(event);
  };
  return {
    meter: { ...meter, see },
    async first(flow) {
      let chunk = await firstOf(flow);
      for (let held = 1; held < maxHeldChunks && chunk.end === undefined; held++) {
        if (meter.delivered().beginning !== "") break;
        const next = await firstOf(flow);
        chunk = { ...next, ...bothOf(chunk, next) };
      }
      if (chunk.end?.error === null && isRefused(reasons)) refuse(context);
      return chunk;
    },
  };
}
