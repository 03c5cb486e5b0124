// Series and facets over a socket: what was asked a moment ago, its members, permissions, and what is refused.
import { expect, test } from "bun:test";
import { admin, dataIn, errorIn, type Json } from "./setting.ts";

const { ask, token, running } = await admin();

const chat = async () => {
  const body = JSON.stringify({ model: "sandbox/chat", messages: [{ role: "user", content: "Hello" }] });
  const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json" };
  const response = await fetch(`${running.url}/v1/chat/completions`, { method: "POST", headers, body });
  expect(response.status).toBe(200);
  await response.text();
};
for (let at = 0; at < 3; at++) await chat();

const total = (series: Json | undefined) => series?.["total"] as Json;

test("shows the requests of the last hour by the minute", async () => {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const [series] = dataIn(await ask(`GET series?since=${since}&metric=requests,tokens,price,duration_p50_ms`));
  expect(series).toMatchObject({ object: "series", group: null, other: false, step_seconds: 60 });
  const { values = {} } = series as { values?: Record<string, unknown[]> };
  const { requests, price } = values;
  expect(requests?.length).toBe(price?.length ?? 0);
  expect(requests?.reduce<number>((sum, each) => sum + Number(each), 0)).toBe(3);
  expect(total(series)).toMatchObject({ requests: 3, tokens: expect.any(Number), duration_p50_ms: expect.any(Number) });
});

test("has one series for each value, and agrees with usage", async () => {
  const found = dataIn(await ask("GET series?group_by=model&metric=requests,input_tokens"));
  const usage = dataIn(await ask("GET usage?group_by=model"));
  expect(found.map((each) => [each["group"], total(each)["requests"]])).toEqual(
    usage.map((each) => [each["model"], each["requests"]]),
  );
  expect(total(found[0])["input_tokens"]).toBe(usage.map(({ tokens }) => (tokens as Json)["input"])[0]);
  expect(dataIn(await ask("GET facets?dimension=model"))).toEqual([
    { object: "facet", value: "sandbox/chat", requests: 3 },
  ]);
});

test("filters by another dimension", async () => {
  const [none] = dataIn(await ask("GET series?model=other"));
  expect(total(none)).toEqual({ requests: 0 });
  const [all] = dataIn(await ask("GET series?group_by=status&model=sandbox/chat"));
  expect(all).toMatchObject({ group: "2xx", total: { requests: 3 } });
});

const wrong: [string, string, string][] = [
  ["metric=happiness", "invalid_value", "metric[0]"],
  ["group_by=end_user", "invalid_value", "group_by"],
  ["group_by=model&model=x", "invalid_value", "model"],
  ["group_by=status&model=x&provider=y", "invalid_value", "provider"],
  ["model=x&provider=y&operation=chat", "invalid_value", "operation"],
  ["top=21", "invalid_value", "top"],
  ["step_seconds=59", "invalid_value", "step_seconds"],
  ["since=2026-02-01&until=2026-01-01", "invalid_value", "until"],
  ["since=1990-01-01", "invalid_value", "since"],
];
test.each(wrong)("refuses ?%s", async (query, code, param) => {
  expect(errorIn(await ask(`GET series?${query}`))).toEqual({ status: 400, code, param });
});

test("costs are for readers of costs", async () => {
  const key = await token("usage:read");
  expect((await ask("GET series?metric=requests,price", undefined, { key })).status).toBe(200);
  expect(errorIn(await ask("GET series?metric=cost", undefined, { key }))).toMatchObject({ status: 403 });
  const both = await token("usage:read", "costs:read");
  expect((await ask("GET series?metric=cost", undefined, { key: both })).status).toBe(200);
});
