// The voices that a provider's account has: asked for when somebody speaks for the first time, and kept for a while.
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

const known = new WeakMap<Provider, Known>();

function knownOf(provider: Provider): Known {
  const found = known.get(provider) ?? { voices: undefined, nextTryMs: 0, pending: null };
  known.set(provider, found);
  return found;
}

export interface VoiceListTools {
  readonly clock: Clock;
  /** How long the first request may wait for a list. */
  readonly timeoutMs: number;
  failed(provider: string, cause: unknown): void;
}

function refresh(provider: Provider, entry: Known, { clock, timeoutMs, failed }: VoiceListTools): Promise<void> {
  entry.pending ??= (provider.listVoices?.(AbortSignal.timeout(timeoutMs)) ?? Promise.resolve([]))
    .then((voices) => {
      entry.voices = voices;
      entry.nextTryMs = clock.monotonicMs() + freshMs;
    })
    .catch((cause) => {
      entry.nextTryMs = clock.monotonicMs() + retryMs;
      failed(provider.name, cause);
    })
    .finally(() => {
      entry.pending = null;
    });
  return entry.pending;
}

/** Undefined where the provider has no list, or it could not be read. Waits only while there is no list at all. */
export async function voicesOf(provider: Provider, tools: VoiceListTools): Promise<readonly ListedVoice[] | undefined> {
  if (provider.listVoices === undefined) return undefined;
  const entry = knownOf(provider);
  const isDue = tools.clock.monotonicMs() >= entry.nextTryMs;
  const refreshed = isDue || entry.pending !== null ? refresh(provider, entry, tools) : Promise.resolve();
  if (entry.voices === undefined) await refreshed;
  return entry.voices;
}
