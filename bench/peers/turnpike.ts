// Turnpike as its users start it: the launcher, one compatible provider, one client key, the ledger on.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../service.ts";
import { models } from "../workloads.ts";

/** What `npm start` runs. */
export const turnpikeEntry = join(import.meta.dir, "../../src/main.ts");

function configFile(upstreamPort: number): string {
  return `providers:
  bench:
    kind: compatible
    base_url: "http://127.0.0.1:${upstreamPort}/v1"
    credential: bench-upstream
    models: [${Object.values(models).join(", ")}]
`;
}

/** `folder` holds its settings and its data from one start to the next. */
export function turnpikeCommand(port: number, upstreamPort: number, folder: string, key: string): Command {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "turnpike.yaml");
  writeFileSync(config, configFile(upstreamPort));
  const env = { PORT: String(port), TURNPIKE_DATA: join(folder, "data"), TURNPIKE_CONFIG: config, TURNPIKE_KEY: key };
  return { words: [process.execPath, turnpikeEntry], env, readyPath: "/readyz" };
}
