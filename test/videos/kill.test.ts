// `kill -9` while tasks run: every task that a client was told of reaches its true end, and its ledger's row settles once.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildGateway, spawnGateway } from "../support/gateway.ts";
import { type LedgerRow, ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { slowVendor } from "./slow-vendor.ts";

const rounds = Number(process.env["TURNPIKE_TEST_VIDEO_KILLS"] ?? 5);
/** So many run at least when the gateway is killed. */
const running = Number(process.env["TURNPIKE_TEST_VIDEO_TASKS"] ?? 40);
const clients = 10;

/** A task that a client was told of, under a model name that no other task has. */
interface Saw {
  id: string;
  model: string;
  ends: "completed" | "failed";
}

const headersOf = (gateway: ChildGateway) => ({
  authorization: `Bearer ${gateway.key}`,
  "content-type": "application/json",
});

async function submit(gateway: ChildGateway, model: string, isGood: boolean, seen: Saw[]): Promise<void> {
  const prompt = `a cat [sandbox run=${200 + Math.round(Math.random() * (1_000 + 10 * running))}${isGood ? "" : " fail=50"}]`;
  const answer = await fetch(`${gateway.url}/v1/video/generations`, {
    method: "POST",
    headers: headersOf(gateway),
    body: JSON.stringify({ model, prompt }),
  });
  if (answer.status !== 200) throw new Error(`the gateway answered ${answer.status}`);
  const { task_id } = (await answer.json()) as { task_id: string };
  seen.push({ id: task_id, model, ends: isGood ? "completed" : "failed" });
}

/** Submits until the gateway is gone, to either vendor from the start. Only an answer that came and is no success is a failure of the test. */
async function client(gateway: ChildGateway, [round, index]: [number, number], seen: Saw[], refusals: unknown[]) {
  for (let count = index; gateway.process.exitCode === null && gateway.process.signalCode === null; count++) {
    const model = count % 4 === 3 ? `slow/films/${round}-${index}-${count}` : `sandbox/${round}-${index}-${count}`;
    await submit(gateway, model, count % 3 !== 0, seen).catch((thrown: unknown) => {
      if (String(thrown).includes("the gateway answered")) refusals.push(thrown);
    });
    await Bun.sleep(60);
  }
}

async function stateOf(gateway: ChildGateway, id: string): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/video/generations/${id}`, { headers: headersOf(gateway) });
  return ((await answer.json()) as { status: string }).status;
}

const pending = (dataFolder: string): number =>
  ledgerRows(dataFolder).filter(({ state }) => state === "pending").length;

/** Waits until so many tasks run, and a moment more; resolves with their number. */
async function busy(dataFolder: string): Promise<number> {
  // A random moment, so that kills hit every step; on a busy machine tasks may have ended meanwhile.
  await Bun.sleep(Math.random() * 300);
  return until(`${running} tasks run`, () => {
    const tasks = pending(dataFolder);
    return tasks >= running && tasks;
  });
}

/** Waits until no task is under way any more. */
function quiet(dataFolder: string): Promise<LedgerRow[]> {
  return until("no task is running", () => {
    const rows = ledgerRows(dataFolder);
    return rows.every(({ state }) => state !== "pending") && rows;
  });
}

test(
  `${rounds} kills of the gateway while tasks run lose nothing and settle nothing twice`,
  async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), "turnpike-videos-"));
    const vendor = await slowVendor();
    const seen: Saw[] = [];
    const refusals: unknown[] = [];
    const atKills: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const gateway = await spawnGateway({ dataFolder, yaml: vendor.yaml });
      const load = Promise.all(
        Array.from({ length: clients }, (_, index) => client(gateway, [round, index], seen, refusals)),
      );
      atKills.push(await busy(dataFolder));
      await gateway.kill("SIGKILL");
      await load;
      await gateway.stop();
    }
    const last = await spawnGateway({ dataFolder, yaml: vendor.yaml });
    const rows = await quiet(dataFolder);
    const result = await Promise.all(seen.map(async ({ id, ends }) => ({ id, ends, is: await stateOf(last, id) })));
    await last.stop();
    await vendor.stop();
    rmSync(dataFolder, { recursive: true, force: true });

    const figures = {
      rounds,
      tasks: rows.length,
      leastAtKills: Math.min(...atKills),
      unanswered: rows.length - seen.length,
      unconfirmed: rows.filter(({ errorCode }) => errorCode === "submit_unconfirmed").length,
    };
    // For whoever runs it by hand, with more of both.
    if (rounds > 5) process.stderr.write(`${JSON.stringify(figures)}\n`);

    expect(refusals).toEqual([]);
    expect([...vendor.submits.values()].filter((count) => count > 1)).toEqual([]);
    expect(vendor.submits.size).toBeGreaterThan(rounds);
    expect(Math.min(...atKills)).toBeGreaterThanOrEqual(running);
    expect(result.filter(({ ends, is }) => ends !== is)).toEqual([]);
    expect(new Set(rows.map(({ model }) => model)).size).toBe(rows.length);
    const states = new Map(rows.map(({ model, state }) => [model, state]));
    expect(seen.filter(({ model, ends }) => states.get(model) !== ends)).toEqual([]);
    const known = new Set(seen.map(({ model }) => model));
    expect(rows.filter(({ model, state }) => !known.has(model) && !["failed", "completed"].includes(state))).toEqual(
      [],
    );
  },
  60_000 + rounds * 8_000,
);
