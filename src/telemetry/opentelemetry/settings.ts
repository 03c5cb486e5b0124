// The settings that the variables of OpenTelemetry contain.

/** Where one signal is sent. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly format: "protobuf" | "json";
  readonly timeoutMs: number;
  readonly compression: "gzip" | "none";
}

export type SamplerName = "always_on" | "always_off" | "traceidratio";

/** A signal without a target is not exported. */
export interface OpenTelemetrySettings {
  readonly traces: OtlpTarget | null;
  readonly metrics: OtlpTarget | null;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: { readonly name: SamplerName; readonly ratio: number; readonly followsParent: boolean };
  /** False: `traceparent` of clients is ignored, and none is sent. */
  readonly propagates: boolean;
  readonly metricIntervalMs: number;
  readonly spans: { readonly delayMs: number; readonly maxQueue: number; readonly maxBatch: number };
}
