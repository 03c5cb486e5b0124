// A candidate that only the operator can mend: asked last for a while, and logged once as the operator's problem.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { type ErrorKind, GatewayError } from "../../src/canonical/error.ts";
import { defaultLimits } from "../../src/config/limits.ts";
import { orderCandidates } from "../../src/gateway/routing/candidate-order.ts";
import type { Candidate } from "../../src/gateway/routing/catalog.ts";
import { compileRoute } from "../../src/gateway/routing/compiled-route.ts";
import { createHealth } from "../../src/gateway/routing/health.ts";
import { configuration, startUpstreams, type World } from "../support/fixture-gateway.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { type Call, make } from "../support/http-client.ts";
import type { Received } from "../support/response-oracle.ts";

const upstreams = await startUpstreams();
const { alpha, beta } = upstreams;
const ok = says("openai-chat/text.json");
const retired = {
  status: 400,
  json: {
    error: {
      message: "The model `gpt-x` has been decommissioned and is no longer supported.",
      type: "invalid_request_error",
      code: "model_decommissioned",
    },
  },
};
const refused = says("openai-chat/error-401.json");
/** Of two candidates, so that both are asked within the attempts of one request. */
const pair = `  pair:
    candidates:
      - { provider: alpha, model: gpt-x }
      - { provider: beta, model: gpt-b }
`;
const chain: Call = { body: { model: "chain" } };

let world: World;
beforeEach(async () => {
  for (const each of Object.values(upstreams)) each.clear();
  await world?.gateway.stop();
  world = { upstreams, gateway: await gateway({ yaml: `${configuration(upstreams)}${pair}` }) };
});
afterAll(async () => {
  await world.gateway.stop();
  await Promise.all(Object.values(upstreams).map((each) => each.stop()));
});

async function say(call: Call): Promise<Received> {
  const { received: answer } = await make(call, world);
  if (!answer) throw new Error("there was no answer");
  return answer;
}

const provider = (received: Received): string | null => received.headers.get("x-turnpike-provider");
const unusable = (): unknown[] =>
  world.gateway.log.map((line) => JSON.parse(line)).filter(({ event }) => event === "candidate_unusable");

describe.each([
  { fault: "a retired model", reply: retired, code: "model_not_found" },
  { fault: "a refused credential", reply: refused, code: "upstream_credentials" },
])("$fault", ({ reply, code }) => {
  test("is asked last while it is remembered, and is logged once", async () => {
    alpha.on("*", reply);
    beta.on("*", ok);
    for (const attempts of ["2", "1", "1"]) {
      const received = await say(chain);
      expect(provider(received)).toBe("beta");
      expect(received.headers.get("x-turnpike-attempts")).toBe(attempts);
    }
    expect(alpha.requests.length).toBe(1);
    expect(unusable()).toEqual([expect.objectContaining({ level: "error", provider: "alpha", model: "gpt-x", code })]);
  });

  test("is still asked where all others fail, and is forgotten when it answers", async () => {
    alpha.on("*", reply, ok);
    beta.on("*", ok, says("openai-chat/error-503.json"), ok);
    expect(provider(await say({ body: { model: "pair" } }))).toBe("beta");
    expect(provider(await say({ body: { model: "pair" } }))).toBe("alpha");
    expect(provider(await say({ body: { model: "pair" } }))).toBe("alpha");
  });

  test("that the client named itself is not remembered", async () => {
    alpha.on("*", reply, ok);
    expect((await say({ body: { model: "gpt-x" } })).status).toBeGreaterThanOrEqual(400);
    expect((await say({ body: { model: "gpt-x" } })).status).toBe(200);
    expect(unusable()).toEqual([]);
  });
});

test("what time mends is not remembered", async () => {
  alpha.on("*", says("openai-chat/error-503.json"), ok);
  beta.on("*", ok);
  expect(provider(await say(chain))).toBe("beta");
  expect(provider(await say(chain))).toBe("alpha");
});

test("a candidate has its place again when its time is over", () => {
  let nowMs = 0;
  const received: string[] = [];
  const events = {
    candidateUnusable: ({ provider: name }: { provider: string }) => void received.push(name),
    candidateUsable: () => undefined,
    upstreamChanged: () => undefined,
  };
  const health = createHealth({ monotonicMs: () => nowMs }, { ...defaultLimits, candidateCooldownMs: 1_000 }, events);
  const [first, second] = ["a", "b"].map(
    (name) => ({ provider: { entry: { name } }, model: "m" }) as unknown as Candidate,
  );
  if (!first || !second) throw new Error("two candidates are needed");
  const candidates = [first, second];
  const parts = { watch: (each: Candidate) => health.watch(each), costOf: () => 0, listed: () => undefined };
  const compiled = compileRoute(candidates, undefined, parts);
  const ordered = () =>
    orderCandidates(compiled, {
      nowMs,
      isStream: false,
      needs: null,
      isQuiet: false,
      stay: null,
      overLimit: null,
      random: Math.random,
    }).candidates;
  const fails = (kind: ErrorKind) => health.failed(first, health.begin(first), new GatewayError(kind, "gone"));
  fails("upstream_model_not_found");
  fails("upstream_model_not_found");
  expect(ordered()).toEqual([second, first]);
  nowMs = 1_001;
  expect(ordered()).toEqual(candidates);
  fails("upstream_credentials");
  expect(received).toEqual(["a", "a"]);
});
