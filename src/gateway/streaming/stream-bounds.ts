// The limits of one stream in total, at which the gateway ends it. The values are rows of src/config/limits.ts.
import { GatewayError } from "../../canonical/error.ts";

export interface StreamBounds {
  readonly streamMs: number;
  readonly streamBytes: number;
  readonly streamOutputTokens: number;
}

interface StreamTotals {
  readonly ms: number;
  readonly bytes: number;
  readonly outputTokens: number;
}

const allowed = (what: string, setting: string): string =>
  `The stream ${what} than this gateway allows ('${setting}').`;

export const tooLarge = (): GatewayError =>
  new GatewayError("upstream_protocol_error", allowed("is larger", "limits.stream_bytes"));

/** The error that ends a stream; null within the limits. */
export function beyondBounds({ ms, bytes, outputTokens }: StreamTotals, bounds: StreamBounds): GatewayError | null {
  if (ms > bounds.streamMs) return new GatewayError("upstream_timeout", allowed("took longer", "limits.stream_ms"));
  if (bytes > bounds.streamBytes) return tooLarge();
  if (outputTokens <= bounds.streamOutputTokens) return null;
  return new GatewayError("upstream_protocol_error", allowed("has more output", "limits.stream_output_tokens"));
}
