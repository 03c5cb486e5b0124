// Starts a process of the benchmark, waits until it answers, and ends it together with its children.
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { treeOf } from "./process-tree.ts";

export type Command = {
  words: string[];
  env: Record<string, string>;
  cwd?: string;
  /** Answers 200 to a GET once the service can be used. */
  readyPath: string;
};

export type Service = {
  pid: number;
  port: number;
  /** Process start to the first 200 on the ready path. */
  readyMs: number;
  stop(): Promise<void>;
};

const readyTimeoutMs = 20_000;
const stopTimeoutMs = 5_000;
const pollMs = 2;

/** What every process of the benchmark starts with: no proxy, no setting of the person who runs it. */
const plainEnvironment: Record<string, string> = {
  PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
  HOME: process.env["HOME"] ?? "/",
};

/** Bun carries 256 requests in all unless it is told otherwise before it starts. */
export const manyRequests = { BUN_CONFIG_MAX_HTTP_REQUESTS: "65336" };

/** A port that was free a moment ago. */
export function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).status === 200;
  } catch {
    return false;
  }
}

function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "ESRCH")) throw cause;
    }
  }
}

/** What is still running when the benchmark itself ends, however it ends, ends with it. */
const alive = new Set<Bun.Subprocess>();
process.on("exit", () => {
  for (const child of alive) signalAll(treeOf(child.pid), "SIGKILL");
});

async function stop(child: Bun.Subprocess): Promise<void> {
  const tree = treeOf(child.pid);
  child.kill("SIGTERM");
  const ended = await Promise.race([child.exited.then(() => true), Bun.sleep(stopTimeoutMs).then(() => false)]);
  signalAll(ended ? tree.slice(1) : tree, "SIGKILL");
  await child.exited;
  alive.delete(child);
}

/** Output goes to `<name>.log` in `folder`; of a service that does not come up, its end is printed. */
export async function startService(name: string, command: Command, port: number, folder: string): Promise<Service> {
  const log = join(folder, `${name}.log`);
  const output = openSync(log, "a");
  const startedAt = performance.now();
  const child = Bun.spawn(command.words, {
    cwd: command.cwd ?? folder,
    env: { ...plainEnvironment, ...command.env },
    stdio: ["ignore", output, output],
  });
  alive.add(child);
  const url = `http://127.0.0.1:${port}${command.readyPath}`;
  while (!(await answers(url))) {
    const gone = child.exitCode !== null || child.signalCode !== null;
    if (gone || performance.now() - startedAt > readyTimeoutMs) {
      if (!gone) await stop(child);
      console.error(readFileSync(log, "utf8").slice(-800));
      throw new Error("it did not become ready");
    }
    await Bun.sleep(pollMs);
  }
  return { pid: child.pid, port, readyMs: performance.now() - startedAt, stop: () => stop(child) };
}
