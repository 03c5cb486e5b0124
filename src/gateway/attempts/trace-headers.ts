// The trace of a request on its way to a provider: `traceparent` and `tracestate`, where the provider may have them.
import type { UpstreamRequest } from "../../dialects/dialect.ts";
import { traceHeaders, traceParentOf } from "../../lib/trace-context.ts";
import type { RequestIds } from "../../telemetry/events.ts";
import type { Candidate } from "../routing/catalog.ts";

/** The call with the position of its attempt in the trace, where its provider may get it. */
export function inTrace(
  call: UpstreamRequest,
  { provider }: Candidate,
  trace: RequestIds["trace"],
  header: (name: string) => string | null,
): UpstreamRequest {
  if (provider.entry.forwardsTrace !== true) return call;
  const parent = trace ? null : traceParentOf(header);
  const headers = trace?.headers() ?? (parent === null ? {} : traceHeaders(parent));
  return { ...call, headers: { ...call.headers, ...headers } };
}
