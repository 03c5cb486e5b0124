// What is booked for each fault of an upstream, on each pair of an upstream's dialect and a client's: never nothing for what was sent.
import { afterAll, describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import fixtures from "../fixtures/tokens/texts.json";
import { configuration, startUpstreams, type World } from "../support/fixture-gateway.ts";
import { gateway } from "../support/gateway.ts";
import { type Call, make } from "../support/http-client.ts";
import { type LedgerRow, ledgerRows } from "../support/ledger.ts";
import type { Received } from "../support/response-oracle.ts";
import { collectBy } from "../support/stream-writers.ts";
import { type Fault, faults, reported } from "./faults.ts";
import { type UpstreamWire, upstreamWires } from "./wires.ts";

const prompt = fixtures["english-letter"];
const english = fixtures["english-technical"];
const pieces = english.text.match(/[\s\S]{1,130}/g) ?? [];

const upstreams = await startUpstreams();
const yaml = configuration(upstreams);
const usual: World = { upstreams, gateway: await gateway({ yaml }) };
const short = ", idle_timeout_ms: 300, first_byte_timeout_ms: 300, timeout_ms: 300 }";
const hasty: World = {
  upstreams,
  gateway: await gateway({ yaml: yaml.replaceAll("] }", `]${short}`), heartbeatMs: 1_500 }),
};
afterAll(async () => {
  await Promise.all([usual, hasty].map((world) => world.gateway.stop()));
  await Promise.all(Object.values(upstreams).map((each) => each.stop()));
});

type Client = "chat" | "responses" | "messages" | "gemini";
const bodies: { readonly [client in Client]: Record<string, unknown> } = {
  chat: { messages: [{ role: "user", content: prompt.text }] },
  responses: { input: prompt.text },
  messages: { messages: [{ role: "user", content: prompt.text }] },
  gemini: { contents: [{ role: "user", parts: [{ text: prompt.text }] }] },
};
const dialects: { readonly [client in Client]: string } = {
  chat: "openai-chat",
  responses: "openai-responses",
  messages: "anthropic-messages",
  gemini: "gemini",
};
const clients = Object.keys(bodies) as Client[];

/** The one row of this client at this upstream, once it has settled. */
async function rowOf(world: World, before: number, client: Client, wire: UpstreamWire): Promise<LedgerRow> {
  for (const end = performance.now() + 20_000; performance.now() < end; await Bun.sleep(10)) {
    const rows = ledgerRows(world.gateway.dataFolder).slice(before);
    const row = rows.find(({ dialect, model }) => dialect.startsWith(dialects[client]) && model === wire.model);
    if (row !== undefined && row.state !== "open") return row;
  }
  throw new Error("the row has not settled");
}

const within = (found: number, truth: number, tolerance: number): boolean =>
  Math.abs(found - truth) <= Math.max(1, truth * tolerance);

/** Messages and the reply's beginning cost a few tokens where the vendor counts them. */
const frame = (wire: UpstreamWire): number => (wire.truth === "gemma3" ? 0 : 7);

function checkEstimate(
  row: LedgerRow,
  received: Received | null,
  wire: UpstreamWire,
  client: Client,
  hasLeft: boolean,
) {
  const input = prompt.tokens[wire.truth] + frame(wire);
  const ratio = english.tokens[wire.truth] / english.tokens.o200k;
  const text = received === null ? "" : collectBy[client](received).text;
  const delivered = text === "" ? 0 : countTokens(text) * ratio;
  const isOutputRight = hasLeft
    ? row.outputTokens >= delivered * (1 - wire.tolerance) - 1 && row.outputTokens <= english.tokens[wire.truth] * 1.15
    : within(row.outputTokens, delivered, wire.tolerance);
  return { input: within(row.inputTokens, input, wire.tolerance), output: isOutputRight };
}

async function check(fault: Fault, wire: UpstreamWire, client: Client, world: World, before: number): Promise<unknown> {
  const call: Call = {
    to: client,
    body: { ...bodies[client], model: wire.model, stream: fault.stream },
    ...(fault.leaves === undefined ? {} : { leaves: fault.leaves }),
  };
  const { received } = await make(call, world);
  const row = await rowOf(world, before, client, wire);
  const pair = `${client} of ${wire.provider}`;
  const { inputTokens, outputTokens, charged, estimated, state } = row;
  const found = { pair, inputTokens, outputTokens, charged, estimated, state };
  if (fault.booked === "nothing") return inputTokens + outputTokens === 0 ? null : found;
  if (fault.booked === "reported")
    return inputTokens === reported[0] && outputTokens === reported[1] && !estimated ? null : found;
  const right = checkEstimate(row, received, wire, client, fault.leaves !== undefined);
  // A stream that fails before its client was given anything is an attempt that did not answer.
  const isGiven = fault.leaves !== undefined || received?.status === 200;
  const isMarked = estimated && charged === (fault.booked === "estimated" && isGiven);
  const header = received?.headers.get("x-turnpike-usage") ?? null;
  const isReported = fault.stream || received === null || received.status !== 200 || header === "estimated";
  return right.input && right.output && isMarked && isReported ? null : { ...found, ...right, header };
}

describe.each(["whole", "streamed"] as const)("%s", (kind) => {
  const rows = faults.filter(({ stream }) => stream === (kind === "streamed"));
  test.each(rows.map((fault) => [fault.name, fault] as const))(
    "%s",
    async (_name, fault) => {
      const world = fault.hangs ? hasty : usual;
      const prepare = (): void => {
        for (const wire of upstreamWires) {
          const upstream = upstreams[wire.upstream];
          upstream.clear();
          upstream.on("*", fault.reply(wire, english.text, pieces));
        }
      };
      prepare();
      const before = ledgerRows(world.gateway.dataFolder).length;
      const pairs = upstreamWires.flatMap((wire) => clients.map((client) => ({ wire, client })));
      const wrong: unknown[] = [];
      // A client that leaves when an upstream was asked must be the one that asked it.
      if (fault.leaves === "when asked")
        for (const { wire, client } of pairs) {
          prepare();
          wrong.push(await check(fault, wire, client, world, before));
        }
      else
        wrong.push(...(await Promise.all(pairs.map(({ wire, client }) => check(fault, wire, client, world, before)))));
      expect(wrong.filter((each) => each !== null)).toEqual([]);
    },
    60_000,
  );
});

test("the matrix is whole", () => {
  expect(upstreamWires.length * clients.length).toBe(12);
  expect(faults.length).toBeGreaterThanOrEqual(102);
});
