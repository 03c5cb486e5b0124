// What the metrics say of money and tokens is what the ledger says, to the last nano-dollar, for every operation.
import { afterAll, expect, test } from "bun:test";
import { readUsage } from "../../src/gateway/ledger/usage-report.ts";
import { parseDecimal } from "../../src/lib/decimal.ts";
import { gateway } from "../support/gateway.ts";
import { operationRequests, sendAs } from "../support/operation-requests.ts";
import { until } from "../support/until.ts";
import { metricsText, samplesOf, sampleValue } from "./scrape.ts";

const running = await gateway({
  yaml: `
prices:
  cost:
    - model: "*"
      provider: sandbox
      usd: { input: 1.000000007, cache_read: 0.1, output: 2, reasoning: 3, characters: 15, image: 0.04, audio_minute: 0.006, video_second: 0.1, search: 0.002, page: 0.01, request: 0.001 }
  price:
    - { model: "*", factor: 1.25 }
`,
  videoWaitScale: 0.01,
});
afterAll(() => running.stop());

test("cost, price and tokens are the sums of the ledger", async () => {
  for (const { path, body } of Object.values(operationRequests))
    await (await sendAs(running.key, running.url + path, body)).text();
  const isCounted = async () =>
    sampleValue(await metricsText(running), "turnpike_requests_total", { operation: "video", state: "completed" }) > 0;
  await until("the video is counted", isCounted);
  // What is not settled yet has no provider.
  const usage = await until("all requests are settled", () => {
    const rows = readUsage(running.dataFolder, { groupBy: ["provider"] });
    return rows.every(({ open }) => open === 0) && rows.find(({ group }) => group.provider === "sandbox");
  });
  const text = await metricsText(running);
  const valuesOf = (name: string) => samplesOf(text).filter((sample) => sample.name === name);
  const dollars = (name: string): bigint =>
    valuesOf(name).reduce((sum, { value }) => sum + (parseDecimal(value, 9) ?? -1n), 0n);
  expect(usage.costNanoDollars).toBeGreaterThan(0n);
  expect(dollars("turnpike_cost_dollars_total")).toBe(usage.costNanoDollars ?? -1n);
  expect(dollars("turnpike_price_dollars_total")).toBe(usage.priceNanoDollars ?? -1n);
  const tokens = (bucket: string): number =>
    valuesOf("turnpike_tokens_total").reduce(
      (sum, { labels, value }) => (labels["bucket"] === bucket ? sum + Number(value) : sum),
      0,
    );
  expect({ input: tokens("input"), output: tokens("output"), reasoning: tokens("reasoning") }).toEqual({
    input: usage.inputTokens,
    output: usage.outputTokens,
    reasoning: usage.reasoningTokens,
  });
  expect(usage.inputTokens * usage.outputTokens).toBeGreaterThan(0);
});
