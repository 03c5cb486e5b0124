// Converts a complete reply to a stream, for clients that requested one from an upstream without streaming.

import type { UpstreamDialect } from "../../dialects/dialect.ts";
import { formatFrame } from "../../lib/sse.ts";
import type { ResponseHeaders } from "../../providers/transport/headers.ts";
import type { ReadResponse, UpstreamPlan } from "../attempts/upstream-plan.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { parsedResponse } from "./buffered-response.ts";
import type { Meter } from "./meter.ts";
import type { UpstreamStream } from "./upstream-stream.ts";

const encoder = new TextEncoder();

/** Whether the client's dialect can write a complete reply as a stream, and the upstream returned none. */
export function needsReplay({ dialect }: GatewayRequest, upstream: UpstreamDialect, headers: ResponseHeaders): boolean {
  if (dialect.stream?.asStream === undefined) return false;
  return upstream.stream === undefined || !(headers.get("content-type") ?? "").startsWith("text/event-stream");
}

/** The reply as a stream of one chunk. */
export function replayAsStream(
  read: ReadResponse,
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
  meter: Meter,
  origin: string,
): UpstreamStream {
  const parsed = parsedResponse(read, plan, { origin, request: gatewayRequest.request });
  const response = read.usage === undefined ? parsed : { ...parsed, usage: read.usage };
  if (response.usage !== undefined) meter.see({ type: "finish", finishReasons: [], usage: response.usage });
  const frames = gatewayRequest.dialect.stream?.asStream?.(response, gatewayRequest.write) ?? [];
  const bytes = encoder.encode(frames.map(formatFrame).join(""));
  return {
    next: async (consume) => consume({ bytes, end: { error: null } }),
    endMarkers: () => ({ events: 1, keepAlives: 0 }),
    writeError: () => null,
    stop: () => null,
    finishing: () => false,
    type: () => null,
    close: () => undefined,
  };
}
