// The contract of a check of `turnpike doctor`: one sentence about the finding, and an action if it is not good.
import { mapConcurrent } from "../lib/map-concurrent.ts";

type CheckStatus = "ok" | "warning" | "failed";

export interface Finding {
  readonly status: CheckStatus;
  readonly detail: string;
  /** What to do; absent if the check passed. */
  readonly action?: string;
}

/** One row of the table of checks. */
export interface Check {
  readonly name: string;
  /** What it sends requests to; absent for a local check. */
  readonly contacts?: string;
  run(): Finding | Promise<Finding>;
}

/** A check with its finding. */
export interface CheckResult extends Finding {
  readonly name: string;
}

/** The check passed. */
export const ok = (detail: string): Finding => ({ status: "ok", detail });

/** The gateway works, but not as well or as safely as it should. */
export const warning = (detail: string, action: string): Finding => ({ status: "warning", detail, action });

/** The gateway, or a part of it, does not work. */
export const failed = (detail: string, action: string): Finding => ({ status: "failed", detail, action });

const atOnce = 8;
const timeoutMs = 15_000;

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

async function runCheck({ name, run }: Check): Promise<CheckResult> {
  const { promise: late, resolve } = Promise.withResolvers<Finding>();
  const timer = setTimeout(
    () => resolve(failed(`No result within ${timeoutMs / 1_000} seconds.`, "Check the network, and run doctor again.")),
    timeoutMs,
  );
  try {
    return { name, ...(await Promise.race([Promise.resolve().then(run), late])) };
  } catch (thrown) {
    return { name, ...failed(textOf(thrown), "Correct this, and run doctor again.") };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs all checks, a few at once, each with a timeout; the results are in the order of the table. */
export function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  return mapConcurrent(checks, atOnce, runCheck);
}
