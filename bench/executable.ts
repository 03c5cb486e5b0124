// Start and idle memory of the executable and of the sources, in turn. Run with `npm run build && bun bench/executable.ts`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turnpikeCommand } from "./peers/turnpike.ts";
import { residentBytes, treeOf } from "./process-tree.ts";
import { type Command, freePort, manyRequests, startService } from "./service.ts";
import { spread } from "./statistics.ts";

const rounds = Number(process.env["ROUNDS"] ?? 9);
const settleMs = 2_000;
const megabyte = 1024 * 1024;
const executable = join(import.meta.dir, "..", "dist", "turnpike");
const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-executable-"));
const key = "tp-bench-0123456789abcdef0123456789abcdef";

const peers = ["sources", "executable"].map((name) => ({ name, readyMs: [] as number[], idleMb: [] as number[] }));

/** Its provider is never called. */
function commandOf(name: string, port: number): Command {
  const command = turnpikeCommand(port, 1, join(folder, name), key);
  const env = { ...command.env, ...manyRequests };
  return { ...command, env, words: name === "executable" ? [executable] : command.words };
}

for (let round = 0; round < rounds; round++)
  for (const { name, readyMs, idleMb } of peers) {
    const port = freePort();
    const service = await startService(name, commandOf(name, port), port, folder);
    await Bun.sleep(settleMs);
    readyMs.push(service.readyMs);
    idleMb.push(residentBytes(treeOf(service.pid)) / megabyte);
    await service.stop();
  }

const written = (values: readonly number[]): string => {
  const { median, min, max } = spread(values) ?? { median: 0, min: 0, max: 0 };
  return `${median.toFixed(0)} (${min.toFixed(0)}–${max.toFixed(0)})`;
};
for (const { name, readyMs, idleMb } of peers)
  process.stdout.write(`${name}: ready after ${written(readyMs)} ms, ${written(idleMb)} MB when idle\n`);
rmSync(folder, { recursive: true, force: true });
