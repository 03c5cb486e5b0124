// The launcher: sets what must be set before Bun starts, and takes away what must not be there, by starting again in place.

/** Bun carries this many requests at once in all; it reads the variable before any code runs. The default of 256 would stall the gateway. */
const maxRequests = "65336";
const maxRequestsVariable = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/** Bun's fetch obeys these even for loopback; a proxy is configured per provider, in the file. */
const proxyVariables = /^(?:https?|all|no)_proxy$/i;

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment that the process should have had, or null when it has it. */
export function mendedEnvironment(environment: Environment): Record<string, string> | null {
  const kept = Object.entries(environment).filter(([name]) => !proxyVariables.test(name));
  const complete = kept.length === Object.keys(environment).length && environment[maxRequestsVariable] === maxRequests;
  if (complete) return null;
  return { ...(Object.fromEntries(kept) as Record<string, string>), [maxRequestsVariable]: maxRequests };
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
