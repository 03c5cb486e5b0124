// The delay of the event loop: measured by a timer, over the last minute.
import type { Quantiles } from "./registry.ts";

const everyMs = 50;
const windowSamples = 1_200;
const quantiles = [0.5, 0.99, 0.999, 1];

interface EventLoopDelay {
  /** For the last minute, in seconds. */
  read(): Quantiles;
  stop(): void;
}

/** The runtime's own histogram is reset for all readers, and there may be several. */
export function watchEventLoop(nowMs: () => number): EventLoopDelay {
  const window = new Float64Array(windowSamples);
  let count = 0;
  let sum = 0;
  let lastMs = nowMs();
  const timer = setInterval(() => {
    const atMs = nowMs();
    const delay = Math.max(0, atMs - lastMs - everyMs) / 1_000;
    lastMs = atMs;
    window[count++ % windowSamples] = delay;
    sum += delay;
  }, everyMs);
  timer.unref();
  return {
    read() {
      const sorted = window.slice(0, Math.min(count, windowSamples)).sort();
      const valueAt = (quantile: number): number => sorted[Math.ceil(quantile * sorted.length) - 1] ?? 0;
      return { at: quantiles.map((quantile) => ({ quantile, value: valueAt(quantile) })), sum, count };
    },
    stop: () => clearInterval(timer),
  };
}
