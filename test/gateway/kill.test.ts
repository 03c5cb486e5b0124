// `kill -9` under load, through the real process: what a client was answered is in the ledger, once; what was open is interrupted.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildGateway, spawnGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";

const rounds = Number(process.env["TURNPIKE_TEST_KILLS"] ?? 20);
const clients = 24;
/** A kill comes behind this many complete replies of its round at least, however fast the machine is. */
const completePerRound = 31;

const completeIn = (round: number, seen: readonly Saw[]): number =>
  seen.filter(({ model, isComplete }) => isComplete && model.startsWith(`sandbox/${round}-`)).length;

/** What the oracle saw of one request, under a model name that no other request has. */
interface Saw {
  model: string;
  stream: boolean;
  /** At least one byte of the body came. */
  isAnswered: boolean;
  /** The reply came whole, with its own end. */
  isComplete: boolean;
}

async function ask(gateway: ChildGateway, saw: Saw): Promise<void> {
  const content = saw.stream ? "[sandbox pace=4] one two three four five" : "[sandbox delay=2] hello";
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: saw.model, stream: saw.stream, messages: [{ role: "user", content }] }),
  });
  if (answer.status !== 200) throw new Error(`the gateway answered ${answer.status}`);
  let text = "";
  for await (const chunk of answer.body ?? []) {
    saw.isAnswered = true;
    text += Buffer.from(chunk).toString();
  }
  saw.isComplete = saw.stream ? text.endsWith("data: [DONE]\n\n") : text.endsWith("}");
}

/** Asks until the gateway is gone. Only an answer that came and is no success is a failure of the test. */
async function client(gateway: ChildGateway, name: string, seen: Saw[], refusals: unknown[]): Promise<void> {
  for (let count = 0; gateway.process.exitCode === null && gateway.process.signalCode === null; count++) {
    const saw = { model: `sandbox/${name}-${count}`, stream: count % 2 === 0, isAnswered: false, isComplete: false };
    seen.push(saw);
    try {
      await ask(gateway, saw);
    } catch (thrown) {
      if (String(thrown).includes("the gateway answered")) refusals.push(thrown);
    }
  }
}

test(`${rounds} kills of the gateway under load lose nothing and double nothing`, async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "turnpike-kill-"));
  const seen: Saw[] = [];
  const refusals: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    const gateway = await spawnGateway({ dataFolder });
    const names = Array.from({ length: clients }, (_, index) => `${round}-${index}`);
    const load = Promise.all(names.map((name) => client(gateway, name, seen, refusals)));
    const enough = Math.ceil(completePerRound + Math.random() * 4 * completePerRound);
    await until(`${enough} complete replies`, () => completeIn(round, seen) >= enough);
    await gateway.kill("SIGKILL");
    await load;
    await gateway.stop();
  }
  const last = await spawnGateway({ dataFolder });
  const rows = ledgerRows(dataFolder);
  await last.stop();
  rmSync(dataFolder, { recursive: true, force: true });

  const states = new Map(rows.map((row) => [row.model, row.state]));
  const answered = seen.filter(({ isAnswered }) => isAnswered);
  const complete = seen.filter(({ isComplete }) => isComplete);
  expect(refusals).toEqual([]);
  expect({ models: states.size, ids: new Set(rows.map(({ id }) => id)).size }).toEqual({
    models: rows.length,
    ids: rows.length,
  });
  expect(answered.filter(({ model }) => !states.has(model))).toEqual([]);
  expect(complete.filter(({ model }) => states.get(model) !== "completed")).toEqual([]);
  expect(answered.filter(({ stream, model }) => !stream && states.get(model) !== "completed")).toEqual([]);
  expect(rows.filter(({ state }) => state !== "completed" && state !== "interrupted")).toEqual([]);
  expect(complete.length).toBeGreaterThanOrEqual(rounds * completePerRound);
  expect(rows.filter(({ state }) => state === "interrupted").length).toBeGreaterThan(rounds / 2);
});
