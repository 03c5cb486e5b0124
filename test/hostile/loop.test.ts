// A thousand generated bodies: none keeps the event loop for more than 20 ms of its own computing time.
import { afterAll, expect, test } from "bun:test";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { rows } from "../http/rows.ts";
import { smallest } from "../http/setting.ts";
import { type ChildGateway, spawnGateway } from "../support/gateway.ts";
import { type HostileBody, hostileBody, randomFrom } from "./bodies.ts";

const count = Number(process.env["TURNPIKE_TEST_HOSTILE_BODIES"] ?? 1_000);
const seed = Number(process.env["TURNPIKE_TEST_SEED"] ?? 28);
const boundMs = 20;

const sandbox = await spawnGateway({ monitored: true });
afterAll(() => sandbox.stop());

const takesBody = (row: Endpoint): boolean => smallest(row).body !== undefined;

async function send({ url, key }: ChildGateway, { path, headers, body }: HostileBody): Promise<number> {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...headers },
    body,
  });
  await answer.bytes();
  return answer.status;
}

/** The least of eight measurements: collecting garbage of earlier requests, and compiling, are not this body's doing. */
async function turnMs(gateway: ChildGateway, body: HostileBody): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 8 && leastMs > boundMs; round++) {
    await gateway.longestTurnMs();
    await send(gateway, body);
    leastMs = Math.min(leastMs, await gateway.longestTurnMs());
  }
  return leastMs;
}

test(`${count} generated bodies`, async () => {
  const random = randomFrom(seed);
  const open = rows.filter(takesBody);
  const slow: string[] = [];
  for (let index = 0; index < count; index++) {
    const body = hostileBody(open, random);
    const ms = await turnMs(sandbox, body);
    if (ms > boundMs) slow.push(`${body.name}: ${ms.toFixed(1)} ms`);
  }
  expect(slow).toEqual([]);
}, 600_000);
