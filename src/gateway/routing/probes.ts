// Active probes: providers that are configured for it are called at intervals, unless requests show that they work.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProbeRule, Provider } from "../../providers/provider.ts";
import type { Catalog } from "./catalog.ts";
import type { Health } from "./health.ts";

interface ProbeDependencies {
  readonly catalog: () => Catalog;
  readonly health: Pick<Health, "isInUse" | "probed">;
  readonly clock: Pick<Clock, "monotonicMs">;
  random(): number;
  /** Makes a real request, which reports its result itself. */
  ask(provider: string, model: string, signal: AbortSignal): Promise<void>;
}

export interface Probes {
  /** Starts every probe that is due. Resolves when they have ended. */
  run(): Promise<void>;
}

const patience = 10_000;
/** Of the interval, in both directions, so that instances do not probe at the same time. */
const jitter = 0.2;

export function createProbes({ catalog, health, clock, random, ask }: ProbeDependencies): Probes {
  const dueMs = new WeakMap<object, number>();

  /** The first probe comes within one interval. */
  const isDue = ({ entry }: Provider, { intervalMs }: ProbeRule): boolean => {
    const nowMs = clock.monotonicMs();
    const due = dueMs.get(entry);
    const waitMs = due === undefined ? random() * intervalMs : intervalMs * (1 - jitter + 2 * jitter * random());
    if (due !== undefined && nowMs < due) return false;
    dueMs.set(entry, nowMs + waitMs);
    return due !== undefined;
  };
  const list = async (provider: Provider): Promise<void> => {
    const begunMs = clock.monotonicMs();
    const { models } = provider.list;
    if (models === undefined) return;
    await models(AbortSignal.timeout(patience)).then(
      () => health.probed(provider, begunMs, null),
      (thrown: unknown) => health.probed(provider, begunMs, failureOf(thrown)),
    );
  };
  const probe = async (provider: Provider, rule: ProbeRule): Promise<void> => {
    if (!isDue(provider, rule) || health.isInUse(provider, rule.intervalMs)) return;
    if (rule.model === undefined) await list(provider);
    else await ask(provider.entry.name, rule.model, AbortSignal.timeout(patience)).catch(() => undefined);
  };
  return {
    async run() {
      const due = catalog().providers.flatMap((provider) => {
        const { probe: rule, isDisabled } = provider.entry;
        if (rule === undefined || isDisabled) return [];
        // A real request goes to the credential that the router selects.
        const all = rule.model === undefined ? [provider, ...(provider.others ?? [])] : [provider];
        return all.map((each) => probe(each, rule));
      });
      await Promise.all(due);
    },
  };
}

function failureOf(thrown: unknown): GatewayError {
  if (thrown instanceof DOMException && thrown.name === "TimeoutError")
    return new GatewayError("upstream_timeout", "The provider did not respond to a probe in time.");
  return toGatewayError(thrown);
}
