// A process that writes the ledger under load and tells what was acknowledged, until somebody kills it.
import { writeSync } from "node:fs";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { recordIds } from "../../src/lib/ids.ts";
import { opening, settlement, usageOf } from "./samples.ts";

const dataFolder = process.argv[2] ?? "";
const ledger = openLedger({ dataFolder, checkpointEveryRows: 300 });
const nextId = recordIds({ nowMs: () => Date.now() });

/** Written synchronously and in whole lines below the size of a pipe's atomic write, so that a kill cuts none. */
function print(line: string): void {
  writeSync(1, `${line}\n`);
}

async function request(): Promise<void> {
  const id = nextId();
  const entry = await ledger.open(opening(id));
  print(`O ${id}`);
  await Bun.sleep(Math.random() * 3);
  await entry.settle(settlement({ usage: usageOf({ outputTokens: 7 }) }));
  print(`S ${id}`);
}

async function worker(): Promise<never> {
  for (;;) await request();
}

await Promise.all(Array.from({ length: 24 }, worker));
