// The launcher: sets and removes environment variables that must be right before Bun starts, by restarting the process
// in place.

/**
 * The maximum number of concurrent requests of Bun's fetch; the variable is read before any code runs. The default of
 * 256 would stall the gateway.
 */
const maxRequests = "65336";
const maxRequestsVariable = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/**
 * Variables that would change every outgoing request without the configuration. Bun's fetch obeys proxy variables even
 * for loopback, and a proxy is configured per provider, in the file; NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the
 * verification of certificates; BUN_CONFIG_VERBOSE_FETCH prints headers, including credentials. NODE_EXTRA_CA_CERTS
 * stays: it only adds authorities, which is how a company's own certificates are trusted.
 */
const unwanted = /^(?:(?:https?|all|no)_proxy|NODE_TLS_REJECT_UNAUTHORIZED|BUN_CONFIG_VERBOSE_FETCH)$/i;
/** Names of the removed variables, for the log of the process that starts without them. */
export const removedVariable = "TURNPIKE_REMOVED_VARIABLES";

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment that the process needs, or null if it already has it. */
export function requiredEnvironment(environment: Environment): Record<string, string> | null {
  const removed = Object.keys(environment).filter((name) => unwanted.test(name));
  if (removed.length === 0 && environment[maxRequestsVariable] === maxRequests) return null;
  const remaining = Object.entries(environment).filter(([name]) => !unwanted.test(name));
  return {
    ...(Object.fromEntries(remaining) as Record<string, string>),
    [maxRequestsVariable]: maxRequests,
    ...(removed.length === 0 ? {} : { [removedVariable]: removed.join(",") }),
  };
}

/** Replaces this process by one with the right environment, if necessary. Same process id, same arguments. */
export function relaunch(): void {
  const environment = requiredEnvironment(process.env);
  if (environment === null) return;
  const compiled = import.meta.path.startsWith("/$bunfs/");
  const script = compiled ? [] : [process.argv[1] ?? ""];
  const argumentsAfter = [...process.execArgv, ...script, ...process.argv.slice(2)];
  process.execve?.(process.execPath, [process.execPath, ...argumentsAfter], environment);
}
