// A full disk under the data folder: nothing is answered as complete without its row, and no row is lost when there is space again.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reconcileIndex } from "../../src/gateway/ledger/reconcile.ts";
import { says } from "../support/fixtures.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { type Upstream, upstream } from "../support/upstream.ts";

const disk = mkdtempSync(join(tmpdir(), "turnpike-disk-"));
const isMounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk]).success;
const filler = join(disk, "filler");
const ballast = join(disk, "data", "ledger.ballast");

/** Writes until nothing more fits. */
function fill(): void {
  const file = openSync(filler, "w");
  try {
    for (const size of [64 * 1024, 512]) while (writesAll(file, size));
  } finally {
    closeSync(file);
  }
}

function writesAll(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size;
  } catch {
    return false;
  }
}

const chat = ({ url, key }: RunningGateway, more: object = {}, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    signal,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "far/m", messages: [{ role: "user", content: "hi" }], ...more }),
  });

const readiness = async ({ url }: RunningGateway): Promise<number> => (await fetch(`${url}/readyz`)).status;

describe.skipIf(!isMounted)("a full disk (skipped: this user may not mount)", () => {
  let up: Upstream;
  let running: RunningGateway;
  let yaml: string;
  const gate = Promise.withResolvers<void>();

  beforeAll(async () => {
    up = await upstream();
    up.on("*", async (line) => {
      const isStream = up.requests.at(-1)?.text.includes('"stream":true') === true;
      if (isStream) await gate.promise;
      await line.play(says(isStream ? "openai-chat/text.sse" : "openai-chat/text.json"));
    });
    yaml = `providers:\n  far: { kind: compatible, base_url: "${up.url}/v1", models: [m] }\n`;
    running = await gateway({ yaml, dataFolder: join(disk, "data") });
  });
  afterAll(async () => {
    await running.stop();
    up.stop();
    // At once, although a thread of the gateway may not have let go of a file yet.
    Bun.spawnSync(["umount", "--lazy", disk]);
    rmSync(disk, { recursive: true });
  });

  test("new requests are refused, and a stream in progress ends as usual, with its row", async () => {
    expect((await chat(running)).status).toBe(200);
    await until("space is set aside", () => existsSync(ballast));
    const streaming = chat(running, { stream: true });
    await up.seen(1);
    fill();
    const refused = await until("a request is refused", async () => {
      const answer = await chat(running);
      return answer.status === 200 ? null : answer;
    });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: "ledger_unavailable" } });
    expect(await readiness(running)).toBe(503);
    const requested = up.requests.length;
    expect((await chat(running)).status).toBe(503);
    expect(up.requests.length).toBe(requested);
    gate.resolve();
    const text = await (await streaming).text();
    expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
    expect((await chat(running)).status).toBe(503);
    rmSync(filler);
    await until("it is ready again", async () => (await readiness(running)) === 200);
    expect((await chat(running)).status).toBe(200);
    const rows = await until("every row is settled", () => {
      const all = ledgerRows(running.dataFolder);
      return all.every(({ state }) => state !== "open") && all;
    });
    expect(rows.filter(({ stream }) => stream)).toMatchObject([
      { state: "completed", charged: true, outputTokens: expect.any(Number) },
    ]);
    expect(reconcileIndex(running.dataFolder)).toEqual([]);
  });

  test("a client that leaves while the disk is full has its row, also when the gateway stops before there is space", async () => {
    await until("space is set aside again", () => existsSync(ballast));
    up.clear();
    up.on("*", (line) => line.closed.then(() => undefined));
    const client = new AbortController();
    const leaving = chat(running, { stream: true }, client.signal).catch(() => null);
    await up.seen(0);
    fill();
    client.abort();
    await Promise.all([leaving, (await up.seen(0)).aborted]);
    await running.stop();
    rmSync(filler);
    running = await gateway({ yaml, dataFolder: join(disk, "data") });
    const streams = ledgerRows(running.dataFolder).filter(({ stream }) => stream);
    expect(streams.map(({ state }) => state)).toEqual(["completed", "cancelled"]);
    expect(reconcileIndex(running.dataFolder)).toEqual([]);
  });
});
