// The official exporters and their providers. A collector that fails is reported once, until it answers again.
import type { MeterProvider } from "@opentelemetry/api";
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { PeriodicExportingMetricReader, MeterProvider as SdkMeterProvider } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { OpenTelemetrySettings, OtlpTarget } from "./settings.ts";

type ExportedSignal = "traces" | "metrics";

/** Null: the collector answers again. */
export type ReportExport = (signal: ExportedSignal, failure: unknown) => void;

interface Exporter<Batch> {
  export(batch: Batch, done: (result: ExportResult) => void): void;
}

/** The same exporter, whose first failure after a success is reported. */
function reporting<Batch, Kind extends Exporter<Batch>>(exporter: Kind, report: (failure: unknown) => void): Kind {
  const send = exporter.export.bind(exporter);
  let isFailing = false;
  exporter.export = (batch, done) =>
    send(batch, (result) => {
      const fails = result.code === ExportResultCode.FAILED;
      if (fails !== isFailing) report(fails ? (result.error ?? "the export failed") : null);
      isFailing = fails;
      done(result);
    });
  return exporter;
}

const optionsOf = ({ url, headers, timeoutMs, compression }: OtlpTarget) => ({
  url,
  headers: { ...headers },
  timeoutMillis: timeoutMs,
  compression: compression as never,
});

function samplerOf({ name, ratio, followsParent }: OpenTelemetrySettings["sampler"]): Sampler {
  const root =
    name === "always_on"
      ? new AlwaysOnSampler()
      : name === "always_off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return followsParent ? new ParentBasedSampler({ root }) : root;
}

/** Without a target for traces, spans are not recorded, and a client's trace still continues. */
export function tracerProvider(settings: OpenTelemetrySettings, resource: Resource, report: ReportExport) {
  const { traces, spans } = settings;
  if (traces === null) return new TracerProvider({ resource, sampler: new AlwaysOffSampler() });
  const options = optionsOf(traces);
  const exporter = reporting(
    traces.format === "json" ? new JsonTraces(options) : new ProtobufTraces(options),
    (failure) => report("traces", failure),
  );
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: spans.maxQueue,
    maxExportBatchSize: Math.min(spans.maxBatch, spans.maxQueue),
    scheduledDelayMillis: spans.delayMs,
    exportTimeoutMillis: traces.timeoutMs,
  });
  return new TracerProvider({ resource, sampler: samplerOf(settings.sampler), spanProcessors: [processor] });
}

export function meterProvider(
  { metrics, metricIntervalMs }: OpenTelemetrySettings,
  resource: Resource,
  report: ReportExport,
): MeterProvider & { shutdown(): Promise<void> } {
  if (metrics === null) return new SdkMeterProvider({ resource });
  const options = optionsOf(metrics);
  const exporter = reporting(
    metrics.format === "json" ? new JsonMetrics(options) : new ProtobufMetrics(options),
    (failure) => report("metrics", failure),
  );
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: Math.min(metrics.timeoutMs, metricIntervalMs),
  });
  return new SdkMeterProvider({ resource, readers: [reader] });
}

export const resourceOf = ({ resource }: OpenTelemetrySettings, version: string): Resource =>
  resourceFromAttributes({
    "service.version": version,
    "service.instance.id": crypto.randomUUID(),
    "telemetry.sdk.name": "opentelemetry",
    "telemetry.sdk.language": "nodejs",
    ...resource,
  });
