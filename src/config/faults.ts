// Faults of a configuration: collected during the checks, and reported all at once.

/** One fault of the configuration, as one sentence. */
export class ConfigFault extends Error {}

/** All faults, one per line. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/** Collects faults, so that one start reports all of them. */
export interface FaultList {
  add(fault: ConfigFault): void;
  /** The result of a check; undefined if it threw a ConfigFault, which is collected. */
  attempt<T>(check: () => T): T | undefined;
  /** Whether there are any faults. */
  any(): boolean;
  /** Throws a ConfigError if there are any faults. */
  throwIfAny(): void;
}

export function faultList(): FaultList {
  const faults = new Set<string>();
  return {
    add: (fault) => void faults.add(fault.message),
    attempt(check) {
      try {
        return check();
      } catch (thrown) {
        if (!(thrown instanceof ConfigFault)) throw thrown;
        faults.add(thrown.message);
        return undefined;
      }
    },
    any: () => faults.size > 0,
    throwIfAny() {
      if (faults.size > 0) throw new ConfigError([...faults]);
    },
  };
}
