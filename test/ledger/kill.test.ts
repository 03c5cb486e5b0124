// What was acknowledged before `kill -9` is in the ledger, once; what was open is interrupted.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { readRequests } from "../../src/gateway/ledger/read.ts";
import { temporaryFolder } from "../store/engines.ts";

const rounds = Number(process.env["TURNPIKE_TEST_KILLS"] ?? 10);

/** Runs the child until it has told `lines` lines, kills it, and gives every whole line that it told. */
async function killedAfter(dataFolder: string, lines: number): Promise<string[]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "child.ts"), dataFolder], {
    stdout: "pipe",
    stderr: "inherit",
  });
  let text = "";
  let seen = 0;
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    seen += chunk.split("\n").length - 1;
    if (seen >= lines) child.kill("SIGKILL");
  }
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  return text.slice(0, text.lastIndexOf("\n")).split("\n");
}

test(`${rounds} kills under load lose nothing and double nothing`, async () => {
  const folder = temporaryFolder();
  const opened = new Set<string>();
  const settled = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    for (const line of await killedAfter(folder.path, Math.ceil(Math.random() * 1_500))) {
      (line.startsWith("S") ? settled : opened).add(line.slice(2));
    }
  }
  const ledger = openLedger({ dataFolder: folder.path });
  const rows = readRequests(folder.path, { limit: 1_000_000 });
  await ledger.close();
  const states = new Map(rows.map((row) => [row.id, row.state]));
  expect(states.size).toBe(rows.length);
  expect([...opened].filter((id) => !states.has(id))).toEqual([]);
  expect([...settled].filter((id) => states.get(id) !== "completed")).toEqual([]);
  expect(rows.filter((row) => row.state !== "completed" && row.state !== "interrupted")).toEqual([]);
  expect(rows.filter((row) => row.state === "completed").every((row) => row.outputTokens === 7)).toBe(true);
  expect(settled.size).toBeGreaterThan(rounds * 10);
  expect(rows.filter((row) => row.state === "interrupted").length).toBeGreaterThan(0);
  folder.remove();
});
