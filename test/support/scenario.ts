// The scenario runner: one row says who calls, what the upstreams do, and what must be seen everywhere; it is one test.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at, type Result } from "./chat-stream-reader.ts";
import {
  canary,
  clearUpstreams,
  startUpstreams,
  startWorld,
  type UpstreamName,
  type World,
} from "./fixture-gateway.ts";
import type { GatewayOptions } from "./gateway.ts";
import { type Call, make } from "./http-client.ts";
import { type LedgerRow, ledgerRows, settledRow } from "./ledger.ts";
import type { Received } from "./response-oracle.ts";
import { collectBy } from "./stream-writers.ts";
import { allowedMs, timed } from "./until.ts";
import type { Script, Seen, Upstream } from "./upstream.ts";

export interface Sees {
  /** Default 200. */
  status?: number;
  /** A value is compared as a whole; a pattern must match. */
  headers?: Record<string, string | RegExp>;
  lacksHeaders?: string[];
  /** A part of the JSON body. */
  body?: Record<string, unknown>;
  /** A part of what the answer said, streamed or whole. */
  result?: Partial<Result>;
  /** Part of the envelope's error, in a body or in the stream. */
  error?: { type?: string; code?: string; param?: string | null; message?: unknown };
  /** Names of the stream's events in order; a chat stream's are "data" and "[DONE]". */
  events?: string[];
  /** The exact text of the body. */
  text?: string;
  /** Words that must not be anywhere in body or headers. */
  lacks?: string[];
}

export interface AtUpstream {
  path?: string;
  headers?: Record<string, string | RegExp>;
  lacksHeaders?: string[];
  /** A part of the JSON that arrived. */
  body?: Record<string, unknown>;
  /** Fields that must not be there. */
  lacksFields?: string[];
}

export interface Scenario {
  name: string;
  call?: Call;
  /** What each upstream answers, in turn. An upstream that is not named answers 404. */
  upstream?: Partial<Record<UpstreamName, Script | Script[]>>;
  sees?: Sees;
  /** What each upstream was asked, in order. Every upstream that is not named must not have been asked. */
  requested?: Partial<Record<UpstreamName, AtUpstream[]>>;
  /** The last upstream request must have been aborted within so many milliseconds of the client's leaving. */
  abortedWithinMs?: number;
  /** A part of the one ledger row of this request, or "none". */
  ledger?: Partial<LedgerRow> | "none";
  /** Why this row cannot run here; it is counted as skipped. */
  skip?: string;
  /** What is known to be wrong still: the row passes by failing, and fails as soon as it is mended. Take it out then. */
  failing?: string;
  /** For what a row cannot say. */
  also?: (received: Received, world: World) => void | Promise<void>;
}

export interface ScenarioOptions extends GatewayOptions {
  /** A gateway for each row, where one row's faults would change the next row's routing. */
  fresh?: boolean;
}

/** Makes one test of each row. */
export function scenarios(title: string, rows: Scenario[], options: ScenarioOptions = {}): void {
  describe(title, () => {
    let upstreams: Record<UpstreamName, Upstream>;
    let shared: World | undefined;
    beforeAll(async () => {
      upstreams = await startUpstreams();
      if (!options.fresh) shared = await startWorld(upstreams, options);
    });
    afterAll(async () => {
      await shared?.gateway.stop();
      await Promise.all(Object.values(upstreams).map((each) => each.stop()));
    });
    for (const row of rows) {
      if (row.skip) test.skip(`${row.name} [skipped: ${row.skip}]`, () => undefined);
      else if (row.failing)
        test.failing(`${row.name} [known: ${row.failing}]`, () => runIn(row, upstreams, shared, options));
      else test(row.name, () => runIn(row, upstreams, shared, options));
    }
  });
}

async function runIn(
  row: Scenario,
  upstreams: Record<UpstreamName, Upstream>,
  shared: World | undefined,
  options: ScenarioOptions,
): Promise<void> {
  const world = shared ?? (await startWorld(upstreams, options));
  try {
    await run(row, world);
  } finally {
    if (!shared) await world.gateway.stop();
  }
}

async function run(row: Scenario, world: World): Promise<void> {
  setUp(row, world);
  const rowsBefore = ledgerRows(world.gateway.dataFolder).length;
  const { value: made, lateMs } = await timed(() => make(row.call ?? {}, world));
  const { received: reply, leftAt = performance.now() } = made;
  if (reply) await checkReceived(row, reply, world);
  if (row.requested) checkRequests(row.requested, world);
  if (row.abortedWithinMs !== undefined) await checkAborted(allowedMs(row.abortedWithinMs, { lateMs }), leftAt, world);
  if (row.ledger) await checkLedger(row.ledger, rowsBefore, world);
}

function setUp(row: Scenario, world: World): void {
  clearUpstreams(world.upstreams);
  for (const [name, upstream] of Object.entries(world.upstreams)) {
    const scripts = row.upstream?.[name as UpstreamName];
    if (scripts) upstream.on("*", ...[scripts].flat());
  }
}

async function checkReceived(row: Scenario, reply: Received, world: World): Promise<void> {
  const sees = row.sees ?? {};
  const result = collectBy[row.call?.to ?? "chat"](reply);
  expect({ status: reply.status, ...(sees.status ? {} : { error: at(reply.json, "error") ?? null }) }).toEqual({
    status: sees.status ?? 200,
    ...(sees.status ? {} : { error: null }),
  });
  checkEverywhere(reply, row);
  checkHeaders(reply.headers, sees.headers, sees.lacksHeaders);
  if (sees.body) expect(reply.json).toMatchObject(sees.body);
  if (sees.result) expect(result).toMatchObject(sees.result);
  if (sees.error) expect(result.error).toMatchObject(sees.error);
  if (sees.events)
    expect(reply.frames.map(({ event, data }) => event ?? (data === "[DONE]" ? data : "data"))).toEqual(sees.events);
  if (sees.text !== undefined) expect(reply.text).toBe(sees.text);
  await row.also?.(reply, world);
}

/** What holds for every answer: a request id, a whole error envelope, no secret. */
function checkEverywhere(reply: Received, row: Scenario): void {
  const isByUs = row.call?.bytes === undefined;
  if (isByUs) expect(reply.headers.get("x-request-id")).toMatch(/^[\w.-]{8,}$/);
  const everything = `${reply.text}\n${JSON.stringify([...reply.headers])}`;
  for (const word of [canary, "127.0.0.1", ...(row.sees?.lacks ?? [])]) expect(everything).not.toContain(word);
  if (reply.status >= 400 && isByUs) checkEnvelope(at(reply.json, "error"), reply.status);
}

/** All members are there, in OpenAI's envelope and Anthropic's, or in Google's, which has a number for a code. */
function checkEnvelope(error: unknown, status: number): void {
  const param = at(error, "param") === null ? null : (expect.stringMatching(/\S/) as unknown as string);
  const common = { message: expect.stringMatching(/\S/), type: expect.stringMatching(/^[a-z_]+$/), param };
  const isGoogle = typeof at(error, "code") === "number";
  expect(error).toEqual(
    isGoogle
      ? { ...common, code: status, status: expect.stringMatching(/^[A-Z_]+$/), details: expect.any(Array) }
      : { ...common, code: expect.stringMatching(/^\w+$/) },
  );
}

function checkHeaders(headers: Headers, expected: Record<string, string | RegExp> = {}, lacking: string[] = []): void {
  for (const [name, value] of Object.entries(expected)) {
    const found = { header: name, value: headers.get(name) };
    expect(found).toEqual({ header: name, value: typeof value === "string" ? value : expect.stringMatching(value) });
  }
  for (const name of lacking) expect({ header: name, value: headers.get(name) }).toEqual({ header: name, value: null });
}

function checkRequests(requested: NonNullable<Scenario["requested"]>, world: World): void {
  const counts = (of: (name: string) => number) =>
    Object.fromEntries(Object.keys(world.upstreams).map((name) => [name, of(name)]));
  expect(counts((name) => world.upstreams[name as UpstreamName].requests.length)).toEqual(
    counts((name) => requested[name as UpstreamName]?.length ?? 0),
  );
  for (const [name, expected] of Object.entries(requested)) {
    for (const [index, one] of expected.entries())
      checkRequest(one, world.upstreams[name as UpstreamName].requests[index]);
  }
}

function checkRequest(expected: AtUpstream, seen: Seen | undefined): void {
  if (!seen) throw new Error("the upstream was not asked");
  if (expected.path) expect(seen.path).toBe(expected.path);
  checkHeaders(seen.headers, expected.headers, expected.lacksHeaders);
  if (expected.body) expect(seen.json).toMatchObject(expected.body);
  for (const field of expected.lacksFields ?? []) expect(seen.json).not.toHaveProperty(field);
}

async function checkAborted(withinMs: number, leftAt: number, world: World): Promise<void> {
  const last = Object.values(world.upstreams).flatMap((upstream) => upstream.requests.slice(-1));
  const abortedAt = await Promise.race(last.map((seen) => seen.aborted));
  expect(abortedAt - leftAt).toBeLessThan(withinMs);
}

async function checkLedger(expected: NonNullable<Scenario["ledger"]>, before: number, world: World): Promise<void> {
  const { dataFolder } = world.gateway;
  if (expected === "none") expect(ledgerRows(dataFolder).length - before).toBe(0);
  else expect(await settledRow(dataFolder, before)).toMatchObject(expected);
}
