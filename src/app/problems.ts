// The lasting problems of a gateway: alerts report them, and the admin API lists them.
import { statfs } from "node:fs/promises";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import { upstreamProblems } from "../gateway/routing/upstream-problems.ts";
import type { Problem } from "../telemetry/alerts/problem.ts";

type Parts = Pick<Gateway, "catalog" | "router" | "ledger">;

async function diskProblems(dataFolder: string, freePercent: number): Promise<Problem[]> {
  const { bavail, blocks } = await statfs(dataFolder);
  const percent = Math.floor((bavail / Math.max(1, blocks)) * 100);
  if (percent >= freePercent) return [];
  const message = `The disk of the data folder has ${percent} % of its space left.`;
  return [{ key: "disk", kind: "disk", message, data: { free_percent: percent } }];
}

function ledgerProblems({ ledger }: Parts): Promise<Problem[]> {
  const problem: Problem = {
    ...{ key: "ledger", kind: "ledger", data: {} },
    message: "The ledger cannot be written: requests are refused.",
  };
  return ledger.probe().then(
    () => [],
    () => [problem],
  );
}

/** Every problem that there is at present. */
export async function findProblems(gateway: Parts, dataFolder: string, diskFreePercent: number): Promise<Problem[]> {
  const { catalog, router } = gateway;
  const others = await Promise.all([diskProblems(dataFolder, diskFreePercent), ledgerProblems(gateway)]);
  return [...upstreamProblems(catalog.current(), router.health), ...others.flat()];
}
