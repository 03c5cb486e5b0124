// Models of one name at several providers, text completions of a compatible server, and the user agent that it sees.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { version } from "../../package.json";
import { at, list } from "../support/chat-stream-reader.ts";
import { startUpstreams, stopWorld, type World } from "../support/fixture-gateway.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { type Call, make } from "../support/http-client.ts";
import type { Received } from "../support/response-oracle.ts";

const upstreams = await startUpstreams();
const { alpha, beta } = upstreams;
const yaml = `providers:
  one: { kind: compatible, base_url: "${alpha.url}/v1", credential: "canary-1", models: [shared, routed, own] }
  two: { kind: compatible, base_url: "${beta.url}/v1", credential: "canary-2", models: [shared], headers: { User-Agent: "our-fleet/7" } }
models:
  routed: { candidates: [{ provider: two, model: shared }] }
`;
const world: World = { upstreams, gateway: await gateway({ yaml }) };

beforeEach(() => {
  for (const each of Object.values(upstreams)) each.clear();
});
afterAll(() => stopWorld(world));

async function say(call: Call): Promise<Received> {
  const { received } = await make(call, world);
  if (!received) throw new Error("there was no answer");
  return received;
}

const ids = (received: Received, from: string, member: string): unknown[] =>
  list(received.json, from)
    .map((model) => at(model, member))
    .filter((id) => !String(id).includes("sandbox"));
const expected = ["routed", "shared", "one/shared", "one/routed", "own", "two/shared"];

test("a name of several providers is listed once as it is, and once for each provider", async () => {
  const openai = await say({ method: "GET", path: "/v1/models" });
  expect(ids(openai, "data", "id")).toEqual(expected);
  const google = await say({ method: "GET", path: "/v1beta/models" });
  expect(ids(google, "models", "name")).toEqual(expected.map((id) => `models/${id}`));
});

test("every listed name, and every provider's own, is found and answers", async () => {
  for (const id of [...expected, "one/own"]) {
    const received = await say({ method: "GET", path: `/v1/models/${id}` });
    expect({ status: received.status, id: at(received.json, "id") }).toEqual({ status: 200, id });
  }
  alpha.on("*", says("openai-chat/text.json"));
  beta.on("*", says("openai-chat/text.json"));
  expect((await say({ body: { model: "two/shared" } })).headers.get("x-turnpike-provider")).toBe("two");
  expect((await say({ body: { model: "one/shared" } })).headers.get("x-turnpike-provider")).toBe("one");
});

test("a provider sees the gateway's name and version, or what its entry says", async () => {
  alpha.on("*", says("openai-chat/text.json"));
  beta.on("*", says("openai-chat/text.json"));
  await say({ body: { model: "own" } });
  await say({ body: { model: "two/shared" } });
  expect(alpha.requests[0]?.headers.get("user-agent")).toBe(`turnpike/${version}`);
  expect(beta.requests[0]?.headers.get("user-agent")).toBe("our-fleet/7");
});

test("a compatible server answers text completions", async () => {
  alpha.on("POST /v1/completions", says("openai-completions/text.json"));
  const received = await say({ path: "/v1/completions", rawBody: JSON.stringify({ model: "own", prompt: "Hello" }) });
  expect({ status: received.status, object: at(received.json, "object") }).toEqual({
    status: 200,
    object: "text_completion",
  });
  expect(alpha.requests.map(({ path }) => path)).toEqual(["/v1/completions"]);
});
