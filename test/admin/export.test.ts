// Requests as files: both formats, what each caller sees of them, and text that a spreadsheet would run.
import { expect, test } from "bun:test";
import { clientKey } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { catalogSetting } from "./catalog-setting.ts";

const { ask, token, running, chat } = await catalogSetting();
const formula = '=cmd|"/C calc",1';
for (const model of ["filed/f", "filed/f"]) await chat(model);
await fetch(`${running.url}/v1/chat/completions`, {
  method: "POST",
  headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json" },
  body: JSON.stringify({ model: "fixed", messages: [{ role: "user", content: "hi" }], user: formula }),
});
await until("all are settled", () => {
  const rows = ledgerRows(running.dataFolder);
  return rows.length >= 3 && rows.every(({ state }) => state !== "open");
});

async function file(query: string, key?: string) {
  const response = await fetch(`${running.url}/admin/api/requests/export?${query}`, {
    headers: { authorization: `Bearer ${key ?? (await token("requests:read", "costs:read"))}` },
  });
  return { response, text: await response.text() };
}

test("JSON has the rows of the list", async () => {
  const { response, text } = await file("format=json&model=filed/f");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="requests.json"');
  const listed = (await ask("GET requests?model=filed/f")).body["data"];
  expect(listed).toHaveLength(2);
  expect(JSON.parse(text)).toEqual(listed);
  expect(JSON.parse((await file("format=json&model=nothing")).text)).toEqual([]);
});

test("CSV has a line of names and a line for each request", async () => {
  const { response, text } = await file("format=csv&model=filed/f");
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const [head = "", first = "", ...others] = text.trimEnd().split("\r\n");
  const names = head.split(",");
  expect(names).toContain("cost");
  expect(others).toHaveLength(1);
  const row = Object.fromEntries(first.split(",").map((value, at) => [names[at], value]));
  expect(row).toMatchObject({ model: "filed/f", state: "completed", tokens_input: "1000000" });
});

test("columns of cost need their scope, as do filters by cost", async () => {
  const plain = await token("requests:read");
  expect((await file("format=csv", plain)).text.split("\r\n")[0]?.split(",")).not.toContain("cost");
  expect((await file("format=csv&max_cost=1", plain)).response.status).toBe(403);
  expect((await file("format=csv", await token("keys:read"))).response.status).toBe(403);
  expect((await file("format=xml")).response.status).toBe(400);
  expect((await file("format=csv&limit=1")).response.status).toBe(400);
});

test("text that a spreadsheet would run begins with an apostrophe", async () => {
  const end = encodeURIComponent(formula);
  const { text } = await file(`format=csv&end_user=${end}`);
  const lines = text.trimEnd().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`"'=cmd|""/C calc"",1"`);
});

test("bounds of cost, and the session", async () => {
  const count = async (query: string) => (JSON.parse((await file(`format=json&${query}`)).text) as unknown[]).length;
  const all = await count("state=completed");
  expect(
    (await count("state=completed&max_cost=0.0001")) + (await count("state=completed&min_cost=0.000100001")),
  ).toBeLessThanOrEqual(all);
  expect(await count("max_duration_ms=10000000")).toBeGreaterThanOrEqual(3);
  expect(await count("session=nothing")).toBe(0);
});
