// Metrics of the process and of what is in progress, read when they are scraped.
import { version } from "../../package.json";
import { watchEventLoop } from "./event-loop-delay.ts";
import { metricFamilies as families } from "./metric-families.ts";
import type { Registry } from "./registry.ts";

/** Readings from other parts. */
export interface Readings {
  inFlight(): number;
  waiting(): number;
  ledgerQueue(): number;
}

/** Adds them to `registry`. Returns a function that stops the event loop measurement. */
export function addProcessMetrics(registry: Registry, { inFlight, waiting, ledgerQueue }: Readings): () => void {
  const startedMs = performance.now();
  const delay = watchEventLoop(() => performance.now());
  registry.reading(families.inFlight, inFlight);
  registry.reading(families.waiting, waiting);
  registry.reading(families.ledgerQueue, ledgerQueue);
  registry.summary(families.eventLoopDelay, delay.read);
  registry.reading(families.uptime, () => (performance.now() - startedMs) / 1_000);
  registry.reading(families.build, () => 1, [version, `bun ${Bun.version}`]);
  registry.reading(families.memory, () => process.memoryUsage.rss());
  registry.reading(families.heap, () => process.memoryUsage().heapUsed);
  registry.reading(families.processorTime, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });
  registry.reading(families.startTime, () => performance.timeOrigin / 1_000);
  return delay.stop;
}
