// `GET /metrics`: the metrics for Prometheus, with the admin key or a service token with that scope.
import { inSteps } from "../lib/event-loop-turn.ts";
import { contentTypeOf, type ExpositionFormat, type Registry } from "../telemetry/registry.ts";
import { presentedKey } from "./credentials.ts";
import type { HandlerContext, HandlerEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";

export interface MetricsParts {
  readonly registry: Registry;
  /** Throws if this token may not read metrics from this address. */
  mayReadMetrics(token: string, address: string): Promise<void>;
}

/** A scraper lists all formats that it supports; the newer one is preferred. */
function formatFor(request: Request): ExpositionFormat {
  return request.headers.get("accept")?.includes("application/openmetrics-text") ? "openmetrics" : "text";
}

async function answer(parts: MetricsParts, { request, requestId, address }: HandlerContext): Promise<Response> {
  await parts.mayReadMetrics(presentedKey(request, ["bearer"]), address());
  const format = formatFor(request);
  const headers = { "content-type": contentTypeOf[format], "cache-control": "no-store", "x-request-id": requestId };
  return new Response(await inSteps(parts.registry.text(format)), { headers });
}

/** The row of the metrics. `parts` is a function because the table is also used without them. */
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
