// The rules of attention that need a past of their own: prices, a provider that only fails, alerts, and the disk.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/until.ts";
import { admin, dataIn } from "./setting.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
const choices = [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }];

/** A provider whose paths below /bad only fail, and the receiver of alerts, which refuses them. */
const server = Bun.serve({
  ...{ hostname: "127.0.0.1", port: 0 },
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/alerts") return new Response(null, { status: 503 });
    if (pathname.startsWith("/bad")) return Response.json({ error: { message: "Out of order." } }, { status: 500 });
    const { model } = (await request.json()) as { model: string };
    return Response.json({ id: "c", object: "chat.completion", created: 1, model, choices, usage });
  },
});
const address = `http://127.0.0.1:${server.port}`;
const folder = mkdtempSync(join(tmpdir(), "turnpike-attention-"));
const file = join(folder, "turnpike.yaml");
const freePercent = 90;
const config = (diskFreePercent: number) => `
fetch: { allow: ["127.0.0.1:${server.port}"] }
alerts: { url: "${address}/alerts", secret: "${secret}", disk_free_percent: ${diskFreePercent} }
providers:
  good: { kind: compatible, base_url: "${address}/v1", models: [free, lossy, fair] }
  gone: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [any] }
  bad: { kind: compatible, base_url: "${address}/bad/v1", models: [any] }
prices:
  cost:
    - { provider: good, model: lossy, usd: { input: 3, output: 15 } }
    - { provider: good, model: fair, usd: { input: 3, output: 15 } }
  price:
    - { model: good/lossy, usd: { input: 1, output: 5 } }
limits: { breaker_failures: 3 }
`;
writeFileSync(file, config(freePercent));
const { ask, token, running } = await admin({ environment: { TURNPIKE_CONFIG: file } });
afterAll(() => {
  server.stop(true);
  rmSync(folder, { recursive: true });
});

async function chat(model: string): Promise<void> {
  const answer = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
}

for (const model of ["good/free", "good/lossy", "good/fair", "bad/any", "bad/any"]) await chat(model);
for (let at = 0; at < 4; at++) await chat("gone/any");

const ofKind = async (kind: string, key?: string) =>
  dataIn(await ask("GET attention?limit=100", undefined, key === undefined ? {} : { key })).filter(
    (each) => each["kind"] === kind,
  );

test("a model without a price is reported with its requests, and those with a price are not", async () => {
  const found = await until("the series", async () => {
    const rows = await ofKind("model.not_priced");
    return rows.length > 0 ? rows : undefined;
  });
  expect(found).toMatchObject([
    { name: "good/free", resource: "models", severity: "warning", figures: { requests: 1 } },
  ]);
});

test("a price below the cost is reported with the loss, and only to readers of costs", async () => {
  // 100 tokens for $3 and 10 for $15 a million cost $0.00045; at $1 and $5 the caller pays $0.00015.
  expect(await ofKind("price.below_cost")).toMatchObject([
    { name: "good/lossy", figures: { cost: "0.00045", price: "0.00015", lost: "0.0003" } },
  ]);
  expect(await ofKind("price.below_cost", await token("catalog:read"))).toEqual([]);
  expect(await ofKind("price.below_cost", await token("catalog:read", "costs:read"))).toHaveLength(1);
});

test("a provider that only fails is in the series, and reported once", async () => {
  const query = "series?metric=requests,errors&group_by=provider";
  const group = dataIn(await ask(`GET ${query}`)).find((each) => each["group"] === "bad");
  expect(group?.["total"]).toMatchObject({ requests: 2, errors: 2 });
  expect(await ofKind("provider.errors")).toMatchObject([
    { object_id: "bad", severity: "failing", figures: { requests: 2, errors: 2, share: 1 } },
  ]);
  expect((await ofKind("provider.failing")).map((each) => each["object_id"])).toEqual(["gone"]);
});

test("alerts that the receiver refuses are reported with the reason", async () => {
  const [found] = await until("an alert that is refused", async () => {
    const rows = await ofKind("alerts.not_delivered");
    return rows.length > 0 ? rows : undefined;
  });
  expect(found).toMatchObject({ severity: "failing", resource: "settings", since: expect.any(String) });
  expect(String(found?.["message"])).toContain("503");
});

test("a disk with less free space than the setting is reported, until the setting is lower", async () => {
  const { bavail, blocks } = await statfs(folder);
  const percent = Math.floor((bavail / blocks) * 100);
  const expected = percent < freePercent ? [{ severity: "warning", resource: "settings" }] : [];
  expect(await ofKind("disk.filling")).toMatchObject(expected);
  writeFileSync(file, config(0));
  await until("no report", async () => ((await ofKind("disk.filling")).length === 0 ? true : undefined));
});
