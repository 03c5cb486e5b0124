// The voices of a provider's account: requested at the first speech request, and cached for a while.
import type { ListedVoice } from "../../canonical/speech.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Provider } from "../../providers/provider.ts";

const freshMs = 600_000;
const retryMs = 30_000;

interface Known {
  voices: readonly ListedVoice[] | undefined;
  nextTryMs: number;
  pending: Promise<void> | null;
}

interface VoiceListDependencies {
  readonly clock: Clock;
  /** How long the first request may wait for a list; changes while the gateway runs. */
  readonly limits: { readonly voiceListMs: number };
  failed(provider: string, cause: unknown): void;
}

/** Undefined if the provider has no list, or it could not be read. Waits only while there is no list at all. */
export type VoiceLists = (provider: Provider) => Promise<readonly ListedVoice[] | undefined>;

export function createVoiceLists({ clock, limits, failed }: VoiceListDependencies): VoiceLists {
  const known = new WeakMap<Provider, Known>();
  const refresh = (provider: Provider, entry: Known): Promise<void> => {
    entry.pending ??= (provider.list.voices?.(AbortSignal.timeout(limits.voiceListMs)) ?? Promise.resolve([]))
      .then((voices) => {
        entry.voices = voices;
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
  return async (provider) => {
    if (provider.list.voices === undefined) return undefined;
    const entry = known.get(provider) ?? { voices: undefined, nextTryMs: 0, pending: null };
    known.set(provider, entry);
    const isDue = clock.monotonicMs() >= entry.nextTryMs;
    const refreshed = isDue || entry.pending !== null ? refresh(provider, entry) : Promise.resolve();
    if (entry.voices === undefined) await refreshed;
    return entry.voices;
  };
}
