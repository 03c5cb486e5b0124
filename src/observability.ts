// Log and metrics: opened before anything that they report on, and connected to it when it is there.
import type { Gateway } from "./gateway/pipeline/gateway.ts";
import { createEvents, type Events } from "./telemetry/events.ts";
import type { Log } from "./telemetry/log.ts";
import { createMetrics } from "./telemetry/metrics.ts";
import { addProcessMetrics } from "./telemetry/process-metrics.ts";
import { createRegistry, type Registry } from "./telemetry/registry.ts";

export interface Observability {
  readonly log: Log;
  readonly events: Events;
  readonly registry: Registry;
  /** Adds what only the gateway can say. Returns what ends it. */
  connect(gateway: Gateway): () => void;
}

/** Whether the operator named the model in a route, or its provider lists it. */
function isKnown({ catalog, listings }: Gateway, provider: string, model: string): boolean {
  const { providers, routes } = catalog.current();
  const found = providers.find(({ entry }) => entry.name === provider);
  if (found === undefined) return false;
  if (listings.now(found).ids.has(model)) return true;
  const candidates = [...routes.values()].flatMap((route) => route.candidates);
  return candidates.some((each) => each.model === model && each.provider.entry.name === provider);
}

export function createObservability(log: Log): Observability {
  const registry = createRegistry();
  let connected: Gateway | null = null;
  const metrics = createMetrics(
    registry,
    (provider, model) => connected !== null && isKnown(connected, provider, model),
  );
  return {
    log,
    events: createEvents(log, metrics),
    registry,
    connect(gateway) {
      connected = gateway;
      const { inFlight, ledger } = gateway;
      return addProcessMetrics(registry, { inFlight, ledgerQueue: ledger.waitingRows });
    },
  };
}
