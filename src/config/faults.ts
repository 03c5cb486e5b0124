// Faults of a configuration: gathered while it is checked, and reported all at once.

/** One thing that is wrong with the configuration, as one sentence. */
export class ConfigFault extends Error {}

/** Everything that is wrong, one sentence a line. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/** Gathers faults, so that one start reports all of them. */
export interface FaultList {
  add(fault: ConfigFault): void;
  /** The result of a check, or undefined where it threw a ConfigFault, which is gathered. */
  attempt<T>(check: () => T): T | undefined;
  /** Whether anything was gathered. */
  any(): boolean;
  /** Throws a ConfigError where anything was gathered. */
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
