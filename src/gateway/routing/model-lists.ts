// The model list of each provider, fetched in the background and cached.

import type { Clock } from "../../lib/clock.ts";
import type { ListedSupports } from "../../providers/listed-supports.ts";
import type { ListedModel, Provider } from "../../providers/provider.ts";

/** `models` is null until a list has been read; a provider without a readable list may have any model. */
export interface ModelListState {
  readonly provider: Provider;
  readonly models: readonly ListedModel[] | null;
  /** The ids of `models`. */
  readonly ids: ReadonlySet<string>;
}

export interface ModelLists {
  /** The present state, without waiting. Old lists are refreshed in the background. */
  now(provider: Provider): ModelListState;
  /** What its provider's list contains about a model; undefined if that is nothing, or is not known yet. */
  supports(provider: Provider, model: string): ListedSupports | undefined;
  /** A different number after each list that was read. */
  version(): number;
  /** Resolves when every provider has answered or failed, at the latest after `timeoutMs`. */
  refreshAll(providers: readonly Provider[], timeoutMs: number): Promise<void>;
}

const freshMs = 600_000;
const retryMs = 30_000;

interface Known {
  listing: ModelListState;
  nextTryMs: number;
  pending: Promise<void> | null;
}

function listingOf(provider: Provider, models: readonly ListedModel[] | null): ModelListState {
  return { provider, models, ids: new Set(models?.map((model) => model.id)) };
}

/** Those of the configuration; null where the provider is called for them. */
const ownModels = ({ entry }: Provider): readonly string[] | null => (entry.isDisabled ? [] : entry.models);

/** Models from the configuration need no request. */
function firstKnown(provider: Provider): Known {
  const own = ownModels(provider);
  const models = own?.map((id) => ({ id })) ?? null;
  const settled = own !== null || provider.list.models === undefined;
  return { listing: listingOf(provider, models), nextTryMs: settled ? Number.POSITIVE_INFINITY : 0, pending: null };
}

/** `failed` is called for lists that could not be read. */
export function createModelLists(clock: Clock, failed: (provider: string, cause: unknown) => void): ModelLists {
  const known = new WeakMap<Provider, Known>();
  let version = 0;
  const of = (provider: Provider): Known => {
    const found = known.get(provider);
    if (found !== undefined) return found;
    const entry = firstKnown(provider);
    known.set(provider, entry);
    return entry;
  };
  const refresh = (provider: Provider, timeoutMs: number): Promise<void> => {
    const entry = of(provider);
    if (ownModels(provider) !== null || provider.list.models === undefined) return Promise.resolve();
    entry.pending ??= provider.list
      .models(AbortSignal.timeout(timeoutMs))
      .then((models) => {
        entry.listing = listingOf(provider, models);
        version++;
        entry.nextTryMs = clock.monotonicMs() + freshMs;
      })
      .catch((cause) => {
        entry.nextTryMs = clock.monotonicMs() + retryMs;
        failed(provider.entry.name, cause);
      })
      .finally(() => {
        entry.pending = null;
      });
    return entry.pending;
  };
  const now = (provider: Provider): ModelListState => {
    const entry = of(provider);
    if (clock.monotonicMs() >= entry.nextTryMs) void refresh(provider, retryMs);
    return entry.listing;
  };
  return {
    now,
    supports: (provider, model) => now(provider).models?.find(({ id }) => id === model)?.supports,
    version: () => version,
    async refreshAll(providers, timeoutMs) {
      await Promise.all(providers.map((provider) => refresh(provider, timeoutMs)));
    },
  };
}
