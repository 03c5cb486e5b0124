// The speech format that is requested from a provider if the gateway transcodes to the client's.
import type { AudioFormat } from "../../canonical/speech.ts";
import type { UpstreamDialect } from "../../dialects/dialect.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";

/** Best first: lossless, and of those the ones that every provider streams. */
const sources: readonly AudioFormat[] = ["pcm", "flac", "wav", "opus", "mp3", "aac"];

/** The request in a format that the provider supports, with a warning; the same request if it supports the client's. */
export function inMadeFormat(gatewayRequest: GatewayRequest, upstream: UpstreamDialect): GatewayRequest {
  const { request } = gatewayRequest;
  const made = upstream.audio?.formats;
  if (request.operation !== "speak" || made === undefined || made.includes(request.format)) return gatewayRequest;
  const format = sources.find((each) => made.includes(each));
  if (format === undefined) return gatewayRequest;
  const warning = { code: "emulated", path: gatewayRequest.dialect.request.fieldPath("format") } as const;
  return gatewayRequest.with({
    request: { ...request, format },
    adjustments: [...(gatewayRequest.adjustments ?? []), warning],
  });
}
