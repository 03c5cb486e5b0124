// A thousand generated bodies: none keeps the event loop for more than 20 ms of its own computing time.
import { afterAll, expect, test } from "bun:test";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { rows } from "../http/rows.ts";
import { smallest } from "../http/setting.ts";
import { spawnGateway } from "../support/gateway.ts";
import { hostileBody, randomFrom } from "./bodies.ts";
import { boundMs, turnMs } from "./measure.ts";

const count = Number(process.env["TURNPIKE_TEST_HOSTILE_BODIES"] ?? 1_000);
const seed = Number(process.env["TURNPIKE_TEST_SEED"] ?? 28);

const sandbox = await spawnGateway({ monitored: true });
afterAll(() => sandbox.stop());

const takesBody = (row: Endpoint): boolean => smallest(row).body !== undefined;

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
