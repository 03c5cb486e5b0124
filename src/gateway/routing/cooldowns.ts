// Candidates that only the operator can mend: they are asked last for a while, and the operator is told once.
import type { ErrorKind, GatewayError } from "../../canonical/error.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Candidate } from "./catalog.ts";
import type { Found } from "./resolve.ts";

/** Faults of a candidate that no client and no time mends. */
const operatorKinds: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["upstream_credentials", "upstream_model_not_found"]);

export const needsOperator = ({ kind }: GatewayError): boolean => operatorKinds.has(kind);

export interface Cooldowns {
  /** In the given order, with those that are cooling down behind all others. */
  ordered(candidates: readonly Candidate[]): readonly Candidate[];
  /** Notes a failure; those that time mends are ignored. */
  failed(candidate: Candidate, error: GatewayError): void;
  answered(candidate: Candidate): void;
}

/**
 * Candidates are known by identity: those of routes live as long as their catalog, so that a corrected configuration
 * starts with a clean slate. `unusable` hears of the first failure in each while.
 */
export function createCooldowns(
  clock: Pick<Clock, "monotonicMs">,
  cooldownMs: number,
  unusable: (provider: string, model: string, error: GatewayError) => void,
): Cooldowns {
  const untilMs = new WeakMap<Candidate, number>();
  const isCooling = (candidate: Candidate): boolean => (untilMs.get(candidate) ?? 0) > clock.monotonicMs();
  return {
    ordered(candidates) {
      if (candidates.length < 2 || !candidates.some(isCooling)) return candidates;
      return [...candidates.filter((each) => !isCooling(each)), ...candidates.filter(isCooling)];
    },
    failed(candidate, error) {
      if (!needsOperator(error)) return;
      if (!isCooling(candidate)) unusable(candidate.provider.entry.name, candidate.model, error);
      untilMs.set(candidate, clock.monotonicMs() + cooldownMs);
    },
    answered: (candidate) => void untilMs.delete(candidate),
  };
}

/** For candidates that no route names: they were made for one request, and a client may have named any model. */
export const noCooldowns: Cooldowns = {
  ordered: (candidates) => candidates,
  failed: () => undefined,
  answered: () => undefined,
};

/** The cooldowns for candidates that were found in this way. */
export function cooldownsFor(found: Found, cooldowns: Cooldowns): Cooldowns {
  return found === "route" ? cooldowns : noCooldowns;
}
