// The launcher: sets what must be set before Bun starts, and takes away what must not be there, by starting again in place.

/** Variables that Bun reads before any code runs. A value that an operator has set stays. */
const needed = {
  /** Requests that Bun carries at once in all; its default of 256 would stall the gateway. */
  BUN_CONFIG_MAX_HTTP_REQUESTS: { value: "65336", fixed: true },
  /** How far the heap may grow between two collections, in bytes (docs/decisions/0005-garbage.md). */
  BUN_JSC_largeHeapSize: { value: "67108864", fixed: false },
} as const;
/** Bun's fetch obeys these even for loopback; a proxy is configured per provider, in the file. */
const proxyVariables = /^(?:https?|all|no)_proxy$/i;

type Environment = Readonly<Record<string, string | undefined>>;

function isRight(environment: Environment, name: keyof typeof needed): boolean {
  const { value, fixed } = needed[name];
  return fixed ? environment[name] === value : environment[name] !== undefined;
}

/** The environment that the process should have had, or null when it has it. */
export function mendedEnvironment(environment: Environment): Record<string, string> | null {
  const kept = Object.entries(environment).filter(([name]) => !proxyVariables.test(name));
  const names = Object.keys(needed) as (keyof typeof needed)[];
  const wrong = names.filter((name) => !isRight(environment, name));
  if (wrong.length === 0 && kept.length === Object.keys(environment).length) return null;
  const mended = Object.fromEntries(wrong.map((name) => [name, needed[name].value]));
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...mended };
}

/** Replaces this process by one with the right environment, if it has the wrong one. Same process id, same arguments. */
export function relaunch(): void {
  const environment = mendedEnvironment(process.env);
  if (environment === null) return;
  const compiled = import.meta.path.startsWith("/$bunfs/");
  const script = compiled ? [] : [process.argv[1] ?? ""];
  const argumentsAfter = [...process.execArgv, ...script, ...process.argv.slice(2)];
  process.execve?.(process.execPath, [process.execPath, ...argumentsAfter], environment);
}
