// The load generator: a process of its own that takes jobs from its parent and answers with what it saw.
import { type CrowdJob, type CrowdResult, runCrowd } from "./crowd.ts";
import { runSteady, type SteadyJob, type SteadyResult } from "./steady.ts";

export type Job = SteadyJob | CrowdJob;
export type Reply<Result> = { ok: true; result: Result } | { ok: false; reason: string };
export type Load = {
  steady(job: Omit<SteadyJob, "kind">): Promise<SteadyResult>;
  crowd(job: Omit<CrowdJob, "kind">): Promise<CrowdResult>;
};

async function run(job: Job): Promise<Reply<SteadyResult | CrowdResult>> {
  try {
    return { ok: true, result: await (job.kind === "steady" ? runSteady(job) : runCrowd(job)) };
  } catch (cause) {
    return { ok: false, reason: String(cause) };
  }
}

process.on("message", async (job: Job) => {
  process.send?.(await run(job));
});
