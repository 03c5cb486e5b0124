// All formats of clients × all vendors × every way in which a task may go, on sockets: what clients read, what the ledger says.
import { afterAll, describe, expect, test } from "bun:test";
import { createSemaphore } from "../../src/lib/semaphore.ts";
import { clients } from "./clients/index.ts";
import { type Outcome, play, type Scenario } from "./scenarios.ts";
import { openStage } from "./stage.ts";
import { type StoryName, type Studio, stories } from "./upstreams/vendor.ts";

const stage = await openStage();
afterAll(() => stage.stop());

/** So many scenarios at once. */
const gate = createSemaphore(48);

function resultOf({ vendor }: Studio): StoryName[] {
  return (Object.keys(stories) as StoryName[]).filter(
    (story) => (story !== "expired" || vendor.hasExpiry) && (story !== "waiting" || vendor.hasQueue),
  );
}

async function gated(scenario: Scenario): Promise<Outcome> {
  await gate.acquire();
  return play(stage, scenario).finally(() => gate.release());
}

const scenarios = [...stage.studios.values()].flatMap((studio) =>
  resultOf(studio).flatMap((story) =>
    clients.map((client) => {
      const outcome = gated({ client, studio, story });
      // A test tells of it.
      outcome.catch(() => undefined);
      return { vendor: studio.vendor.name, story, client: client.name, outcome };
    }),
  ),
);

describe.each([...stage.studios.keys()])("%s", (vendor) => {
  const own = scenarios.filter((scenario) => scenario.vendor === vendor);
  test.each(own.map((scenario) => [scenario.story, scenario.client, scenario.outcome] as const))(
    "%s, asked by %s",
    async (_story, _client, outcome) => {
      expect((await outcome).faults).toEqual([]);
    },
    60_000,
  );
});

test("nobody was asked without proof, for what is not there, or once more after the end", async () => {
  const outcomes = await Promise.all(scenarios.map(async (scenario) => ({ ...scenario, ...(await scenario.outcome) })));
  const later = outcomes.filter(
    ({ vendor, upstreamId, polls }) => (stage.studios.get(vendor)?.polls(upstreamId) ?? 0) > polls,
  );
  // Bytes inside the answer to a poll, and addresses that are asked for anew, are asked for when they are wanted.
  expect(later.map(({ vendor, story, client }) => `${vendor} ${story} ${client}`)).toEqual([]);
  expect([...stage.studios.values()].flatMap(({ strays }) => strays)).toEqual([]);
  const entries = outcomes.flatMap(({ id }) => stage.stored(id).entries);
  expect(new Set(entries.map((entry) => entry["id"])).size).toBe(scenarios.length);
  expect(entries.filter(({ state }) => state === "pending" || state === "open")).toEqual([]);
});
