// Every client format on every upstream dialect, for every feature, whole and streamed: what becomes of it is observed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rows } from "../http/rows.ts";
import { checkConformance } from "../support/conformance.ts";
import { startUpstreams, startWorld, stopWorld, type World } from "../support/fixture-gateway.ts";
import { surfaces } from "../support/http-client.ts";
import { type Outcome, outcomeOf, type Pair } from "./cell.ts";
import { clients, features } from "./clients.ts";
import { conformance, keyOf } from "./table.ts";
import { fars } from "./upstreams.ts";

const served = clients.filter(({ name }) => rows.some(({ path }) => path === surfaces[name].path || name === "gemini"));
const outcomes = new Map<string, Outcome>();

let world: World;
beforeAll(async () => {
  world = await startWorld(await startUpstreams());
});
afterAll(() => stopWorld(world));

const pairs: Pair[] = served.flatMap((client) =>
  fars.flatMap((far) =>
    features.flatMap((feature) => [false, true].map((stream) => ({ client, far, feature, stream }))),
  ),
);

describe("pairs", () => {
  test.each(pairs.map((pair) => ({ name: keyOf(pair), pair })))("$name", async ({ pair }) => {
    outcomes.set(keyOf(pair), await outcomeOf(pair, world));
  });
});

test("docs/conformance.md says what was seen, and no cell is blank", () => {
  expect(pairs.map(keyOf).filter((key) => !outcomes.has(key))).toEqual([]);
  checkConformance("features", conformance(served, outcomes));
});
