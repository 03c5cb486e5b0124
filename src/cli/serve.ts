// `turnpike`: starts the gateway and stops it well when asked to.

import { start } from "../app.ts";
import { checkConcurrency } from "../startup-check.ts";
import type { UncaughtKind } from "../telemetry/events.ts";

/** The exit code after a second signal. */
const interrupted = 130;
/** The exit code after an exception that nothing caught: EX_SOFTWARE of sysexits(3). */
const crashed = 70;

/** Runs until SIGTERM, SIGINT or SIGHUP; a second signal cuts what is under way and settles it, a third ends the process at once. */
export async function serve(): Promise<void> {
  const starting = start({
    environment: process.env,
    workingFolder: process.cwd(),
    print: (line) => console.log(line),
    log: (line) => void process.stderr.write(`${line}\n`),
    logsToTerminal: process.stderr.isTTY === true,
  });
  let signals = 0;
  let exitCode = 0;
  const stop = async (): Promise<void> => {
    if (++signals > 2) process.exit(interrupted);
    const running = await starting;
    if (signals > 1) return running.hurry();
    await running.stop();
    process.exit(signals > 1 ? interrupted : exitCode);
  };
  // A start that fails ends the process by itself.
  const report = (kind: UncaughtKind, cause: unknown): void =>
    void starting.then(
      (running) => running.uncaughtError(kind, cause),
      () => undefined,
    );
  // The state of the process is unknown after it: no new requests, and what is in progress may end.
  process.on("uncaughtException", (cause) => {
    report("exception", cause);
    exitCode = crashed;
    if (signals === 0) void stop();
  });
  process.on("unhandledRejection", (cause) => report("rejection", cause));
  // Before the start is done: a signal in the meantime must end it as well as one later.
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
  // A terminal that is closed, and supervisors that ask for a reload: the configuration is read at the start.
  process.on("SIGHUP", () => void stop());
  const running = await starting;
  // Behind the listener, which it would keep from its first callers: a fault here is one of the start, and ends it.
  await checkConcurrency().catch(async (thrown: unknown) => {
    await running.stop();
    throw thrown;
  });
}
