// The parent's side of the load generator: one job at a time, one reply to each.
import { join } from "node:path";
import type { Job, Load, Reply } from "./load.ts";
import { manyRequests } from "./service.ts";

/** Rejects when the load generator could not run the job or has gone. */
export function startLoad(): Load & { stop(): void } {
  let waiting: ((reply: Reply<unknown>) => void) | undefined;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "load.ts")], {
    env: { ...process.env, ...manyRequests },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (reply: Reply<unknown>) => waiting?.(reply),
    onExit: () => waiting?.({ ok: false, reason: "the load generator ended" }),
  });
  const ask = async <Result>(job: Job): Promise<Result> => {
    const reply = await new Promise<Reply<unknown>>((resolve) => {
      waiting = resolve;
      child.send(job);
    });
    if (!reply.ok) throw new Error(reply.reason);
    return reply.result as Result;
  };
  return {
    steady: (job) => ask({ kind: "steady", ...job }),
    crowd: (job) => ask({ kind: "crowd", ...job }),
    stop: () => child.kill(),
  };
}
