// `GET /metrics`: the metrics for Prometheus, for the admin key and for service tokens that may read them.
import { inSteps } from "../lib/event-loop-turn.ts";
import { contentTypeOf, type ExpositionFormat, type Registry } from "../telemetry/registry.ts";
import { presentedKey } from "./credentials.ts";
import type { HandlerContext, HandlerEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";

export interface MetricsParts {
  readonly registry: Registry;
  /** Throws where the bearer of this token, at this address, may not read metrics. */
  mayReadMetrics(token: string, address: string): Promise<void>;
}

/** A scraper lists every format that it can read; those that can read both are better off with the newer one. */
function formatFor(request: Request): ExpositionFormat {
  return request.headers.get("accept")?.includes("application/openmetrics-text") ? "openmetrics" : "text";
}

async function answer(parts: MetricsParts, { request, requestId, address }: HandlerContext): Promise<Response> {
  await parts.mayReadMetrics(presentedKey(request, ["bearer"]), address());
  const format = formatFor(request);
  const headers = { "content-type": contentTypeOf[format], "cache-control": "no-store", "x-request-id": requestId };
  return new Response(await inSteps(parts.registry.text(format)), { headers });
}

/** The row of the metrics. `parts` is called late, because the table is also read where there are none. */
export const metricsRow = (parts: () => MetricsParts): HandlerEndpoint => ({
  kind: "plain",
  method: "GET",
  path: "/metrics",
  operationId: "metrics",
  summary: "The metrics, in the text format of Prometheus or as OpenMetrics.",
  access: { key: "admin" },
  ...protocols.openai,
  replyTypes: ["text/plain", "application/openmetrics-text"],
  handle: (context) => answer(parts(), context),
});
