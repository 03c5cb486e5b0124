// Receives OTLP over HTTP in JSON, and shows spans as trees and metrics by name.
import { until } from "../support/until.ts";

interface Value {
  stringValue?: string;
  intValue?: string | number;
  doubleValue?: number;
  boolValue?: boolean;
}

export type Attributes = Record<string, string | number | boolean>;

interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  traceState?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  links?: { traceId: string; spanId: string }[];
  status: { code?: number };
}

export interface Span {
  traceId: string;
  spanId: string;
  parent: string | null;
  name: string;
  kind: "internal" | "server" | "client";
  traceState: string;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  links: string[];
  isError: boolean;
}

export interface Point {
  attributes: Attributes;
  count: number;
  sum: number;
}

const attributesOf = (list: { key: string; value: Value }[] = []): Attributes =>
  Object.fromEntries(
    list.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? doubleValue ?? boolValue ?? Number(intValue),
    ]),
  );

const kinds = ["internal", "internal", "server", "client"] as const;

const spanOf = (wire: WireSpan): Span => ({
  traceId: wire.traceId,
  spanId: wire.spanId,
  parent: wire.parentSpanId || null,
  name: wire.name,
  kind: kinds[wire.kind] ?? "internal",
  traceState: wire.traceState ?? "",
  startMs: Number(BigInt(wire.startTimeUnixNano) / 1_000n) / 1_000,
  endMs: Number(BigInt(wire.endTimeUnixNano) / 1_000n) / 1_000,
  attributes: attributesOf(wire.attributes),
  links: (wire.links ?? []).map(({ traceId, spanId }) => `${traceId}-${spanId}`),
  isError: wire.status?.code === 2,
});

export interface Receiver {
  url: string;
  /** Everything that came, as text. */
  bodies: string[];
  headers: Headers[];
  spans: Span[];
  resource: Attributes;
  /** The last points of a metric. */
  metrics: Map<string, Point[]>;
  /** Answers with another status, or never. */
  fails: number | "never" | null;
  /** Spans of a request, once there are so many: the server's first, then by start. */
  tree(requestId: string, count: number): Promise<Span[]>;
  stop(): Promise<void>;
}

type Metrics = { name: string; histogram?: { dataPoints: { attributes: never[]; count: string; sum: number }[] } }[];

export function otlpReceiver(): Receiver {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const text = await request.text();
      receiver.bodies.push(text);
      receiver.headers.push(request.headers);
      if (receiver.fails === "never") return new Promise<Response>(() => undefined);
      if (receiver.fails !== null) return new Response("no", { status: receiver.fails });
      if (request.headers.get("content-type") !== "application/json") return new Response(null);
      const body = JSON.parse(text);
      for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
        receiver.resource = attributesOf(resource.attributes);
        for (const { spans } of scopeSpans) receiver.spans.push(...(spans as WireSpan[]).map(spanOf));
      }
      for (const { scopeMetrics } of body.resourceMetrics ?? [])
        for (const { metrics } of scopeMetrics as { metrics: Metrics }[])
          for (const { name, histogram } of metrics)
            receiver.metrics.set(
              name,
              (histogram?.dataPoints ?? []).map(({ attributes, count, sum }) => ({
                attributes: attributesOf(attributes),
                count: Number(count),
                sum,
              })),
            );
      return Response.json({});
    },
  });
  const ofRequest = (requestId: string): Span[] => {
    const roots = receiver.spans.filter(({ attributes }) => attributes["turnpike.request.id"] === requestId);
    const below = receiver.spans.filter(({ parent }) => roots.some(({ spanId }) => spanId === parent));
    const all = [...roots, ...below];
    return all.sort(
      (one, other) => Number(other.kind === "server") - Number(one.kind === "server") || one.startMs - other.startMs,
    );
  };
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}`,
    bodies: [],
    headers: [],
    spans: [],
    resource: {},
    metrics: new Map(),
    fails: null,
    tree: (requestId, count) =>
      until(`${count} spans of ${requestId}`, () => {
        const found = ofRequest(requestId);
        return found.length >= count ? found : null;
      }),
    stop: () => server.stop(true),
  };
  return receiver;
}

/** The environment of a gateway that exports to it quickly. */
export const exportsTo = (
  { url }: Pick<Receiver, "url">,
  more: Record<string, string> = {},
): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_BSP_SCHEDULE_DELAY: "20",
  OTEL_METRIC_EXPORT_INTERVAL: "50",
  ...more,
});
