// Log and metrics: opened before anything that they report on, and connected to it later.
import { version } from "../../package.json";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import { conditionNames } from "../gateway/routing/upstream-state.ts";
import { systemClock } from "../lib/clock.ts";
import { type Redactor, redactorOf } from "../providers/redaction.ts";
import { createEvents, type Events } from "../telemetry/events.ts";
import { createLog, type Log, type LogOptions } from "../telemetry/log.ts";
import { createMetrics, modelLabels } from "../telemetry/metrics.ts";
import type { OpenTelemetrySettings } from "../telemetry/opentelemetry/settings.ts";
import { addProcessMetrics } from "../telemetry/process-metrics.ts";
import { createRegistry, type Registry } from "../telemetry/registry.ts";
import type { Traces } from "../telemetry/trace.ts";
import { addUpstreamMetrics, type UpstreamReading } from "../telemetry/upstream-metrics.ts";

export interface Observability {
  readonly log: Log;
  readonly events: Events;
  readonly registry: Registry;
  /** Hides these texts in the log, too. */
  hide(secrets: readonly string[]): void;
  /** Exports traces and metrics from now on; null without settings for that. */
  exportTo(settings: OpenTelemetrySettings | null): Promise<Traces | null>;
  /** Adds metrics that depend on the gateway. Returns a function that removes them. */
  connect(gateway: Gateway): () => void;
}

interface ObservabilityOptions extends Pick<LogOptions, "sink" | "level" | "format"> {
  /** Texts that must not appear in the log. */
  readonly secrets: readonly string[];
}

/** Whether the operator configured the model in a route, or its provider lists it. */
function isKnown({ catalog, listings }: Gateway, provider: string, model: string): boolean {
  const { providers, routes } = catalog.current();
  const found = providers.find(({ entry }) => entry.name === provider);
  if (found === undefined) return false;
  if (listings.now(found).ids.has(model)) return true;
  const candidates = [...routes.values()].flatMap((route) => route.candidates);
  return candidates.some((each) => each.model === model && each.provider.entry.name === provider);
}

/** Only models are set aside, not credentials. */
const credentialStates = [...new Set(Object.values(conditionNames))].filter((name) => name !== "set_aside");

/** Of every provider over HTTP. */
function readingsOf({ catalog, router }: Gateway): UpstreamReading[] {
  const providers = catalog.current().providers.filter(({ dispatch }) => dispatch.form === "http");
  return providers
    .flatMap((provider) => router.health.stateOf(provider))
    .map(({ condition, models, ...rest }) => ({
      ...rest,
      state: conditionNames[condition],
      modelsSetAside: models.filter((each) => each.condition === "cooling_down").length,
    }));
}

/** Keys and tokens that the gateway generates: it has only their hashes. */
const ownKeys = /tp[scl]?-[0-9A-Za-z]{43}/g;

/** Texts of providers are redacted where they are read; this redacts everything else before it is logged. */
function lineRedactor(own: () => Redactor, gateway: () => Gateway | null): (line: string) => string {
  return (line) => {
    let bytes: Uint8Array = Buffer.from(own().text(line).replace(ownKeys, "[hidden]"));
    for (const provider of gateway()?.catalog.current().providers ?? [])
      for (const { dispatch } of [provider, ...(provider.others ?? [])])
        if (dispatch.form === "http") bytes = dispatch.redactor.bytes(bytes, false);
    return Buffer.from(bytes).toString();
  };
}

export function createObservability({ secrets, ...options }: ObservabilityOptions): Observability {
  const registry = createRegistry();
  let connected: Gateway | null = null;
  const hidden = new Set(secrets);
  let own = redactorOf(secrets, "");
  const redact = lineRedactor(
    () => own,
    () => connected,
  );
  const log = createLog({ ...options, now: systemClock.nowMs, redact });
  const isNamed = (provider: string, model: string): boolean =>
    connected !== null && isKnown(connected, provider, model);
  const events = createEvents(log, createMetrics(registry, isNamed));
  return {
    log,
    events,
    registry,
    async exportTo(settings) {
      if (settings === null) return null;
      const { createTraces } = await import("../telemetry/opentelemetry/index.ts");
      return createTraces(settings, { version, modelLabel: modelLabels(isNamed), report: events.telemetryExport });
    },
    hide(more) {
      for (const secret of more) hidden.add(secret);
      own = redactorOf([...hidden], "");
    },
    connect(gateway) {
      connected = gateway;
      const { inFlight, ledger, waiting } = gateway;
      addUpstreamMetrics(registry, credentialStates, () => readingsOf(gateway));
      return addProcessMetrics(registry, {
        inFlight,
        waiting: waiting.waiting,
        ledgerQueue: ledger.waitingRows,
      });
    },
  };
}
