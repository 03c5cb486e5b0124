// Facts of the machine and versions of the programs, for the head of the report.
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { clockName } from "./processor-time.ts";

export type Machine = Record<string, string>;

function version(words: string[]): string | undefined {
  if (Bun.which(words[0] ?? "") === null) return undefined;
  const { stdout, stderr } = Bun.spawnSync(words);
  return /\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`)?.[0];
}

function portkeyVersion(): string {
  const manifest = readFileSync(join(import.meta.dir, "peers/portkey/package.json"), "utf8");
  return JSON.parse(manifest).dependencies["@portkey-ai/gateway"];
}

/** Call it before the run: a busy machine shows in its load. */
export function machine(): Machine {
  return {
    Processor: `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores`,
    Memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    "Load of the machine before the run": (loadavg()[0] ?? 0).toFixed(2),
    System: `${type()} ${release()}`,
    Bun: Bun.version,
    Node: version(["node", "--version"]) ?? "not installed",
    nginx: version(["nginx", "-v"]) ?? "not installed",
    Portkey: portkeyVersion(),
    "Processor time from": clockName,
  };
}
