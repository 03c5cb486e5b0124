// `turnpike`: starts the gateway and stops it well when asked to.
import { proveConcurrency } from "../selftest.ts";
import { start } from "../start.ts";

/** Runs until SIGTERM or SIGINT; a second signal ends it at once. */
export async function serve(): Promise<void> {
  const starting = start({
    environment: process.env,
    workingFolder: process.cwd(),
    print: (line) => console.log(line),
    log: (line) => void process.stderr.write(`${line}\n`),
  });
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) process.exit(130);
    stopping = true;
    const running = await starting;
    await running.stop();
    process.exit(0);
  };
  // Before the start is done: a signal in the meantime must end it as well as one later.
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
  const running = await starting;
  // Behind the listener, which it would keep from its first callers: a fault here is one of the start, and ends it.
  await proveConcurrency().catch(async (thrown: unknown) => {
    await running.stop();
    throw thrown;
  });
}
