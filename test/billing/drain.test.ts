// A client that leaves a stream: once its upstream has said its finish, the usage behind it is waited for within bounds; else nothing is.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { clearUpstreams, configuration, startUpstreams, startWorld, stopWorld } from "../support/fixture-gateway.ts";
import { type RunningGateway, spawnGateway } from "../support/gateway.ts";
import { type LedgerRow, ledgerRows, settledRow } from "../support/ledger.ts";
import { allowedMs, timed, until } from "../support/until.ts";
import { type UpstreamWire, upstreamWires } from "./wires.ts";

const world = await startWorld(await startUpstreams());
beforeEach(() => clearUpstreams(world.upstreams));
afterAll(() => stopWorld(world));

const reported = [1_234, 567] as const;
const text = "Once upon a time there was a lighthouse on a rock. ";

const [alpha] = upstreamWires as unknown as [UpstreamWire];

/** Frames up to the finish, the finish, and those that tell usage and the end. */
function parts(): { result: string[]; finish: string[]; rest: string[] } {
  const { opening, pieces, finish, end } = alpha.stages([text, text], reported);
  return { result: [...opening, ...pieces], finish: finish.slice(0, 1), rest: [...finish.slice(1), ...end] };
}

const rows = (): LedgerRow[] => ledgerRows(world.gateway.dataFolder);

/** Asks, and leaves once the frame with this text has been received. */
async function leaveBehind(mark: string, { url, key }: RunningGateway = world.gateway): Promise<void> {
  const leaving = new AbortController();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: alpha.model, stream: true, messages: [{ role: "user", content: "Tell." }] }),
    signal: leaving.signal,
  });
  let received = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    received += decoder.decode(chunk, { stream: true });
    if (received.includes(mark)) break;
  }
  leaving.abort();
}

const finished = '"finish_reason":"stop"';

test("usage behind the finish is waited for, and booked as reported", async () => {
  const before = rows().length;
  const gate = Promise.withResolvers<void>();
  const { result, finish, rest } = parts();
  const frames = [...result, ...finish, ...rest];
  world.upstreams.alpha.on("*", { frames, gate: gate.promise, gateAfter: result.length + finish.length });
  await leaveBehind(finished);
  // Time enough for an abort to arrive, were there one.
  const seen = await world.upstreams.alpha.seen(0);
  const early = await Promise.race([seen.aborted.then(() => "aborted"), Bun.sleep(300).then(() => "waiting")]);
  gate.resolve();
  const row = await settledRow(world.gateway.dataFolder, before);
  expect({ early, row }).toMatchObject({
    early: "waiting",
    row: { state: "cancelled", inputTokens: 1_234, outputTokens: 567, estimated: false, charged: true },
  });
}, 60_000);

test("before the finish the upstream is left at once, and what was delivered is booked", async () => {
  const before = rows().length;
  const { result } = parts();
  world.upstreams.alpha.on("*", { frames: result, ending: "hang" });
  const left = await timed(async () => {
    await leaveBehind("lighthouse");
    await (await world.upstreams.alpha.seen(0)).aborted;
  });
  expect(left.ms).toBeLessThan(allowedMs(2_500, left));
  const row = await settledRow(world.gateway.dataFolder, before);
  expect(row).toMatchObject({ state: "cancelled", estimated: true, charged: true });
  expect(row.outputTokens).toBeWithin(5, 40);
}, 60_000);

test("an upstream that is silent behind its finish is left after five seconds", async () => {
  const before = rows().length;
  const { result, finish } = parts();
  world.upstreams.alpha.on("*", { frames: [...result, ...finish], ending: "hang" });
  const left = await timed(async () => {
    await leaveBehind(finished);
    await (await world.upstreams.alpha.seen(0)).aborted;
  });
  expect(left.ms).toBeGreaterThan(4_500);
  expect(left.ms).toBeLessThan(allowedMs(8_000, left));
  expect(await settledRow(world.gateway.dataFolder, before)).toMatchObject({ state: "cancelled", estimated: true });
}, 60_000);

test("an upstream that goes on talking behind its finish is left after 4,096 tokens", async () => {
  const before = rows().length;
  const { result, finish } = parts();
  const gate = Promise.withResolvers<void>();
  const more = alpha.stages(
    Array.from({ length: 400 }, () => text.repeat(8)),
    reported,
  ).pieces;
  const frames = [...result, ...finish, ...more];
  world.upstreams.alpha.on("*", {
    frames,
    gate: gate.promise,
    gateAfter: result.length + finish.length,
    gapMs: 5,
    ending: "hang",
  });
  const left = await timed(async () => {
    await leaveBehind(finished);
    gate.resolve();
    await (await world.upstreams.alpha.seen(0)).aborted;
  });
  expect(left.ms).toBeLessThan(allowedMs(4_500, left));
  const row = await settledRow(world.gateway.dataFolder, before);
  expect(row).toMatchObject({ state: "cancelled", estimated: true });
}, 60_000);

// In a process of its own: the runtime bounds the requests of one process at once, and here all of them are open.
test("256 at once are waited for, and no more", async () => {
  const most = 256;
  const over = 14;
  // The usual five seconds may be over on a busy machine before the last client has left.
  const yaml = `${configuration(world.upstreams)}\nlimits: { drained_stream_ms: 120000 }\n`;
  const own = await spawnGateway({ yaml });
  const { result, finish, rest } = parts();
  const gate = Promise.withResolvers<void>();
  const frames = [[...result, ...finish].join(""), ...rest];
  world.upstreams.alpha.on("*", { frames, gate: gate.promise, gateAfter: 1 });
  const settled = (): LedgerRow[] => ledgerRows(own.dataFolder).filter(({ state }) => state !== "open");
  await Promise.all(Array.from({ length: most + over }, () => leaveBehind(finished, own)));
  await until("those beyond the bound have settled", () => settled().length >= over);
  gate.resolve();
  await until("all have settled", () => settled().length === most + over);
  expect(settled().filter((row) => row.estimated).length).toBe(over);
  await own.stop();
}, 120_000);
