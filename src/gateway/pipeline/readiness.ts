// Whether requests can be answered: the ledger accepts rows, the database responds, and the process is not stopping.
import type { Clock } from "../../lib/clock.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Keys } from "../policy/keys.ts";

/** The reason why requests should go elsewhere. */
interface NotReady {
  readonly status: "draining" | "unavailable";
  readonly reason: string;
}

export interface Readiness {
  /** Null when requests can be answered. */
  notReady(): Promise<NotReady | null>;
  /** From now on the process is stopping. */
  drain(): void;
}

interface ReadinessParts {
  readonly ledger: Pick<Ledger, "probe">;
  readonly keys: Pick<Keys, "isBehind">;
  readonly clock: Clock;
}

/** The ledger is tried at most this often, because the endpoint needs no key. */
const probeEveryMs = 1_000;

export function createReadiness({ ledger, keys, clock }: ReadinessParts): Readiness {
  let isDraining = false;
  let probe: { readonly atMs: number; readonly works: Promise<boolean> } | null = null;

  const ledgerWorks = (): Promise<boolean> => {
    const nowMs = clock.monotonicMs();
    if (probe === null || nowMs - probe.atMs >= probeEveryMs)
      probe = {
        atMs: nowMs,
        works: ledger.probe().then(
          () => true,
          () => false,
        ),
      };
    return probe.works;
  };
  return {
    async notReady() {
      if (isDraining) return { status: "draining", reason: "The gateway is shutting down." };
      if (!(await ledgerWorks())) return { status: "unavailable", reason: "The ledger cannot be written." };
      if (keys.isBehind()) return { status: "unavailable", reason: "The database does not respond." };
      return null;
    },
    drain() {
      isDraining = true;
    },
  };
}
