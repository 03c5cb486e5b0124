// The whole story of one request, as the command line tells it.
import { afterAll, expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const [one, two, three] = [await upstream(), await upstream(), await upstream()];
const yaml = `providers:
  one: { kind: compatible, base_url: "${one.url}/v1", credential: "sk-one", models: [a] }
  two: { kind: anthropic, base_url: "${two.url}", credential: "sk-two", models: [b] }
  three: { kind: compatible, base_url: "${three.url}/v1", credential: "sk-three", models: [c] }
models:
  smart: { candidates: [{ provider: three, model: c }, { provider: one, model: a }, { provider: two, model: b }] }
prices:
  cost:
    - { provider: one, model: a, usd: { input: 1, output: 2 } }
    - { provider: two, model: b, usd: { input: 3, output: 4 } }
  price:
    - { model: "*", factor: 1.5 }
keys:
  limited: { secret: "tp-limited-key", refused_providers: [three] }
`;
const running = await gateway({ yaml });
afterAll(async () => {
  await running.stop();
  for (const each of [one, two, three]) await each.stop();
});
const config = join(running.dataFolder, "..", "turnpike.yaml");

async function show(id: string, ...words: string[]): Promise<{ out: string; err: string }> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../../src/main.ts"), "requests", "show", id, ...words],
    {
      env: { PATH: process.env["PATH"] ?? "", TURNPIKE_DATA: running.dataFolder, TURNPIKE_CONFIG: config },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { out, err };
}

async function reprice(): Promise<{ groups: Record<string, string>[] }> {
  const words = ["prices", "reprice", "--json"];
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../src/main.ts"), ...words], {
    env: { PATH: process.env["PATH"] ?? "", TURNPIKE_DATA: running.dataFolder, TURNPIKE_CONFIG: config },
    stdout: "pipe",
  });
  return JSON.parse(await child.stdout.text());
}

async function chat(id: string): Promise<Response> {
  one.on("*", { status: 500, json: { error: { message: "no" } } });
  two.on("*", says("anthropic-messages/text.json"));
  return fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer tp-limited-key", "x-request-id": id },
    body: JSON.stringify({ model: "smart", seed: 7, messages: [{ role: "user", content: "hello there" }] }),
  });
}

test("attempts and why, who was passed over, what was lost, and the price term by term", async () => {
  const answer = await chat("story-1");
  expect(answer.status).toBe(200);
  const [story] = JSON.parse((await show("story-1", "--json")).out);
  expect(story).toMatchObject({ requestId: "story-1", provider: "two", state: "completed", attempts: 2 });
  expect(story.trace.attempts).toMatchObject([
    { number: 1, provider: "one", because: null, outcome: "possible", errorCode: "upstream_failed", httpStatus: 500 },
    { number: 2, provider: "two", because: "upstream_failed", outcome: "answered" },
  ]);
  expect(three.requests).toEqual([]);
  expect(story.trace.passedOver).toEqual([{ provider: "three", upstreamModel: "c", reason: "not_permitted" }]);
  expect(story.trace.lost).toEqual([{ code: "dropped", field: "seed" }]);
  expect(story.trace.timings).toMatchObject({ limits: expect.any(Number), wait: expect.any(Number), stream: null });
  // The input of the attempt that failed, at one dollar for a million tokens.
  const [failed] = story.trace.attempts;
  expect(failed.possibleInputTokens).toBeGreaterThan(0);
  expect(failed.costNanoDollars).toBe(String(failed.possibleInputTokens * 1_000));
  const { price, isPriceCurrent } = story.trace;
  expect(isPriceCurrent).toBe(true);
  expect(price.factorMillionths).toBe("1500000");
  expect(price.terms.map(({ of }: { of: string }) => of)).toEqual(["inputTokens", "outputTokens"]);
  const sum = (name: string) =>
    price.terms.reduce((total: bigint, term: Record<string, string>) => total + BigInt(term[name] ?? ""), 0n);
  expect(String(sum("costNanoDollars"))).toBe(story.costNanoDollars);
  expect(String(sum("priceNanoDollars"))).toBe(story.priceNanoDollars);
  const { out } = await show("story-1");
  for (const each of [
    "settlement",
    "after upstream_failed",
    "not_permitted",
    "dropped",
    "seed",
    "Rule: cost × 1.5",
    "3 per 1000000",
  ])
    expect(out).toContain(each);
});

test("changed prices are said to be others, and without a readable file the rest is shown", async () => {
  await chat("story-2");
  expect(await reprice()).toMatchObject({ groups: [], repricing: null });
  await until("the prices are stored", () => existsSync(join(running.dataFolder, "price-books")));
  writeFileSync(config, yaml.replace("input: 3", "input: 6"));
  const {
    groups: [group = {}],
  } = await reprice();
  expect(group).toMatchObject({ model: "smart", unpriced: 0 });
  expect(BigInt(group["newCost"] ?? "")).toBeGreaterThan(BigInt(group["bookedCost"] ?? ""));
  const [story] = JSON.parse((await show("story-2", "--json")).out);
  expect(story.trace.isPriceCurrent).toBe(false);
  // Explained by the prices of its time, which the gateway has stored.
  expect([story.trace.isOwnPrice, story.trace.price.costNanoDollars]).toEqual([true, story.costNanoDollars]);
  rmSync(join(running.dataFolder, "price-books"), { recursive: true });
  const [other] = JSON.parse((await show("story-2", "--json")).out);
  expect(other.trace.isOwnPrice).toBe(false);
  expect(BigInt(other.trace.price.costNanoDollars)).toBeGreaterThan(BigInt(story.costNanoDollars));
  writeFileSync(config, "providers: [");
  const { out, err } = await show("story-2");
  expect(err).toContain("prices are not explained");
  expect(out).toContain("after upstream_failed");
  writeFileSync(config, yaml);
});
