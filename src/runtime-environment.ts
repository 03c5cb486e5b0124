// The launcher: sets what must be set before Bun starts, and takes away what must not be there, by starting again in place.

/** Bun carries this many requests at once in all; it reads the variable before any code runs. The default of 256 would stall the gateway. */
const maxRequests = "65336";
const maxRequestsVariable = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/**
 * What would change every outgoing request behind the configuration's back. Bun's fetch obeys proxy variables even for
 * loopback, and a proxy is configured per provider, in the file; NODE_TLS_REJECT_UNAUTHORIZED=0 switches the check of
 * certificates off; BUN_CONFIG_VERBOSE_FETCH prints headers, credentials among them. NODE_EXTRA_CA_CERTS stays: it only
 * adds authorities, which is how a company's own certificates are trusted.
 */
const unwanted = /^(?:(?:https?|all|no)_proxy|NODE_TLS_REJECT_UNAUTHORIZED|BUN_CONFIG_VERBOSE_FETCH)$/i;
/** Names of the variables that were taken away, for the log of the process that starts without them. */
export const removedVariable = "TURNPIKE_REMOVED_VARIABLES";

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment that the process should have had, or null when it has it. */
export function requiredEnvironment(environment: Environment): Record<string, string> | null {
  const removed = Object.keys(environment).filter((name) => unwanted.test(name));
  if (removed.length === 0 && environment[maxRequestsVariable] === maxRequests) return null;
  const kept = Object.entries(environment).filter(([name]) => !unwanted.test(name));
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    [maxRequestsVariable]: maxRequests,
    ...(removed.length === 0 ? {} : { [removedVariable]: removed.join(",") }),
  };
}

/** Replaces this process by one with the right environment, if it has the wrong one. Same process id, same arguments. */
export function relaunch(): void {
  const environment = requiredEnvironment(process.env);
  if (environment === null) return;
  const compiled = import.meta.path.startsWith("/$bunfs/");
  const script = compiled ? [] : [process.argv[1] ?? ""];
  const argumentsAfter = [...process.execArgv, ...script, ...process.argv.slice(2)];
  process.execve?.(process.execPath, [process.execPath, ...argumentsAfter], environment);
}
