// `turnpike`: starts the gateway and stops it gracefully on a signal.
import { closeSync, openSync } from "node:fs";
import { checkConcurrency } from "../app/startup-check.ts";
import { start } from "../app.ts";
import type { UncaughtKind } from "../telemetry/events.ts";
import { canOpenBrowser, openBrowser } from "./browser.ts";

/** The exit code after a second signal. */
const interrupted = 130;
/** The exit code after an uncaught exception: EX_SOFTWARE of sysexits(3). */
const crashed = 70;

/** A terminal that was closed sends SIGHUP, too: it cannot be opened any more. */
function isTerminalGone(): boolean {
  if (process.stderr.isTTY !== true) return false;
  try {
    closeSync(openSync("/dev/tty", "r"));
    return false;
  } catch {
    return true;
  }
}

/**
 * Runs until SIGTERM or SIGINT; SIGHUP reloads the configuration. A second signal aborts and settles what is in progress,
 * a third ends the process at once.
 */
export async function serve(): Promise<void> {
  const starting = start({
    environment: process.env,
    workingFolder: process.cwd(),
    print: (line) => console.log(line),
    log: (line) => void process.stderr.write(`${line}\n`),
    logsToTerminal: process.stderr.isTTY === true,
    ...(process.stdout.isTTY === true && canOpenBrowser(process.env) ? { openPage: openBrowser } : {}),
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
  // A failed start ends the process by itself.
  const report = (kind: UncaughtKind, cause: unknown): void =>
    void starting.then(
      (running) => running.uncaughtError(kind, cause),
      () => undefined,
    );
  // The state of the process is unknown afterwards: it accepts no new requests, and finishes those in progress.
  process.on("uncaughtException", (cause) => {
    report("exception", cause);
    exitCode = crashed;
    if (signals === 0) void stop();
  });
  process.on("unhandledRejection", (cause) => report("rejection", cause));
  // Installed before the start completes, so that a signal during the start works too.
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
  const reload = (): void =>
    void starting.then(
      (running) => running.reload(),
      () => undefined,
    );
  process.on("SIGHUP", () => (isTerminalGone() ? void stop() : reload()));
  const running = await starting;
  // After the listener has started, so that the check does not delay it. A fault here ends the start.
  await checkConcurrency().catch(async (thrown: unknown) => {
    await running.stop();
    throw thrown;
  });
}
