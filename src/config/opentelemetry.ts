// The standard variables of OpenTelemetry, read once. Without an endpoint nothing is exported.
import type { OpenTelemetrySettings, OtlpTarget, SamplerName } from "../telemetry/opentelemetry/settings.ts";

type Read = (name: string) => string | null;
type Signal = "TRACES" | "METRICS";

/** Those of them whose value may be in a file. */
export const otlpSecrets = ["", "TRACES_", "METRICS_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`);

/** The source of docs/configuration.md; the variables of one signal override those of both. */
export const otelVariables = [
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    default: "unset: off",
    meaning:
      "Base URL of a collector: traces go to `/v1/traces` and metrics to `/v1/metrics` below it. `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` and `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` are whole URLs, each for one of them.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    default: "unset",
    meaning: "Headers for the collector, as `name=value,name=value` with percent-encoded values. Also per signal.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_PROTOCOL",
    default: "http/protobuf",
    meaning: "`http/protobuf` or `http/json`. Also per signal.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_TIMEOUT",
    default: "10000",
    meaning: "Time for one export, in milliseconds. Also per signal.",
  },
  { name: "OTEL_EXPORTER_OTLP_COMPRESSION", default: "none", meaning: "`gzip` or `none`. Also per signal." },
  { name: "OTEL_SERVICE_NAME", default: "turnpike", meaning: "`service.name` of traces and metrics." },
  {
    name: "OTEL_RESOURCE_ATTRIBUTES",
    default: "unset",
    meaning: "More attributes of the process, as `deployment.environment.name=production,…`.",
  },
  {
    name: "OTEL_TRACES_SAMPLER",
    default: "parentbased_always_on",
    meaning:
      "Which requests are traced: `always_on`, `always_off`, `traceidratio`, or one of them behind `parentbased_`, which follows the client's `traceparent`.",
  },
  { name: "OTEL_TRACES_SAMPLER_ARG", default: "1", meaning: "The share for `traceidratio`, from 0 to 1." },
  {
    name: "OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER",
    default: "otlp",
    meaning: "`otlp`, or `none` to turn one off.",
  },
  {
    name: "OTEL_PROPAGATORS",
    default: "tracecontext",
    meaning: "`none`: `traceparent` of clients is ignored. Baggage is never used.",
  },
  { name: "OTEL_METRIC_EXPORT_INTERVAL", default: "60000", meaning: "Time between two exports of metrics, in ms." },
  {
    name: "OTEL_BSP_SCHEDULE_DELAY, OTEL_BSP_MAX_QUEUE_SIZE, OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
    default: "5000, 2048, 512",
    meaning: "Time between two exports of spans in ms, and how many spans wait and are sent at once.",
  },
  { name: "OTEL_SDK_DISABLED", default: "false", meaning: "`true` turns everything off." },
] as const;

const invalid = (name: string, allowed: string): Error => new Error(`${name} must be ${allowed}.`);

function pairsOf(name: string, text: string | null): Record<string, string> {
  const pairs = (text ?? "").split(",").filter((pair) => pair.trim() !== "");
  const entries = pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw invalid(name, "a list of name=value, separated by commas");
    try {
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const;
    } catch (cause) {
      throw new Error(`${name} has a value that is not valid percent-encoding.`, { cause });
    }
  });
  return Object.fromEntries(entries);
}

function numberOf(read: Read, name: string, usual: number): number {
  const value = Number(read(name) ?? usual);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw invalid(name, "a positive integer");
}

function oneOf<Value extends string>(name: string, text: string | null, values: readonly [Value, ...Value[]]): Value {
  const found = text === null ? values[0] : values.find((value) => value === text.toLowerCase());
  if (found === undefined) throw invalid(name, values.join(" or "));
  return found;
}

function urlOf(read: Read, signal: Signal): string | null {
  const own = read(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const base = read("OTEL_EXPORTER_OTLP_ENDPOINT");
  const name = own === null ? "OTEL_EXPORTER_OTLP_ENDPOINT" : `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  const url = own ?? (base === null ? null : `${base.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`);
  if (url === null || /^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url;
  throw invalid(name, "an http or https URL");
}

function targetOf(read: Read, signal: Signal): OtlpTarget | null {
  if (oneOf(`OTEL_${signal}_EXPORTER`, read(`OTEL_${signal}_EXPORTER`), ["otlp", "none"]) === "none") return null;
  const url = urlOf(read, signal);
  if (url === null) return null;
  const nameOf = (setting: string): string => {
    const own = `OTEL_EXPORTER_OTLP_${signal}_${setting}`;
    return read(own) === null ? `OTEL_EXPORTER_OTLP_${setting}` : own;
  };
  const protocol = nameOf("PROTOCOL");
  const compression = nameOf("COMPRESSION");
  const [shared, own] = ["OTEL_EXPORTER_OTLP_HEADERS", `OTEL_EXPORTER_OTLP_${signal}_HEADERS`] as const;
  return {
    url,
    headers: { ...pairsOf(shared, read(shared)), ...pairsOf(own, read(own)) },
    format: oneOf(protocol, read(protocol), ["http/protobuf", "http/json"]) === "http/json" ? "json" : "protobuf",
    timeoutMs: numberOf(read, nameOf("TIMEOUT"), 10_000),
    compression: oneOf(compression, read(compression), ["none", "gzip"]),
  };
}

const rootSamplers: readonly SamplerName[] = ["always_on", "always_off", "traceidratio"];

function samplerOf(read: Read): OpenTelemetrySettings["sampler"] {
  const text = read("OTEL_TRACES_SAMPLER")?.toLowerCase() ?? "parentbased_always_on";
  const name = rootSamplers.find((each) => text === each || text === `parentbased_${each}`);
  if (name === undefined)
    throw invalid("OTEL_TRACES_SAMPLER", `${rootSamplers.join(", ")}, or one of them behind parentbased_`);
  const ratio = Number(read("OTEL_TRACES_SAMPLER_ARG") ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) throw invalid("OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1");
  return { name, ratio, followsParent: text.startsWith("parentbased_") };
}

/** Null if nothing is to be exported. Throws an Error with one sentence for an invalid value. */
export function readOpenTelemetry(read: Read): OpenTelemetrySettings | null {
  if (read("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return null;
  const traces = targetOf(read, "TRACES");
  const metrics = targetOf(read, "METRICS");
  if (traces === null && metrics === null) return null;
  const attributes = pairsOf("OTEL_RESOURCE_ATTRIBUTES", read("OTEL_RESOURCE_ATTRIBUTES"));
  const serviceName = read("OTEL_SERVICE_NAME") ?? attributes["service.name"] ?? "turnpike";
  return {
    traces,
    metrics,
    resource: { ...attributes, "service.name": serviceName },
    sampler: samplerOf(read),
    propagates: read("OTEL_PROPAGATORS")?.toLowerCase() !== "none",
    metricIntervalMs: numberOf(read, "OTEL_METRIC_EXPORT_INTERVAL", 60_000),
    spans: {
      delayMs: numberOf(read, "OTEL_BSP_SCHEDULE_DELAY", 5_000),
      maxQueue: numberOf(read, "OTEL_BSP_MAX_QUEUE_SIZE", 2_048),
      maxBatch: numberOf(read, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
    },
  };
}
